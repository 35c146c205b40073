/**
 * Lets only so many refinements of a round be under way: one that waits for the model holds its prompt, and a plan may have
 * thousands of tasks. The most urgent ones come first, and one that is more urgent than all that are under way never waits,
 * so that the order of calls is that of a round without this limit.
 */
import { makePrioritySemaphore, type PrioritySemaphore } from "../models/PrioritySemaphore.ts"

/**
 * More than the slots can take, so that the model never waits for a refinement: one may look into files or wait for a person
 * meanwhile. Of those that only wait for a slot, more would bring nothing, and each of them lives long enough to be kept as
 * garbage until the next full collection.
 */
export const mostUnderWay = (slots: number): number => Math.max(64, Math.ceil(1.25 * slots))

/** The permits of refinements, which are named by the turns of their tasks. */
export type Admission = PrioritySemaphore<number>

/** Runs a refinement with a permit of its turn. */
export type Admit = Admission["withTaken"]

/** Lets `most` be under way at a time. */
export const makeAdmission = (most: number): Admission =>
  makePrioritySemaphore<number>({
    rankOf: (turn) => turn,
    turnOf: (turn) => turn,
    hasPermit: (turn, underWay) => underWay.count < most || turn < underWay.earliest
  })
