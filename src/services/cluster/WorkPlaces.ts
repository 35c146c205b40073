/**
 * Finds a worker that can do a piece of work. The engine chooses the worker by the name of the work alone; one that lacks
 * something gives the work back, and it is offered again under another name, until a worker takes it or all that are there
 * have said what they lack.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

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
export const nobodyIsLeft = (declined: Declined, alive: ReadonlyArray<string>, place: number): boolean =>
  place >= mostPlaces || alive.every((worker) => Object.hasOwn(declined, worker))

const remedy = "or start a worker that has it. Then start the run again."

/** Why nobody does the work, and what to do. One worker speaks for itself. */
export const nobodyFits = (declined: Declined): string => {
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
