/**
 * What a worker does all the time: it claims work that is free, carries it out on a fiber for each piece, and renews its leases.
 * The clock, the store of the work and what is done are given, so that a simulation can put others in their place.
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
  type Claimant,
  ClusterWork,
  CurrentLease,
  type HeldLease,
  leaseAge,
  leaseTime,
  newActivity,
  onlyWaitsFor,
  type Presence,
  readClocks,
  type Room
} from "./ClusterWork.ts"

/** What became of a piece in this worker. */
export type WorkEnd =
  /** Its result is saved, unless it is given here. */
  | { readonly _tag: "Finished"; readonly result?: string }
  | { readonly _tag: "RunEnded"; readonly ending: string }
  /** Another worker does it; `why` says what this one lacks for good. */
  | { readonly _tag: "GivenBack"; readonly why?: string }

export interface WorkLoopOptions {
  readonly worker: Claimant
  /** How much more this worker takes now. */
  readonly room: Effect.Effect<Room, DatabaseUnavailable>
  readonly carryOut: (lease: HeldLease) => Effect.Effect<WorkEnd, DatabaseUnavailable>
  /** What this worker says of itself with each heartbeat. */
  readonly presence?: Effect.Effect<Presence>
  /** Receives what a person should know. */
  readonly report: (what: string) => Effect.Effect<void>
}

/** How often heartbeats are sent. */
const renewal = "1500 millis"

/** A worker gives up so long before its attempt ends, in milliseconds. */
const margin = 1500

/** How long a piece does nothing but wait until it rests. */
export const RestAfter = Context.Reference<Duration.Input>("task-conductor/plugins/cluster/RestAfter", {
  defaultValue: () => "1 minute"
})

/** How often free work is looked for, in milliseconds; more or less, so that workers take turns. */
const pace = { least: 300, most: 600 }
/** The same of a worker to which nothing has come for some looks. */
const idlePace = { least: 600, most: 800 }
/** The same of a worker that has enough to do, which looks for runs, changes to make, and pieces without heartbeats. */
const busyPace = { least: 1000, most: 1400 }

const lose = (lease: HeldLease) => Deferred.succeed(lease.lost, undefined)

const settle = Effect.fnUntraced(function* (work: ClusterWork["Service"], lease: HeldLease, end: WorkEnd) {
  if (end._tag === "GivenBack") return yield* work.giveBack(lease, end.why)
  if (end._tag === "RunEnded") return yield* work.end(lease, end.ending, lease.ended?.record)
  if (end.result !== undefined) yield* work.append(lease.runId, [], [{ lease, result: end.result }])
  return yield* lease.lookForWork
})

/** Completes with what a piece waits for once it has done nothing else for a while. */
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

/** Does a piece to its end, or until it only waits; gives it back when it is interrupted. */
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

/** Works until the scope closes or the database has been away for too long; then its leases are given back. */
export const runWorkLoop = Effect.fn("runWorkLoop")(function* ({
  carryOut,
  presence,
  report,
  room,
  worker
}: WorkLoopOptions) {
  const work = yield* ClusterWork
  const held = new Set<HeldLease>()
  const fibers = yield* FiberSet.make<void>()
  const broken = yield* Deferred.make<never, DatabaseUnavailable>()
  /* Completes when a piece is finished, which makes room for another, and when changes are to be made. */
  let hurry = yield* Deferred.make<void>()
  const lookForWork = Effect.suspend(() => Effect.asVoid(Deferred.succeed(hurry, undefined)))
  const orBreak = <A>(query: Effect.Effect<A, DatabaseUnavailable>) =>
    Effect.catch(query, (error) => Effect.andThen(Deferred.fail(broken, error), Effect.never))

  const begin = (lease: HeldLease) =>
    carryOutOrRest(
      work,
      lease,
      Effect.flatMap(carryOut(lease), (end) => settle(work, lease, end))
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
    const most = yield* room
    if (most.run + most.refine + most.task > 0) {
      const sent = yield* readClocks
      const found = yield* work.claim(worker, most)
      emptyLooks = found.length > 0 ? 0 : emptyLooks + 1
      for (const claimed of found) {
        const signals = { lost: yield* Deferred.make<void>(), cancelled: yield* Deferred.make<void>() }
        const lease = { ...claimed, ...signals, lookForWork, activity: newActivity(), renewedAt: sent }
        held.add(lease)
        yield* FiberSet.run(fibers, begin(lease))
      }
    }
    yield* Effect.yieldNow
    const freePace = emptyLooks > 10 ? idlePace : pace
    const times = (yield* room).refine > 0 ? freePace : busyPace
    const wait = Effect.sleep(Duration.millis(yield* Random.nextIntBetween(times.least, times.most)))
    yield* Effect.raceFirst(wait, Deferred.await(hurry))
  })

  const renew = Effect.gen(function* () {
    const leases = [...held]
    if (leases.length === 0) return
    const said = presence === undefined ? undefined : yield* presence
    const sent = yield* readClocks
    const kept = new Map((yield* work.renew(leases, said)).map(({ id, isCancelled }) => [id, isCancelled]))
    for (const lease of leases) {
      const isCancelled = kept.get(lease.id)
      if (isCancelled === undefined) yield* lose(lease)
      else lease.renewedAt = sent
      if (isCancelled === true) yield* Deferred.succeed(lease.cancelled, undefined)
    }
  })

  /** What could not be renewed in time may be another worker's by now. */
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
