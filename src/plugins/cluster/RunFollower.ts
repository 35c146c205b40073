/**
 * Follows a cluster run at a client: passes on all events from the beginning, asks the user open questions, and saves
 * the answers for the workers.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Schema from "effect/Schema"
import { answered as answerCodecs, type JournalLine, readRecord } from "../../kit/runs.ts"
import type { AnsweredBy } from "../../kit/tools.ts"
import { type Answered, Approver, modelCallKey, type RecordedEvent, type RunEvent } from "../../plugin-kit.ts"
import * as Semaphore from "effect/Semaphore"
import { ClusterRuns } from "./ClusterRuns.ts"
import type { DatabaseUnavailable } from "./DatabaseErrors.ts"
import { ClusterWork } from "./ClusterWork.ts"
import { RunWaits } from "./RunErrors.ts"
import { type Redact, withoutSecrets } from "./WithoutSecrets.ts"

export interface FollowOptions {
  /** The progress of the run's model calls. `version` is the version of the program that carries out the run. */
  readonly progress: (version: string) => Effect.Effect<ReadonlyArray<RecordedEvent>, DatabaseUnavailable>
  /** Removes secrets from the answers of the user. */
  readonly redact: Redact
}

/**
 * A question that a user can answer at this client. Questions of the model are left out, because workers continue
 * without answers to them.
 */
type Question = RunEvent & { readonly type: "approval.requested"; readonly scope: keyof typeof answerCodecs }

const isQuestion = (event: RunEvent): event is Question =>
  event.type === "approval.requested" && event.scope !== "question"

/** The pause between two reads of new events. */
const pace = "750 millis"

/**
 * True if this client need not ask: the user approved the calls in advance, or the answer is saved. The worker finds a
 * saved answer itself.
 */
const isAnswered = Effect.fnUntraced(function* (
  runId: string,
  { hash, items, scope }: Question
): Effect.fn.Return<boolean, DatabaseUnavailable, ClusterRuns | ClusterWork> {
  const run = (yield* (yield* ClusterRuns).standing(runId))?.run
  const isYes = run?.yes === true
  const isApproved =
    (scope === "step" && (isYes || run?.approveSteps === true)) ||
    (scope === "call" && isYes && items.every(({ personOnly }) => personOnly !== true))
  return isApproved || (yield* (yield* ClusterWork).answers([{ runId, question: hash }])).length > 0
})

/** Asks the user, and saves the answer. Saves nothing if nobody can be asked. */
const putQuestion = Effect.fnUntraced(function* (
  runId: string,
  { hash, items, scope, title }: Question,
  redact: Redact
): Effect.fn.Return<AnsweredBy, DatabaseUnavailable, Approver | ClusterWork> {
  const approver = yield* Approver
  const give = Effect.fnUntraced(function* <A>(
    ask: Effect.Effect<Answered<A>>,
    codec: Schema.Codec<Answered<A>, Schema.Json>
  ): Effect.fn.Return<AnsweredBy, DatabaseUnavailable, ClusterWork> {
    const reply = yield* ask
    if (reply.by === "nobody") return reply.by
    const safe = yield* withoutSecrets(codec, reply, redact)
    const text = yield* Effect.orDie(Schema.encodeEffect(Schema.fromJsonString(codec))(safe))
    yield* (yield* ClusterWork).answer(runId, hash, text)
    return reply.by
  })
  const [item] = items
  if (scope === "step") return yield* give(approver.step(title, items, hash), answerCodecs.step)
  if (item === undefined) return "rule"
  return scope === "call"
    ? yield* give(approver.call(item, hash), answerCodecs.call)
    : yield* give(approver.inDoubt(item, hash), answerCodecs.doubt)
})

/** The pause between reads of the progress of model calls, in milliseconds. */
const progressPace = 2000

/**
 * Follows a run until it ends. Fails with `RunWaits` if the run has a question and nobody can be asked at this client.
 */
export const followRun = (
  runId: string,
  listen: (recorded: RecordedEvent) => Effect.Effect<void>,
  { progress, redact }: FollowOptions = { progress: () => Effect.succeed([]), redact: (value) => value }
) =>
  Effect.gen(function* () {
    const runs = yield* ClusterRuns
    const withMutex = (yield* Semaphore.make(1)).withPermits(1)
    const context = yield* Effect.context<Approver | ClusterWork>()
    const openPrompts = yield* FiberMap.make<string>()
    const waits = yield* Deferred.make<never, RunWaits | DatabaseUnavailable>()
    const open = new Map<string, Question>()
    /* When each model call ended. Reports of workers are seconds late, and may show calls that have ended. */
    const endedAt = new Map<string, string>()
    const isOpen = ({ at, event }: RecordedEvent): boolean =>
      event.type === "model.progress" && at > (endedAt.get(modelCallKey(event.call)) ?? "")
    let last: RecordedEvent | undefined

    /** A run that was opened again has several `run.finished` events. Only the last is published. */
    const take = Effect.fnUntraced(function* (line: JournalLine) {
      const record = readRecord(line)
      if (record?.type !== "event") return
      const { event } = record
      const recorded: RecordedEvent = { at: line.at, event }
      if (event.type === "run.finished") return void (last = recorded)
      if (isQuestion(event)) open.set(event.hash, event)
      if (event.type === "approval.answered") {
        open.delete(event.hash)
        yield* FiberMap.remove(openPrompts, event.hash)
      }
      if (event.type === "model.finished" || event.type === "model.failed") {
        endedAt.set(modelCallKey(event.call), line.at)
      }
      yield* listen(recorded)
    })

    const ask = (question: Question) =>
      withMutex(putQuestion(runId, question, redact)).pipe(
        Effect.flatMap((by) =>
          by === "nobody" ? Deferred.fail(waits, new RunWaits({ runId, title: question.title })) : Effect.void
        ),
        Effect.catchTag("DatabaseUnavailable", (error) => Deferred.fail(waits, error)),
        Effect.provideContext(context)
      )

    const follow = Effect.gen(function* () {
      let seq = 0
      let progressAt = 0
      for (;;) {
        const { ending, events, isAll, isCancelled, version } = yield* runs.news(runId, seq)
        yield* Effect.forEach(events, take, { discard: true })
        seq = events.at(-1)?.seq ?? seq
        if (!isAll) continue
        if (ending !== undefined) {
          if (last !== undefined) yield* listen(last)
          return ending
        }
        const now = yield* Clock.currentTimeMillis
        if (now >= progressAt) {
          progressAt = now + progressPace
          yield* Effect.forEach((yield* progress(version)).filter(isOpen), listen, { discard: true })
        }
        /* A cancelled run ends within seconds, so its questions are not asked. */
        for (const [hash, question] of isCancelled ? [] : open) {
          open.delete(hash)
          if (yield* FiberMap.has(openPrompts, hash)) continue
          if (yield* isAnswered(runId, question)) continue
          yield* FiberMap.run(openPrompts, hash, ask(question))
        }
        yield* Effect.sleep(pace)
      }
    })
    return yield* Effect.raceFirst(follow, Deferred.await(waits))
  }).pipe(Effect.scoped, Effect.annotateLogs("run", runId))
