/**
 * What the tables of the engine get: values without secrets. A value that is needed whole again, such as the calls of a task,
 * stays in the memory of the worker that made it; a worker that does not have it makes it again.
 */
import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type TaskFailure, TaskOutcome } from "../../kit/documents.ts"
import { asJson, stageKey } from "../../kit/runs.ts"
import { redacted } from "../../kit/text.ts"
import {
  AnswerSnapshot,
  type GateQuestion,
  isForUser,
  questionOfCall,
  type RunAnswers,
  ToolCall,
  type ToolRegistry
} from "../../kit/tools.ts"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"

/** Takes secrets out of a value before it is saved. */
export type Redact = (value: Schema.Json) => Schema.Json

export const fromJson = <A>(schema: Schema.Codec<A, unknown>, value: Schema.Json): Effect.Effect<A> =>
  Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(schema))(value))

/** The value without secrets; itself when it has none. */
export const withoutSecrets = <A>(schema: Schema.Codec<A, unknown>, value: A, redact: Redact): Effect.Effect<A> =>
  Effect.flatMap(asJson(schema, value), (json) => {
    const safe = redact(json)
    return isDeepStrictEqual(safe, json) ? Effect.succeed(value) : fromJson(schema, safe)
  })

/** How many values a worker keeps whole at most; those of earlier work go first. */
const mostValues = 1000

/** What a worker saves without secrets, and keeps whole by the run and a key within it. */
export type Secrets = ReturnType<typeof makeSecrets>

const nameOf = (runId: string, key: string): string => JSON.stringify([runId, key])

/** The secrets of this worker; it keeps none at first. */
export const makeSecrets = (redact: Redact) => {
  const values = new Map<string, Schema.Json>()
  return {
    redact,
    whole: {
      /** Keeps a value that is not saved whole. */
      keep: (runId: string, key: string, value: Schema.Json): void => {
        const name = nameOf(runId, key)
        values.delete(name)
        if (isDeepStrictEqual(redact(value), value)) return
        values.set(name, value)
        const [oldest] = values.keys()
        if (values.size > mostValues && oldest !== undefined) values.delete(oldest)
      },
      /** The whole value of what is saved under this key. */
      find: (runId: string, key: string, saved: Schema.Json) => {
        const value = values.get(nameOf(runId, key))
        return value !== undefined && isDeepStrictEqual(redact(value), saved) ? value : undefined
      }
    }
  }
}

/** Where an outcome belongs. */
interface OutcomePlace {
  readonly runId: string
  readonly round: number
}

const keyOf = (round: number, { task }: TaskOutcome): string => stageKey.worked(round, task.name)

/** Keeps an outcome whole at the worker that made it. */
export const keepOutcome = ({ whole }: Secrets, { round, runId }: OutcomePlace, outcome: TaskOutcome) =>
  Effect.map(asJson(TaskOutcome, outcome), (value) => whole.keep(runId, keyOf(round, outcome), value))

/** The outcome as this worker made it, or else as it was sent. */
export const knownOutcome = Effect.fnUntraced(function* (
  { whole }: Secrets,
  { round, runId }: OutcomePlace,
  sent: TaskOutcome
) {
  const known = whole.find(runId, keyOf(round, sent), yield* asJson(TaskOutcome, sent))
  return known === undefined ? sent : yield* fromJson(TaskOutcome, known)
})

/** True when a secret was taken out of what is carried out. */
const lacksSecret = ({ calls, inputs }: TaskOutcome): boolean =>
  JSON.stringify([calls, inputs ?? []]).includes(redacted)

/** The outcome as it is carried out: whole, or made again where it cannot be known. */
export const wholeOutcome = Effect.fnUntraced(function* (
  secrets: Secrets,
  place: OutcomePlace,
  sent: TaskOutcome,
  workAgain: Effect.Effect<TaskOutcome, TaskFailure>
) {
  const known = yield* knownOutcome(secrets, place, sent)
  if (known !== sent || !lacksSecret(sent)) return known
  const again = yield* workAgain
  yield* keepOutcome(secrets, place, again)
  return again
})

const without = <A>(all: ReadonlyArray<A>, known: ReadonlyArray<A>): ReadonlyArray<A> =>
  all.filter((one) => !known.some((other) => Equal.equals(one, other)))

/** Adds answers that were sent, except those that are known here, with their secrets. */
export const restoreAnswers = Effect.fnUntraced(function* (
  answers: RunAnswers["Service"],
  sent: AnswerSnapshot,
  { redact }: Secrets
) {
  const own = yield* withoutSecrets(AnswerSnapshot, yield* answers.snapshot, redact)
  const { wishes = [], ...rest } = sent
  const news = without(wishes, own.wishes ?? [])
  yield* answers.restore({
    ...rest,
    denials: without(sent.denials, own.denials),
    ...(news.length === 0 ? {} : { wishes: news })
  })
})

/** What decides about the calls of a task. */
export interface CallJudges {
  readonly answers: RunAnswers["Service"]
  readonly registry: Pick<ToolRegistry["Service"], "prepare">
}

/**
 * Extends what was answered about the calls as they were sent. A call that is not the same but for secrets is asked about.
 * `sent` are the calls as they were sent and approved, `whole` the same as they are made.
 */
export const coverWhole = Effect.fnUntraced(function* (
  { answers, registry }: CallJudges,
  task: string,
  sent: ReadonlyArray<ToolCall>,
  whole: ReadonlyArray<ToolCall>,
  redact: Redact
) {
  const { grants } = yield* answers.snapshot
  const codec = Schema.toCodecJson(ToolCall)
  const questionAbout = (call: ToolCall): Effect.Effect<GateQuestion | undefined> =>
    Effect.map(Effect.result(registry.prepare(call)), (prepared) =>
      Result.isSuccess(prepared) ? questionOfCall({ task, place: "" }, prepared.success) : undefined
    )
  const approved: Array<string> = []
  const excluded: Array<string> = []
  for (const call of whole) {
    const shown = sent.find(({ uid }) => uid === call.uid)
    if (shown === undefined) continue
    if (!isDeepStrictEqual(redact(yield* asJson(codec, call)), yield* asJson(codec, shown))) continue
    const asked = yield* questionAbout(shown)
    const made = yield* questionAbout(call)
    if (asked === undefined || made === undefined) continue
    if (grants.excluded.includes(asked.hash)) excluded.push(made.hash)
    else if (grants.approved.includes(asked.hash) && isForUser(asked) === isForUser(made)) approved.push(made.hash)
  }
  yield* answers.restore({ grants: { approved, excluded, session: {}, plans: {}, denied: {} }, denials: [] })
})
