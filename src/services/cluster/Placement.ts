/**
 * Finds a worker that can do a piece of work. The engine chooses the worker by the name of the work alone; one that lacks
 * something gives the work back, and it is offered again under another name, until a worker takes it or all that are there
 * have said what they lack.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ClusterRunEnding } from "../../domain/journal/JournalRecord.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { workerName } from "./ClusterEngine.ts"
import { ClusterWorkers } from "./ClusterWorkers.ts"
import { type RunPlacement, RunWorkflow } from "./RunWorkflow.ts"

/** A worker that cannot do the work, and why. */
export const Unfit = Schema.Struct({ worker: Schema.String, why: Schema.String })
export type Unfit = typeof Unfit.Type

/** This worker cannot do the work; another one may. */
export class UnfitWorker extends Schema.TaggedError<UnfitWorker>()("UnfitWorker", {
  why: Schema.String,
  exitCode: Schema.Int
}) {
  override get message(): string {
    return this.why
  }
}

/** What each worker lacks, by its name. */
export type Declined = Readonly<Record<string, string>>

/** How many names a piece of work gets; with so many, each of a few workers is chosen at some time. */
const mostPlaces = 40

/** True when it makes no sense to offer the work again. */
const nobodyIsLeft = (declined: Declined, alive: ReadonlyArray<string>, place: number): boolean =>
  place >= mostPlaces || alive.every((worker) => Object.hasOwn(declined, worker))

const remedy = "or start a worker that has it. Then start the run again."

/** Why nobody does the work, and what to do. One worker speaks for itself. */
const nobodyFits = (declined: Declined): string => {
  const all = Object.entries(declined)
  const [first] = all
  if (first !== undefined && all.length === 1) {
    return `${first[1]} No other worker is there. Give it what it lacks, ${remedy}`
  }
  const reasons = all.map(([worker, why]) => `${worker}: ${why}`).join(" ")
  return `No worker can do this. ${reasons} Give one of them what it lacks, ${remedy}`
}

/** Offers work under one name after the other; fails with why nobody does it. */
export const offerWork = Effect.fnUntraced(function* <A extends { readonly unfit?: Unfit }>(
  offer: (place: number) => Effect.Effect<A>,
  alive: Effect.Effect<ReadonlyArray<string>>
) {
  const declined: Record<string, string> = {}
  for (let place = 1; ; place += 1) {
    const back = yield* offer(place - 1)
    if (back.unfit === undefined) return Result.succeed(back)
    declined[back.unfit.worker] = back.unfit.why
    if (nobodyIsLeft(declined, yield* alive, place)) return Result.fail(nobodyFits(declined))
  }
})

export interface GivenBack {
  readonly order: RunOrder
  readonly placement: RunPlacement | undefined
  readonly unfit: UnfitWorker
  readonly report: (what: string) => Effect.Effect<void>
}

/** Offers a run for which this worker lacks something to the next one; an ending when there is none. */
export const giveBack = Effect.fn("giveBack")(function* ({ order, placement, report, unfit }: GivenBack) {
  const { alive } = yield* ClusterWorkers
  const declined = { ...placement?.declined, [workerName]: unfit.why }
  const number = (placement?.number ?? 0) + 1
  const names = (yield* Effect.orDie(alive)).map(({ name }) => name)
  if (nobodyIsLeft(declined, names, number)) {
    const ending: ClusterRunEnding = { refused: nobodyFits(declined), exitCode: unfit.exitCode }
    return ending
  }
  yield* report(`${order.runId}: given back. ${unfit.why}`)
  yield* RunWorkflow.execute({ order, placement: { number, declined } }, { discard: true, detached: true })
  return "given back" as const
})
