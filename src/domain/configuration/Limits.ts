/** The limits that a user can change with `limits` in task-conductor.json. */
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { leastMemoryMegabytes, usualCommandLimits } from "../commands/CommandLimits.ts"
import { commandSeconds } from "../commands/CommandSettings.ts"
import { generatingStages, type GeneratingStage } from "../models/Generation.ts"

/**
 * The longest time limit in seconds. Node timers count milliseconds in 31 bits: a longer time limit would end at once.
 */
const mostSeconds = 2_000_000

const limit = (value: number, description: string, { maximum = 1_000_000_000, minimum = 1 } = {}) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
    .annotate({ description: `${description} Default: ${value}.` })
    .pipe(Schema.withDecodingDefaultTypeKey(Effect.succeed(value)))

const seconds = (value: number, description: string, { maximum = mostSeconds, minimum = 1 } = {}) =>
  limit(value, description, { maximum, minimum })

/** Limits of model calls and attempts. They can also be set for a single stage. */
const stageFields = {
  attempts: limit(5, "How many attempts a stage may make to get a valid answer from the model."),
  thinkingTokens: limit(
    4096,
    "How many tokens a model may think before its answer. It may use less when the context window has no room for more."
  ),
  connectSeconds: seconds(15, "How many seconds connecting to the model server may take."),
  firstWordSeconds: seconds(
    300,
    "How many seconds the model server may be silent before the first word of an answer, while it loads the model and reads the prompt. Time in which it answers other calls of the run does not count."
  ),
  nextWordSeconds: seconds(120, "How many seconds the model server may be silent in the middle of an answer."),
  callSeconds: seconds(1800, "How many seconds one call of the model may take as a whole."),
  busyRetries: limit(
    3,
    "How often a call is sent again to a server that has an error or too much to do; the waits between double, from 1 second.",
    { minimum: 0, maximum: 20 }
  ),
  unreachableRetries: limit(
    2,
    "How often a call is sent again to a server that cannot be reached, unless the run waits for the server. The waits double, from 0.25 seconds.",
    { minimum: 0, maximum: 20 }
  ),
  brokenRetries: limit(
    1,
    "How often a call is sent again when its answer broke off, or when `firstWordSeconds` or `nextWordSeconds` ended it.",
    { minimum: 0, maximum: 20 }
  )
}

/** The limits of a stage. If a limit is absent, the limit of the run applies. */
const StageLimits = Schema.toEncoded(Schema.Struct(stageFields))
export type StageLimits = typeof StageLimits.Type

const ToolLimits = Schema.Struct({
  seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostSeconds })).annotate({
      description: "How many seconds one call of this tool may take. Default: `limits.toolSeconds`."
    })
  ),
  outputBytes: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })).annotate({
      description: "The largest output of one call of this tool, in bytes. Default: `limits.toolOutputBytes`."
    })
  )
})
export type ToolLimits = typeof ToolLimits.Type

const stage = Schema.optionalKey(StageLimits)

/** All limits of a run; docs/reference/limits.md lists them with their units. */
export const Limits = Schema.Struct({
  ...stageFields,
  rounds: limit(5, "How many rounds (tasks, then iteration) a run may take."),
  turns: limit(
    12,
    "How many turns a task may take: a turn is one answer of the model and the reply to it. A task gets two more for each file that it changes beyond the third, up to 40 in all.",
    { minimum: 2, maximum: 100 }
  ),
  items: limit(200, "How many items a task for each item may have before the run asks whether to go on with all."),
  toolCallsPerIteration: limit(
    15,
    "How many tool calls one turn of a task, or one iteration of `ask`, may make. Changes in the text of an answer do not count."
  ),
  iterationsPerMessage: limit(25, "How many iterations `ask` may take for one message."),
  currentFileLines: limit(200, "How many lines of the current file are included in the planning prompt."),
  readFileBytes: limit(10_485_760, "The largest file that is read, in bytes; one call returns at most 256 KiB of it."),
  identicalCalls: limit(
    3,
    "The number of identical calls without a new result at which a task fails or `ask` stops calling tools."
  ),
  serverWaitSeconds: seconds(
    300,
    "How many seconds a run waits for a model server that stopped or has too much to do; 0 does not wait.",
    { minimum: 0 }
  ),
  toolSeconds: seconds(120, "How many seconds one call of a tool may take; commands have `commandSeconds`."),
  toolOutputBytes: limit(262_144, "The largest output of one call of a tool, in bytes."),
  toolFileBytes: limit(10_485_760, "The largest image or file that a call of a tool gives, in bytes."),
  commandSeconds: seconds(
    commandSeconds.usual,
    `How many seconds a command may run whose call or declaration does not say it; at most ${commandSeconds.most}.`,
    { maximum: commandSeconds.most }
  ),
  checkSeconds: seconds(
    600,
    `How many seconds a check of the host may run, such as the tests of the project; at most ${commandSeconds.most}.`,
    { maximum: commandSeconds.most }
  ),
  commandMemoryMegabytes: limit(
    usualCommandLimits.commandMemoryMegabytes,
    `How much memory a command may use with all that it starts and what it writes to temporary folders of the sandbox, in megabytes; 0 is half of the machine's, at least ${leastMemoryMegabytes}.`,
    { minimum: 0 }
  ),
  commandProcesses: limit(
    usualCommandLimits.commandProcesses,
    "How many processes and threads a command may have at once.",
    { minimum: 16 }
  ),
  commandFileMegabytes: limit(
    usualCommandLimits.commandFileMegabytes,
    "The largest file that a command may write, in megabytes."
  ),
  fetchSeconds: seconds(20, "How many seconds fetching a page of the web may take, with all its redirects."),
  stages: Schema.optionalKey(
    Schema.Struct({ plan: stage, task: stage, iterate: stage, conclude: stage, ask: stage }).annotate({
      description: `Limits of single stages: \`${generatingStages.join("`, `")}\`. Each may have \`${Object.keys(stageFields).join("`, `")}\`.`
    })
  ),
  tools: Schema.optionalKey(
    Schema.Record(Schema.String, ToolLimits).annotate({
      description: "Limits of single tools, by the name of the tool: `seconds` and `outputBytes`."
    })
  )
})
export type Limits = typeof Limits.Type

/** Limits as a user writes them; all are optional. */
export const GivenLimits = Schema.toEncoded(Limits)
export type GivenLimits = typeof GivenLimits.Type

/** The limits of a run without settings. */
export const defaultLimits: Limits = Schema.decodeSync(Limits)({})

/** The limits that can be set for a stage. */
export const stageLimitNames = Object.keys(stageFields) as ReadonlyArray<keyof StageLimits>

/** The keys of the entries below `limits.tools`. */
export const toolLimitNames = Object.keys(ToolLimits.fields) as ReadonlyArray<keyof ToolLimits>

/** The limits of a stage, whose values override the run's. */
export const limitsOf = (limits: Limits, stage: GeneratingStage): Limits => {
  const own = limits.stages?.[stage]
  return own === undefined ? limits : { ...limits, ...own }
}

/** The entries of both records. Entries with the same name are merged, and fields of `overrides` win. */
const mergeEntries = <A extends object>(
  base: Readonly<Record<string, A>> = {},
  overrides: Readonly<Record<string, A>> = {}
): Readonly<Record<string, A>> => Record.union(base, overrides, (one, other) => ({ ...one, ...other }))

/** Merges two settings of limits key by key, including stages and tools; `overrides` wins. */
export const mergeLimits = (base: GivenLimits = {}, overrides: GivenLimits = {}): GivenLimits => ({
  ...base,
  ...overrides,
  ...(base.stages && overrides.stages ? { stages: mergeEntries(base.stages, overrides.stages) } : {}),
  ...(base.tools && overrides.tools ? { tools: mergeEntries(base.tools, overrides.tools) } : {})
})
