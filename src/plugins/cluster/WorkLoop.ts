/**
 * The main loop of a worker. Its fibers claim pieces, renew leases, and give up leases that were not renewed in time.
 * The clock, `ClusterWork` and `carryOut` are parameters, so that a simulation can replace them.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Random from "effect/Random"
import * as Schedule from "effect/Schedule"
import type { DatabaseUnavailable } from "./DatabaseErrors.ts"
import {
  type Capacity,
  type Claimant,
  ClusterWork,
  CurrentLease,
  type HeldLease,
  leaseAge,
  leaseTime,
  newActivity,
  onlyWaitsFor,
  type Presence,
  readClocks
} from "./ClusterWork.ts"

/** How a piece ended in this worker. */
export type WorkEnd =
  /** The piece is finished. `result` is absent if it is already saved. */
  | { readonly _tag: "Finished"; readonly result?: string }
  | { readonly _tag: "RunEnded"; readonly ending: string }
  /** Another worker can claim the piece. `why` is given if this worker can never do it. */
  | { readonly _tag: "GivenBack"; readonly why?: string }

export interface WorkLoopOptions {
  readonly worker: Claimant
  /** How many more pieces this worker can take now. */
  readonly capacity: Effect.Effect<Capacity, DatabaseUnavailable>
  readonly carryOut: (lease: HeldLease) => Effect.Effect<WorkEnd, DatabaseUnavailable>
  /** What this worker reports about itself with each heartbeat. */
  readonly presence?: Effect.Effect<Presence>
  /** Receives messages for the operator. */
  readonly report: (what: string) => Effect.Effect<void>
}

/** How often heartbeats are sent. */
const renewal = "1500 millis"

/** A worker gives up a lease this long before the lease ends, in milliseconds. */
const margin = 1500

/** If a piece has done nothing but wait for this long, the worker gives it back. It then rests in its queue. */
export const RestAfter = Context.Reference<Duration.Input>("task-conductor/plugins/cluster/RestAfter", {
  defaultValue: () => "1 minute"
})

/** The pause between two claims, in milliseconds. It is random within this range, so that workers take turns. */
const pace = { least: 300, most: 600 }
/** The pause after several claims that found no piece, in milliseconds. */
const idlePace = { least: 600, most: 800 }
/**
 * The pause of a worker that can make no more model calls, in milliseconds. The worker still looks for runs, changes to
 * apply, and pieces of dead workers.
 */
const busyPace = { least: 1000, most: 1400 }

const lose = (lease: HeldLease) => Deferred.succeed(lease.lost, undefined)

const saveEnd = Effect.fnUntraced(function* (work: ClusterWork["Service"], lease: HeldLease, end: WorkEnd) {
  if (end._tag === "GivenBack") return yield* work.giveBack(lease, end.why)
  if (end._tag === "RunEnded") return yield* work.end(lease, end.ending, lease.ended?.record)
  if (end.result !== undefined) yield* work.append(lease.runId, [], [{ lease, result: end.result }])
  return yield* lease.lookForWork
})

/**
 * Completes when a piece has done nothing but wait during the whole time `RestAfter`. The value is what the piece waits
 * for.
 */
const untilItRests = Effect.fnUntraced(function* ({ activity }: HeldLease) {
  const after = Duration.toMillis(Duration.fromInputUnsafe(yield* RestAfter))
  for (let since = yield* readClocks; ;) {
    yield* Effect.sleep(Math.min(after, 1000))
    const waiting = onlyWaitsFor(activity)
    const now = yield* readClocks
    if (waiting === undefined) since = now
    else if (now.monotonic - since.monotonic >= after) return waiting
  }
})

/** Works on a piece until it ends or rests. An interrupted worker returns the piece to its queue. */
const carryOutOrRest = Effect.fnUntraced(function* (
  { giveBack, rest }: ClusterWork["Service"],
  lease: HeldLease,
  work: Effect.Effect<unknown, DatabaseUnavailable>
) {
  let isResting = false
  const done = work.pipe(
    Effect.onInterrupt(() =>
      Effect.flatMap(Deferred.isDone(lease.lost), (isLost) =>
        isLost || isResting ? Effect.void : Effect.ignore(giveBack(lease))
      )
    ),
    Effect.as(undefined)
  )
  const rests = Effect.tap(untilItRests(lease), () => Effect.sync(() => void (isResting = true)))
  const waiting = yield* Effect.raceFirst(done, rests)
  if (waiting !== undefined) yield* rest(lease, waiting)
})

/**
 * Claims and does work until the scope closes. Fails if the database has been unavailable for too long. At the end,
 * this worker gives its unfinished pieces back.
 */
export const runWorkLoop = Effect.fn("runWorkLoop")(function* ({
  capacity,
  carryOut,
  presence,
  report,
  worker
}: WorkLoopOptions) {
  const work = yield* ClusterWork
  const held = new Set<HeldLease>()
  const fibers = yield* FiberSet.make<void>()
  const broken = yield* Deferred.make<never, DatabaseUnavailable>()
  /* Completes when a piece finishes or changes wait to be applied. The worker then claims work at once. */
  let hurry = yield* Deferred.make<void>()
  const lookForWork = Effect.suspend(() => Effect.asVoid(Deferred.succeed(hurry, undefined)))
  const orBreak = <A>(query: Effect.Effect<A, DatabaseUnavailable>) =>
    Effect.catch(query, (error) => Effect.andThen(Deferred.fail(broken, error), Effect.never))

  const begin = (lease: HeldLease) =>
    carryOutOrRest(
      work,
      lease,
      Effect.flatMap(carryOut(lease), (end) => saveEnd(work, lease, end))
    ).pipe(
      orBreak,
      Effect.provideService(CurrentLease, lease),
      Effect.raceFirst(Deferred.await(lease.lost)),
      Effect.asVoid,
      Effect.ensuring(Effect.sync(() => void held.delete(lease)))
    )

  let emptyLooks = 0
  const claim = Effect.gen(function* () {
    hurry = yield* Deferred.make<void>()
    const free = yield* capacity
    if (free.run + free.refine + free.task > 0) {
      const sent = yield* readClocks
      const pieces = yield* work.claim(worker, free)
      emptyLooks = pieces.length > 0 ? 0 : emptyLooks + 1
      for (const claimed of pieces) {
        const signals = { lost: yield* Deferred.make<void>(), cancelled: yield* Deferred.make<void>() }
        const lease = { ...claimed, ...signals, lookForWork, activity: newActivity(), renewedAt: sent }
        held.add(lease)
        yield* FiberSet.run(fibers, begin(lease))
      }
    }
    yield* Effect.yieldNow
    const freePace = emptyLooks > 10 ? idlePace : pace
    const times = (yield* capacity).refine > 0 ? freePace : busyPace
    const wait = Effect.sleep(Duration.millis(yield* Random.nextIntBetween(times.least, times.most)))
    yield* Effect.raceFirst(wait, Deferred.await(hurry))
  })

  const renew = Effect.gen(function* () {
    const leases = [...held]
    if (leases.length === 0) return
    const reported = presence === undefined ? undefined : yield* presence
    const sent = yield* readClocks
    const kept = new Map((yield* work.renew(leases, reported)).map(({ id, isCancelled }) => [id, isCancelled]))
    for (const lease of leases) {
      const isCancelled = kept.get(lease.id)
      if (isCancelled === undefined) yield* lose(lease)
      else lease.renewedAt = sent
      if (isCancelled === true) yield* Deferred.succeed(lease.cancelled, undefined)
    }
  })

  /** Gives up leases that were not renewed in time. Other workers may already have their pieces. */
  const giveUp = Effect.gen(function* () {
    const now = yield* readClocks
    const late = [...held].filter((lease) => leaseAge(lease, now) > leaseTime - margin)
    if (late.length === 0) return
    yield* report(
      "The database does not answer in time: this worker stops what it does, and other workers take it over."
    )
    yield* Effect.forEach(late, lose)
    for (const lease of late) held.delete(lease)
  })

  yield* Effect.forkScoped(Effect.repeat(giveUp, Schedule.spaced("250 millis")))
  yield* Effect.forkScoped(Effect.repeat(orBreak(renew), Schedule.spaced(renewal)))
  yield* Effect.forkScoped(Effect.forever(orBreak(claim)))
  return yield* Deferred.await(broken)
}, Effect.scoped)
