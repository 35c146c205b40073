/**
 * The tasks of a cluster run as pieces of work. Here `TaskAgent` and `ChangeApplier` queue a piece that any worker may
 * claim, and wait for its result. A piece contains the user's answers so far, and its result contains new ones.
 */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type { DatabaseUnavailable } from "./DatabaseErrors.ts"
import { ClusterWork, CurrentLease, type Declined, type HeldLease, type WorkItem } from "./ClusterWork.ts"
import { NumberedPlace, Task, TaskFailure, TaskOutcome, type TaskPhase, TaskResult } from "../../kit/documents.ts"
import { hashOf, textHash } from "../../kit/files.ts"
import { Briefing } from "../../kit/models.ts"
import {
  type ApplyOrder,
  CallsDeclined,
  ChangeApplier,
  JoinedChanges,
  TaskAgent,
  type TaskOrder
} from "../../kit/program.ts"
import { compareCodePoints } from "../../kit/text.ts"
import { AnswerSnapshot, type ReadTexts, RunAnswers, SavedDenial, ToolRunner } from "../../kit/tools.ts"
import {
  type CallJudges,
  coverWhole,
  keepOutcome,
  knownOutcome,
  restoreAnswers,
  type Secrets,
  wholeOutcome,
  withoutSecrets
} from "./WithoutSecrets.ts"

/** This worker lacks something that the work needs. Another worker may have it. */
export class UnfitWorker extends Schema.TaggedError<UnfitWorker>()("UnfitWorker", {
  why: Schema.String,
  exitCode: Schema.Int
}) {
  override get message(): string {
    return this.why
  }
}

const remedy = "or start a worker that has it. Then start the run again."

/** Why no worker can do the work, and what the user can do. */
export const nobodyFits = (declined: Declined): string => {
  const all = Object.entries(declined)
  const [first] = all
  if (first !== undefined && all.length === 1) {
    return `${first[1]} No other worker is there. Give it what it lacks, ${remedy}`
  }
  const reasons = all.map(([worker, why]) => `${worker}: ${why}`).join(" ")
  return `No worker can do this. ${reasons} Give one of them what it lacks, ${remedy}`
}

/** What a piece contains in every phase of a task. */
const place = {
  briefing: Briefing,
  round: Schema.Int,
  step: Schema.Int,
  finished: Schema.Array(TaskResult),
  snapshot: AnswerSnapshot
}

/** What a result contains in every phase of a task. */
const back = {
  snapshot: AnswerSnapshot,
  /** Why the run must stop: the user stopped it because of an uncertain call, or nobody could answer. */
  stop: Schema.optionalKey(SavedDenial)
}

const WorkPayload = Schema.Struct({
  ...place,
  task: Task,
  goals: Schema.optionalKey(Schema.String),
  isItem: Schema.optionalKey(Schema.Boolean),
  places: Schema.optionalKey(Schema.Array(NumberedPlace)),
  joined: Schema.optionalKey(JoinedChanges)
})
const WorkAnswer = Schema.Struct({ outcome: Schema.Union([TaskOutcome, TaskFailure, CallsDeclined]), ...back })
const ApplyPayload = Schema.Struct({ ...place, outcome: TaskOutcome })
const Ran = Schema.Struct({ outcome: Schema.Union([TaskResult, TaskFailure]), ...back })

type Codec<A> = Schema.Codec<A, unknown>

const textOf = <A>(schema: Codec<A>, value: A, { redact }: Pick<Secrets, "redact">): Effect.Effect<string> =>
  Effect.flatMap(withoutSecrets(schema, value, redact), (safe) =>
    Effect.orDie(Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(schema)))(safe))
  )

const read = <A>(schema: Codec<A>, text: string): Effect.Effect<A> =>
  Effect.orDie(Schema.decodeEffect(Schema.fromJsonString(Schema.toCodecJson(schema)))(text))

/** The key of a piece. It depends on the task and on earlier results, but not on the order of these results. */
const workKey = (
  kind: WorkItem["kind"],
  { finished, round }: Pick<TaskOrder, "finished" | "round">,
  task: Task,
  { joined, places }: Pick<TaskOrder, "joined" | "places"> = {}
): string => {
  const results = finished.map(({ result, task: { slug } }): [string, string] => [slug, result.document])
  const sorted = results.toSorted(([a], [b]) => compareCodePoints(a, b))
  const parts = [kind, round, task.slug, hashOf(sorted)]
  const more = [joined, places].flatMap((part) => (part === undefined ? [] : [textHash(JSON.stringify(part))]))
  return [...parts, ...more].join("/")
}

/**
 * The pause between two reads of results, in milliseconds. It grows while no result arrives. Many waiting pieces make
 * it longer, up to `mostOfMany`.
 */
const resultPace = { least: 100, most: 600, mostOfMany: 1000 }

/** Queues pieces of runs and waits for their results. One statement reads the results of all waiting pieces. */
export const makeOffers = Effect.gen(function* () {
  const work = yield* ClusterWork
  const offered = yield* Queue.unbounded<{ readonly lease: HeldLease; readonly piece: WorkItem }>()
  const waiting = new Map<string, { readonly lease: HeldLease; readonly result: Deferred.Deferred<string> }>()
  const failed = yield* Deferred.make<never, DatabaseUnavailable>()
  let begun = yield* Deferred.make<void>()
  let pace = resultPace.least
  const forever = (one: Effect.Effect<void, DatabaseUnavailable>) =>
    Effect.forkScoped(Effect.catch(Effect.forever(one), (error) => Deferred.fail(failed, error)))

  const send = Effect.gen(function* () {
    const all = [yield* Queue.take(offered), ...(yield* Queue.clear(offered))]
    for (const [lease, pieces] of Map.groupBy(all, (one) => one.lease)) {
      const isHeld = yield* work.offer(
        lease,
        pieces.map(({ piece }) => piece)
      )
      if (!isHeld) yield* Deferred.succeed(lease.lost, undefined)
      /*
       * This worker looks immediately for pieces that apply changes. It waits before it takes another piece that calls
       * the model, so that other workers get some.
       */
      else if (pieces.some(({ piece }) => piece.kind === "task")) yield* lease.lookForWork
    }
    pace = resultPace.least
    yield* Effect.suspend(() => Deferred.succeed(begun, undefined))
  })
  yield* forever(send)

  const look = Effect.gen(function* () {
    if (waiting.size === 0) yield* Deferred.await(begun)
    begun = yield* Deferred.make<void>()
    const [first] = waiting.values()
    const found = first === undefined ? new Map() : yield* work.results(first.lease, [...waiting.keys()])
    const done = [...found].filter(([, result]) => result !== undefined)
    for (const [key, { lease }] of waiting) lease.activity.pieces.set(key, found.has(key))
    for (const [key, result] of done) {
      const waits = waiting.get(key)
      if (waits !== undefined) yield* Deferred.succeed(waits.result, result)
      waiting.delete(key)
      waits?.lease.activity.pieces.delete(key)
    }
    pace = done.length > 0 ? resultPace.least : Math.min(pace * 1.25, resultPace.most)
    /* If many pieces wait, results are read less often, because no single result is urgent. */
    const least = Math.min(waiting.size * resultPace.least, resultPace.mostOfMany)
    yield* Effect.sleep(Duration.millis(Math.max(pace, least)))
  })
  yield* forever(look)

  return Effect.fn("offerWork")(function* (piece: WorkItem) {
    const lease = yield* CurrentLease
    if (lease === undefined) return yield* Effect.never
    const result = waiting.get(piece.key)?.result ?? (yield* Deferred.make<string>())
    waiting.set(piece.key, { lease, result })
    lease.activity.pieces.set(piece.key, false)
    yield* Queue.offer(offered, { lease, piece })
    return yield* Effect.orDie(Effect.raceFirst(Deferred.await(result), Deferred.await(failed))).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          if (waiting.get(piece.key)?.lease !== lease) return
          waiting.delete(piece.key)
          lease.activity.pieces.delete(piece.key)
        })
      )
    )
  })
})

/** True if the task changes nothing. The task's report is then also its result. */
const hasNoEffects = ({ calls, files = [] }: TaskOutcome): boolean => calls.length + files.length === 0

export const layerClusterTasks = (
  runId: string,
  secrets: Secrets
): Layer.Layer<TaskAgent | ChangeApplier, never, ClusterWork | RunAnswers | ChangeApplier | ToolRunner> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const answers = yield* RunAnswers
      const here = yield* ChangeApplier
      const toolRunner = yield* ToolRunner
      const offer = yield* makeOffers

      /**
       * Queues a piece and waits for its result. Adds the answers that the result contains to the answers of the run.
       */
      const onWorker = Effect.fnUntraced(function* <
        A,
        B extends {
          readonly outcome: A | TaskFailure
          readonly snapshot: AnswerSnapshot
          readonly stop?: typeof SavedDenial.Type
        }
      >(piece: WorkItem, schema: Codec<B>): Effect.fn.Return<B["outcome"]> {
        const { outcome, snapshot, stop } = yield* read(schema, yield* offer(piece))
        yield* restoreAnswers(answers, snapshot, secrets)
        if (stop !== undefined) yield* toolRunner.stop(stop)
        return outcome
      })

      const work = Effect.fnUntraced(function* (order: TaskOrder) {
        const payload = yield* textOf(WorkPayload, { ...order, snapshot: yield* answers.snapshot }, secrets)
        const key = workKey("refine", order, order.task, order)
        const made = yield* onWorker({ key, kind: "refine", payload }, WorkAnswer)
        if (made instanceof CallsDeclined || made instanceof TaskFailure) return yield* made
        return yield* knownOutcome(secrets, { runId, round: order.round }, made)
      })
      const apply = Effect.fnUntraced(function* (order: ApplyOrder) {
        if (hasNoEffects(order.outcome)) return yield* here.apply(order)
        const payload = yield* textOf(ApplyPayload, { ...order, snapshot: yield* answers.snapshot }, secrets)
        const key = workKey("task", order, order.outcome.task)
        const made = yield* onWorker({ key, kind: "task", payload }, Ran)
        return made instanceof TaskFailure ? yield* made : made
      })
      return Context.make(ChangeApplier, { apply }).pipe(
        Context.add(TaskAgent, { work, firstAnswer: () => Effect.die("A cluster carries out whole tasks.") })
      )
    })
  )

/** What one worker uses to carry out tasks of a run. */
export interface TaskContext extends CallJudges {
  readonly readTexts: ReadTexts["Service"]
  readonly taskAgent: TaskAgent["Service"]
  readonly applier: ChangeApplier["Service"]
  readonly toolRunner: ToolRunner["Service"]
  /** What this worker lacks for a task with these tools, as a sentence. Undefined if it lacks nothing. */
  readonly lacks: (task: Task, tools: ReadonlyArray<string>) => string | undefined
  /** Fails when the journal can no longer be written. */
  readonly failed: Effect.Effect<never, { readonly message: string }>
}

/** A phase of a task, read from a claimed piece. */
export interface ClaimedTask {
  readonly task: Task
  readonly verb: "works on" | "changes files for"
  /** Carries out the phase with the services of this worker. */
  readonly carryOut: (context: TaskContext) => Effect.Effect<TaskEnd, UnfitWorker>
  /** The result to save if the phase fails for this reason. */
  readonly failedWith: (reason: string) => Effect.Effect<string>
}

/** The outcome of a phase, as a value and as JSON text. */
export interface TaskEnd {
  readonly outcome: unknown
  readonly result: string
}

/** Decodes a claimed piece of the kind `refine` or `task`. */
export const claimedTask = Effect.fn("claimedTask")(function* (
  runId: string,
  { kind, payload }: WorkItem,
  secrets: Secrets
): Effect.fn.Return<ClaimedTask> {
  const make = <A extends TaskResult | TaskOutcome | CallsDeclined, B>(
    {
      order: { briefing, finished },
      phase,
      snapshot,
      task,
      tools
    }: {
      readonly order: Pick<typeof WorkPayload.Type, "briefing" | "finished">
      readonly phase: TaskPhase
      readonly snapshot: AnswerSnapshot
      readonly task: Task
      readonly tools: ReadonlyArray<string>
    },
    schema: Codec<B>,
    work: (context: TaskContext) => Effect.Effect<A, TaskFailure>
  ): ClaimedTask => {
    const failure = (reason: string) => new TaskFailure({ task: task.name, phase, reason, skipped: false })
    const result = (value: {
      readonly outcome: A | TaskFailure
      readonly snapshot: AnswerSnapshot
      readonly stop?: typeof SavedDenial.Type
    }) => textOf(schema, value as B, secrets)
    return {
      task,
      verb: phase === "refinement" ? "works on" : "changes files for",
      failedWith: (reason) => result({ outcome: failure(reason), snapshot }),
      carryOut: Effect.fnUntraced(function* (context: TaskContext) {
        const why = context.lacks(task, tools)
        if (why !== undefined) return yield* new UnfitWorker({ why, exitCode: 1 })
        yield* restoreAnswers(context.answers, snapshot, secrets)
        /*
         * The results of earlier tasks may contain text from files that other workers read. Such text counts as read on
         * this worker too.
         */
        yield* context.readTexts.noteSaid(briefing.prompt)
        yield* Effect.forEach(finished, ({ result }) => context.readTexts.noteRead(result.document, "command"))
        const working: Effect.Effect<A | TaskFailure> = Effect.catchTag(work(context), "TaskFailure", (one) =>
          Effect.succeed(one)
        )
        const failed = Effect.catch(context.failed, ({ message }) => Effect.succeed(failure(message)))
        const outcome = yield* Effect.raceFirst(working, failed)
        const stop = yield* context.toolRunner.stopReason
        const known = { outcome, snapshot: yield* context.answers.snapshot }
        return { outcome, result: yield* result({ ...known, ...(stop === undefined ? {} : { stop }) }) }
      })
    }
  }
  if (kind === "refine") {
    const { snapshot, ...order } = yield* read(WorkPayload, payload)
    return make({ order, phase: "refinement", snapshot, task: order.task, tools: [] }, WorkAnswer, ({ taskAgent }) =>
      taskAgent.work(order).pipe(
        Effect.tap((made) => keepOutcome(secrets, { runId, round: order.round }, made)),
        Effect.catchTag("CallsDeclined", (declined) => Effect.succeed<TaskOutcome | CallsDeclined>(declined))
      )
    )
  }
  const { outcome: sent, snapshot, ...order } = yield* read(ApplyPayload, payload)
  const { calls, task } = sent
  const tools = calls.map(({ name }) => name)
  const declined = { task: task.name, phase: "execution", reason: "its calls were declined.", skipped: false } as const
  return make({ order, phase: "execution", snapshot, task, tools }, Ran, (context) =>
    Effect.gen(function* () {
      const again = Effect.catchTag(
        context.taskAgent.work({ ...order, task }),
        "CallsDeclined",
        () => new TaskFailure(declined)
      )
      const whole = yield* wholeOutcome(secrets, { runId, round: order.round }, sent, again)
      if (whole.calls !== calls) yield* coverWhole(context, task.name, calls, whole.calls, secrets.redact)
      return yield* context.applier.apply({ ...order, outcome: whole })
    })
  )
})
