/**
 * Removes secrets from everything that is written to the database. The worker that made a value with secrets keeps the
 * whole value in memory. A worker without the whole value repeats the work that made it.
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

/** Removes secrets from a value. */
export type Redact = (value: Schema.Json) => Schema.Json

export const fromJson = <A>(schema: Schema.Codec<A, unknown>, value: Schema.Json): Effect.Effect<A> =>
  Effect.orDie(Schema.decodeUnknownEffect(Schema.toCodecJson(schema))(value))

/** Removes secrets from a value. Returns the same object if it contains no secrets. */
export const withoutSecrets = <A>(schema: Schema.Codec<A, unknown>, value: A, redact: Redact): Effect.Effect<A> =>
  Effect.flatMap(asJson(schema, value), (json) => {
    const safe = redact(json)
    return isDeepStrictEqual(safe, json) ? Effect.succeed(value) : fromJson(schema, safe)
  })

/** The maximum number of original values with secrets that a worker keeps. The oldest are dropped. */
const mostValues = 1000

/** Removes the secrets from values, and remembers the original values by run and key. */
export type Secrets = ReturnType<typeof makeSecrets>

const nameOf = (runId: string, key: string): string => JSON.stringify([runId, key])

export const makeSecrets = (redact: Redact) => {
  const values = new Map<string, Schema.Json>()
  return {
    redact,
    whole: {
      /** Keeps a value if it contains secrets. */
      keep: (runId: string, key: string, value: Schema.Json): void => {
        const name = nameOf(runId, key)
        values.delete(name)
        if (isDeepStrictEqual(redact(value), value)) return
        values.set(name, value)
        const [oldest] = values.keys()
        if (values.size > mostValues && oldest !== undefined) values.delete(oldest)
      },
      /** The whole value, with the secrets that the saved value lacks. Undefined if this worker does not have it. */
      find: (runId: string, key: string, saved: Schema.Json) => {
        const value = values.get(nameOf(runId, key))
        return value !== undefined && isDeepStrictEqual(redact(value), saved) ? value : undefined
      }
    }
  }
}

interface OutcomePlace {
  readonly runId: string
  readonly round: number
}

const keyOf = (round: number, { task }: TaskOutcome): string => stageKey.worked(round, task.name)

export const keepOutcome = ({ whole }: Secrets, { round, runId }: OutcomePlace, outcome: TaskOutcome) =>
  Effect.map(asJson(TaskOutcome, outcome), (value) => whole.keep(runId, keyOf(round, outcome), value))

/** The whole outcome if this worker has it. Otherwise `sent`, which lacks the secrets. */
export const knownOutcome = Effect.fnUntraced(function* (
  { whole }: Secrets,
  { round, runId }: OutcomePlace,
  sent: TaskOutcome
) {
  const known = whole.find(runId, keyOf(round, sent), yield* asJson(TaskOutcome, sent))
  return known === undefined ? sent : yield* fromJson(TaskOutcome, known)
})

/** True if secrets were removed from the calls or inputs of an outcome. */
const lacksSecret = ({ calls, inputs }: TaskOutcome): boolean =>
  JSON.stringify([calls, inputs ?? []]).includes(redacted)

/**
 * The outcome with its secrets, which a worker needs for the calls of the task. If this worker lacks the secrets, it
 * works on the task again.
 */
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

/**
 * Adds the answers that came with a piece. This worker keeps the answers that it already has, because they may still
 * contain the secrets.
 */
export const restoreAnswers = Effect.fnUntraced(function* (
  answers: RunAnswers["Service"],
  sent: AnswerSnapshot,
  { redact }: Secrets
) {
  const local = yield* withoutSecrets(AnswerSnapshot, yield* answers.snapshot, redact)
  const { wishes = [], ...rest } = sent
  const news = without(wishes, local.wishes ?? [])
  yield* answers.restore({
    ...rest,
    denials: without(sent.denials, local.denials),
    ...(news.length === 0 ? {} : { wishes: news })
  })
})

/** The services that decide about tool calls. */
export interface CallJudges {
  readonly answers: RunAnswers["Service"]
  readonly registry: Pick<ToolRegistry["Service"], "prepare">
}

/**
 * Applies the user's answers to the calls with their secrets (`whole`). The user saw the same calls without secrets
 * (`sent`). If a call differs in more than secrets, the user is asked again.
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
    const sentCall = sent.find(({ uid }) => uid === call.uid)
    if (sentCall === undefined) continue
    if (!isDeepStrictEqual(redact(yield* asJson(codec, call)), yield* asJson(codec, sentCall))) continue
    const before = yield* questionAbout(sentCall)
    const now = yield* questionAbout(call)
    if (before === undefined || now === undefined) continue
    if (grants.excluded.includes(before.hash)) excluded.push(now.hash)
    else if (grants.approved.includes(before.hash) && isForUser(before) === isForUser(now)) approved.push(now.hash)
  }
  yield* answers.restore({ grants: { approved, excluded, session: {}, plans: {}, denied: {} }, denials: [] })
})
