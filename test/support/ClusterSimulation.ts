/**
 * Workers on virtual time with a store in memory, whose faults a seed decides: an operation is late, fails before or after it
 * was done, is done twice, or its worker is stopped or killed meanwhile. The loop of a worker and its journal are the real ones.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { ClusterJournal, layerClusterJournal } from "../../src/plugins/cluster/ClusterJournal.ts"
import { ClusterRuns } from "../../src/plugins/cluster/ClusterRuns.ts"
import { makeOffers } from "../../src/plugins/cluster/ClusterTasks.ts"
import { ClusterWork, type HeldLease } from "../../src/plugins/cluster/ClusterWork.ts"
import { makeSecrets } from "../../src/plugins/cluster/WithoutSecrets.ts"
import { RestAfter, runWorkLoop, type WorkEnd } from "../../src/plugins/cluster/WorkLoop.ts"
import { Journal } from "../../src/services/journal/Journal.ts"
import { ended } from "./Journals.ts"
import { makeMemoryWork, type MemoryWork } from "./MemoryWork.ts"

const program = "0"
const runId = "run-1"

/** What an operation of a worker meets. */
interface Faults {
  /** The chance of each fault, from 0 to 1. */
  readonly chance: number
}

interface SimulatedWorker {
  readonly name: string
  isDead: boolean
  /** Until when it is stopped, in milliseconds. */
  stoppedUntil: number
}

/** Waits while the worker is stopped; never returns when it is dead. */
const alive = Effect.fnUntraced(function* (worker: SimulatedWorker) {
  for (;;) {
    if (worker.isDead) return yield* Effect.never
    const left = worker.stoppedUntil - (yield* Clock.currentTimeMillis)
    if (left <= 0) return
    yield* Effect.sleep(left)
  }
})

/** The clock as one worker sees it: what it waits for does not wake it while it is stopped. */
const clockOf = (clock: Clock.Clock, worker: SimulatedWorker): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => Effect.andThen(clock.sleep(duration), Effect.provideService(alive(worker), Clock.Clock, clock))
})

/** The store as one worker sees it. What fails for a while is tried again by the store itself, so that it is only late or done twice. */
const faulty = (
  memory: MemoryWork,
  worker: SimulatedWorker,
  { chance }: Faults,
  world: World
): ClusterWork["Service"] => {
  const through = <A, E>(operation: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      yield* alive(worker)
      const late = Random.nextIntBetween(0, 25_000)
      const dice = yield* Random.next
      if (dice < chance) yield* Effect.sleep(yield* late)
      if (worker.isDead) return yield* Effect.never
      /* Done, and its answer is lost: it is tried again. */
      if (dice > 1 - chance) {
        yield* operation
        yield* Effect.sleep(yield* late)
      }
      const done = yield* operation
      yield* Effect.sleep(dice > 0.5 && dice < 0.5 + chance ? yield* late : 1)
      yield* alive(worker)
      return done
    })
  const { work } = memory
  /* Stopped between what is written and what it does then. */
  const stopSometimes = Effect.gen(function* () {
    if ((yield* Random.next) > 0.03) return
    worker.stoppedUntil = (yield* Clock.currentTimeMillis) + (yield* Random.nextIntBetween(10_000, 60_000))
    yield* alive(worker)
  })
  return ClusterWork.of({
    claim: (who, capacity) => Effect.andThen(memory.see(worker.name, program), through(work.claim(who, capacity))),
    renew: (leases) => through(work.renew(leases)),
    giveBack: (lease, why) => (worker.isDead ? Effect.void : through(work.giveBack(lease, why))),
    offer: (lease, pieces) => through(work.offer(lease, pieces)),
    end: (lease, ending, record) => through(work.end(lease, ending, record)),
    append: (id, records, finished) => Effect.tap(through(work.append(id, records, finished)), stopSometimes),
    rest: (lease, waiting) =>
      Effect.tap(through(work.rest(lease, waiting)), () => Effect.sync(() => void (world.rests += 1))),
    results: (lease, keys) => through(work.results(lease, keys)),
    answer: (id, question, answer) => through(work.answer(id, question, answer)),
    answers: (questions) => through(work.answers(questions))
  })
}

/** What happened in the world outside, and what was found out about it. */
interface World {
  readonly effects: Map<string, number>
  readonly doubts: Set<string>
  readonly results: Map<string, Set<string>>
  /** Tasks that ask a person before their call, until they are answered. */
  readonly asks: Set<string>
  /** How often a piece was let go because it did nothing but wait. */
  rests: number
}

/** Waits until a person has answered. */
const askFirst = Effect.fnUntraced(function* ({ activity, key }: HeldLease) {
  const work = yield* ClusterWork
  activity.questions.add(key)
  while ((yield* Effect.orDie(work.answers([{ runId, question: key }]))).length === 0) yield* Effect.sleep("1 second")
  activity.questions.delete(key)
})

/** A task makes one call that changes the world; a person who is asked about it in doubt answers truthfully. */
const call = Effect.fnUntraced(function* (worker: SimulatedWorker, world: World, lease: HeldLease) {
  const { key } = lease
  const journal = yield* Journal
  const known = yield* journal.saved("outcome", key)
  if (Option.isSome(known)) return String(known.value)
  if (world.asks.has(key)) yield* askFirst(lease)
  const doubt = yield* journal.uncertain(key)
  if (doubt !== undefined) world.doubts.add(key)
  if (doubt === undefined || !world.effects.has(key)) {
    const made = { uid: key, name: "send", arguments: {} }
    yield* journal.append({ type: "intent", key, call: made, task: key, effect: "once", targets: [], files: [] })
    yield* Effect.suspend(() => (worker.isDead ? Effect.never : Effect.void))
    world.effects.set(key, (world.effects.get(key) ?? 0) + 1)
    yield* Effect.sleep(yield* Random.nextIntBetween(1, 20_000))
    yield* alive(worker)
  }
  yield* journal.append({ type: "outcome", key, value: `done ${key}` })
  return `done ${key}`
})

/** Works as the given worker until its scope closes. */
const work = Effect.fnUntraced(function* (
  memory: MemoryWork,
  worker: SimulatedWorker,
  world: World,
  faults: Faults,
  tasks: ReadonlyArray<string>
) {
  const store = Layer.merge(
    Layer.succeed(ClusterWork)(faulty(memory, worker, faults, world)),
    Layer.mock(ClusterRuns)({
      known: (id, seq) =>
        Effect.andThen(
          alive(worker),
          Effect.sync(() => memory.known(id, seq))
        )
    })
  )
  const journal = layerClusterJournal({
    runId,
    secrets: makeSecrets((value) => value),
    broken: () => Effect.void
  })
  const context = yield* Layer.build(Layer.provideMerge(journal, store))
  const offer = yield* Effect.provideContext(makeOffers, context)

  const lead = Effect.gen(function* () {
    yield* (yield* Journal).append({ type: "resumed", program })
    const found = yield* Effect.forEach(tasks, (key) => offer({ key, kind: "refine", payload: "{}" }), {
      concurrency: "unbounded"
    })
    yield* (yield* Journal).append(ended("done"))
    return { _tag: "RunEnded", ending: JSON.stringify(found) } satisfies WorkEnd
  })
  const carryOut = (lease: HeldLease) =>
    Effect.gen(function* () {
      const { finish, flush, join } = yield* ClusterJournal
      yield* join(lease)
      const end: WorkEnd = lease.kind === "run" ? yield* lead : { _tag: "Finished" }
      yield* lease.kind === "run" ? flush : finish(lease, yield* call(worker, world, lease))
      return end
    }).pipe(Effect.scoped, Effect.provideContext(context))

  yield* runWorkLoop({
    worker: { name: worker.name, program },
    capacity: Effect.as(alive(worker), { run: 1, refine: 2, task: 2 }),
    carryOut,
    report: () => Effect.void
  }).pipe(Effect.provideContext(context), Effect.provideService(RestAfter, "10 seconds"), Effect.ignore)
}, Effect.scoped)

/** The run has to end within this time of the clock of the simulation, in seconds. */
const mostSeconds = 1200

/** Plays one seed; what is wrong with what happened, in words. */
export const simulate = (seed: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const memory = makeMemoryWork()
    const world: World = { effects: new Map(), doubts: new Set(), results: new Map(), asks: new Set(), rests: 0 }
    const scope = yield* Scope.make()
    const workers: Array<SimulatedWorker> = []
    const clock = yield* Clock.Clock
    const chance = (yield* Random.next) * 0.08
    const tasks = Array.from({ length: yield* Random.nextIntBetween(1, 6) }, (_, index) => `task-${index}`)
    for (const key of tasks) if ((yield* Random.next) < 0.2) world.asks.add(key)
    const unanswered = new Set(world.asks)
    memory.submit(runId, program)
    const join = Effect.suspend(() => {
      const worker = { name: `worker-${workers.length + 1}`, isDead: false, stoppedUntil: 0 }
      workers.push(worker)
      const working = Effect.provideService(
        work(memory, worker, world, { chance }, tasks),
        Clock.Clock,
        clockOf(clock, worker)
      )
      return Effect.forkIn(working, scope)
    })
    for (let left = yield* Random.nextIntBetween(1, 4); left > 0; left -= 1) yield* join
    const run = memory.runs.get(runId)
    let end: string | undefined
    let written = 0
    let second = 0
    for (; second < mostSeconds && end === undefined; second += 1) {
      yield* TestClock.adjust("1 second")
      for (const key of unanswered) {
        if ((yield* Random.next) > 0.02 && second < 200) continue
        yield* Effect.orDie(memory.work.answer(runId, key, "true"))
        unanswered.delete(key)
      }
      /* Faults stop after a while, so that what is stuck then is stuck for ever. */
      if (second < 120 && (yield* Random.next) < 0.06) {
        const victim = workers[yield* Random.nextIntBetween(0, workers.length)]
        const dice = yield* Random.next
        if (dice < 0.4) yield* join
        else if (victim !== undefined && dice < 0.6) {
          victim.isDead = true
          yield* join
        } else if (victim !== undefined) {
          victim.stoppedUntil = (yield* Clock.currentTimeMillis) + (yield* Random.nextIntBetween(1000, 60_000))
        }
      }
      end = run?.ending
      written = run?.records.length ?? 0
    }
    yield* TestClock.adjust("2 minutes")
    const wrong: Array<string> = []
    if (end === undefined) wrong.push(`the run has not ended after ${mostSeconds} seconds`)
    else {
      if (end !== JSON.stringify(tasks.map((key) => `done ${key}`))) wrong.push(`the run ended with ${end}`)
      if (run?.ending !== end) wrong.push("the run ended again")
      if (run?.records.length !== written) wrong.push("something was written after the end")
      if (run?.records.at(-1)?.event !== "run.finished") wrong.push("the end is not the last record")
      if (run?.records.filter(({ event }) => event === "run.finished").length !== 1) wrong.push("it has two ends")
    }
    const attempts = new Map<string, number>()
    for (const { lease } of run?.records ?? []) {
      if (lease.attempt < (attempts.get(lease.id) ?? 0))
        wrong.push(`a worker wrote for ${lease.id} after another had it`)
      attempts.set(lease.id, lease.attempt)
    }
    for (const [key, times] of world.effects) if (times > 1) wrong.push(`${key} happened ${times} times`)
    for (const key of end === undefined ? [] : tasks) {
      if (world.effects.get(key) === undefined) wrong.push(`${key} did not happen`)
    }
    for (const worker of workers) worker.isDead = true
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("1 minute")
    void closing
    return wrong.map((text) => `seed ${seed}: ${text}`)
  }).pipe(Random.withSeed(`cluster ${seed}`), Effect.provide(TestClock.layer()))
