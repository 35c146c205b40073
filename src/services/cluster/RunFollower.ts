/**
 * Follows a cluster run: publishes its events as they arrive, asks the person at this client for pending answers, and
 * sends the answers to the workers. A follower that starts late gets all events from the beginning.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { ClusterRun } from "../../domain/history/JournalRecord.ts"
import type { RecordedEvent, RunEvent } from "../../domain/runs/RunEvent.ts"
import { type Answered, Approver, type AnsweredBy } from "../approvals/Approver.ts"
import { ClusterRuns } from "./ClusterRuns.ts"
import {
  type AnswerStore,
  callAnswered,
  doubtAnswered,
  giveAnswer,
  isAnswered,
  stepAnswered
} from "../journal/DurableApprover.ts"
import { type JournalLine, readRecord } from "../journal/JournalLine.ts"

/** The run waits for an answer that nobody at this client can give. */
export class RunWaits extends Schema.TaggedError<RunWaits>()("RunWaits", {
  runId: Schema.String,
  /** The heading of the step, or the name of the task, that is asked about. */
  title: Schema.String
}) {
  override get message(): string {
    const { runId, title } = this
    return `The run ${runId} waits for an answer about "${title}", and nobody can be asked here. It continues when somebody answers. Answer from any machine: task-conductor attach ${runId}`
  }
}

type Question = RunEvent & { readonly type: "approval.requested" }

/** The interval at which new records are read. */
const pollInterval = "200 millis"

/** The schema of the answer to a question. */
const answerCodecs = { step: stepAnswered, call: callAnswered, doubt: doubtAnswered }

/**
 * True when the worker finds the answer itself: the step is approved with the run, or somebody answered before another
 * worker took the run over. Its event follows, so nobody is asked meanwhile.
 */
const isSettled = (
  { hash, items, scope }: Question,
  store: AnswerStore,
  run: Pick<ClusterRun, "approveSteps" | "yes"> | undefined
): Effect.Effect<boolean> => {
  const isYes = run?.yes === true
  const isApproved =
    (scope === "step" && (isYes || run?.approveSteps === true)) ||
    (scope === "call" && isYes && items.every(({ personOnly }) => personOnly !== true))
  return isApproved ? Effect.succeed(true) : isAnswered<unknown>(store, hash, answerCodecs[scope])
}

/** Asks at this client, and sends the answer to the workers unless nobody could be asked. */
const putQuestion = Effect.fnUntraced(function* (
  { hash, items, scope, title }: Question,
  store: AnswerStore
): Effect.fn.Return<AnsweredBy, never, Approver> {
  const approver = yield* Approver
  const give = <A>(ask: Effect.Effect<Answered<A>>, codec: Parameters<typeof giveAnswer<A>>[2]) =>
    Effect.flatMap(ask, (answered) =>
      Effect.as(answered.by === "nobody" ? Effect.void : giveAnswer(store, hash, codec, answered), answered.by)
    )
  const [item] = items
  if (scope === "step") return yield* give(approver.step(title, items, hash), stepAnswered)
  if (item === undefined) return "rule"
  return scope === "call"
    ? yield* give(approver.call(item, hash), callAnswered)
    : yield* give(approver.inDoubt(item, hash), doubtAnswered)
})

/** Follows a run until it ends; fails when it waits for an answer that nobody at this client can give. */
export const followRun = (
  runId: string,
  store: AnswerStore,
  listen: (recorded: RecordedEvent) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const runs = yield* ClusterRuns
    const withMutex = (yield* Semaphore.make(1)).withPermits(1)
    const context = yield* Effect.context<Approver>()
    const asked = yield* FiberMap.make<string>()
    const waits = yield* Deferred.make<never, RunWaits>()
    const open = new Map<string, Question>()
    let last: RecordedEvent | undefined

    /** A run that another worker takes over has several `run.finished` events: only the last one is published. */
    const take = Effect.fnUntraced(function* (line: JournalLine) {
      const record = readRecord(line)
      if (record?.type !== "event") return
      const { event } = record
      const recorded: RecordedEvent = { at: line.at, event }
      if (event.type === "run.finished") return void (last = recorded)
      if (event.type === "approval.requested") open.set(event.hash, event)
      if (event.type === "approval.answered") {
        open.delete(event.hash)
        yield* FiberMap.remove(asked, event.hash)
      }
      yield* listen(recorded)
    })

    /** Publishes all new records and returns the last sequence number. */
    const catchUp = Effect.fnUntraced(function* (from: number) {
      let seq = from
      for (;;) {
        const lines = yield* runs.after(runId, seq)
        if (lines.length === 0) return seq
        yield* Effect.forEach(lines, take, { discard: true })
        seq = lines.at(-1)?.seq ?? seq
      }
    })

    const ask = (question: Question) =>
      withMutex(putQuestion(question, store)).pipe(
        Effect.flatMap((by) =>
          by === "nobody" ? Deferred.fail(waits, new RunWaits({ runId, title: question.title })) : Effect.void
        ),
        Effect.provideContext(context)
      )

    const follow = Effect.gen(function* () {
      let seq = 0
      for (;;) {
        seq = yield* catchUp(seq)
        const standing = yield* runs.standing(runId)
        if (standing?.ending !== undefined) {
          yield* catchUp(seq)
          if (last !== undefined) yield* listen(last)
          return standing.ending
        }
        for (const [hash, question] of open) {
          open.delete(hash)
          if (yield* FiberMap.has(asked, hash)) continue
          if (yield* isSettled(question, store, standing?.run)) continue
          yield* FiberMap.run(asked, hash, ask(question))
        }
        yield* Effect.sleep(pollInterval)
      }
    })
    return yield* Effect.raceFirst(follow, Deferred.await(waits))
  }).pipe(Effect.scoped, Effect.annotateLogs("run", runId))
