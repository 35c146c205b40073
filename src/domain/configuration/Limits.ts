/**
 * The limits that a person can change: `limits` in task-conductor.json.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

const limit = (value: number, description: string, minimum = 1) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum: 1_000_000_000 }))
    .annotate({ description: `${description} Default: ${value}.` })
    .pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(value)))

export const Limits = Schema.Struct({
  attempts: limit(5, "How many attempts a stage may make to get a valid answer from the model."),
  rounds: limit(5, "How many rounds (refine, run, iterate) a run may take."),
  toolCallsPerIteration: limit(15, "How many tool calls one iteration of `ask` may make."),
  iterationsPerMessage: limit(10, "How many iterations `ask` may take for one message."),
  currentFileLines: limit(200, "How many lines of the current file are included in the planning prompt."),
  readFileBytes: limit(10_485_760, "The largest file that is read, in bytes; one call returns at most 256 KiB of it."),
  refinementPreviewLines: limit(
    20,
    "How many lines, of 100 characters, of a long result a refinement sees that changes nothing."
  ),
  identicalCalls: limit(
    3,
    "The number of identical calls without a new result at which a refinement is rejected or `ask` stops calling tools."
  ),
  thinkingTokens: limit(
    4096,
    "How many tokens a model may think before its answer. It may use less when the context window has no room for more."
  ),
  serverWaitSeconds: limit(
    300,
    "How many seconds a run waits for a model server that stopped or has too much to do; 0 does not wait.",
    0
  )
})
export type Limits = typeof Limits.Type

/** Limits as a person writes them; all are optional. */
export const GivenLimits = Schema.toEncoded(Limits)
export type GivenLimits = typeof GivenLimits.Type

export const defaultLimits: Limits = Schema.decodeSync(Limits)({})
