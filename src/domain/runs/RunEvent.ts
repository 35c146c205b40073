/**
 * The events of a run, for the terminal, the lines of `--json`, and the stream of the library. Readers must ignore
 * unknown types.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { CheckStatus, TriedCheck } from "../checks/CheckOutcome.ts"
import { RanTests } from "../checks/RanTests.ts"
import { TaskInputs } from "../documents/TaskOutcome.ts"
import { Issue, Repair } from "../findings/Issue.ts"
import { Usage } from "../models/ModelAnswer.ts"
import { ApprovalItem } from "../permissions/ApprovalItem.ts"
import { ItemResult } from "../plan/ForEach.ts"
import { TaskList } from "../plan/TaskList.ts"
import { TaskFailure, TaskResult } from "../plan/TaskResult.ts"
import { Risk } from "../tools/Access.ts"
import { ToolProgress } from "../tools/ToolProgress.ts"
import { ModelCallId, Stage, ToolCallId } from "./ActivityKey.ts"
import { AskReport, RunReport } from "./RunReport.ts"
import { ToolCall, ToolResult } from "../tools/ToolCall.ts"
import { AnsweredBy, UncertainAnswer, WordsAnswer } from "../permissions/Answer.ts"

/**
 * Versions of the JSON Lines stream. A changed field needs a new version. Since version 2, names are in `snake_case`.
 */
const runEventVersions = [1, 2] as const

const event = <const Type extends string, Fields extends Schema.Struct.Fields>(type: Type, fields: Fields) =>
  Schema.Struct({ type: Schema.tag(type), ...fields })

const stepFields = { round: Schema.Int, step: Schema.Int, title: Schema.String }
const taskFields = { round: Schema.Int, step: Schema.Int, task: Schema.String }
const checkFields = { task: Schema.optionalKey(Schema.String), round: Schema.Int, command: Schema.String }

const scope = Schema.Literals(["step", "call", "doubt", "question"])
const stepAnswers = ["step", "repairs", "remaining", "chosen", "decline"] as const
const callAnswers = ["once", "session", "remember", "deny"] as const

/**
 * The references whose content a task receives. `hash` is the SHA-256 of the text in hex, and `tokens` an estimate. If
 * the prompt contains only a part of the text, `shown` is the number of characters in this part.
 */
export const ReadReferences = Schema.Array(
  Schema.Struct({
    href: Schema.String,
    title: Schema.String,
    characters: Schema.Int,
    shown: Schema.optionalKey(Schema.Int),
    tokens: Schema.Int,
    hash: Schema.String
  })
)

/**
 * What a model call waits for. `turn`: the server is answering other calls of the run. `writing`: the answer is
 * arriving.
 */
export const WaitedFor = Schema.Literals(["connecting", "turn", "first_word", "next_word", "writing"])
export type WaitedFor = typeof WaitedFor.Type

/**
 * The phase of a model call. `queued`: waiting for a slot of the run. `turn`: waiting at the server.
 * `loading_or_reading`: the server does not say whether it loads the model or reads the prompt.
 */
export const CallPhase = Schema.Literals([
  "queued",
  "connecting",
  "turn",
  "loading",
  "loading_or_reading",
  "reading",
  "thinking",
  "writing"
])
export type CallPhase = typeof CallPhase.Type

/**
 * The progress of a model call, about once a second from the first second on. `seconds` is the time in this phase.
 * `tokens` estimates the tokens written so far. Not saved with the run.
 */
export const ModelProgress = event("model.progress", {
  call: ModelCallId,
  phase: CallPhase,
  model: Schema.optionalKey(Schema.String),
  seconds: Schema.Int,
  tokens: Schema.optionalKey(Schema.Int),
  tokensPerSecond: Schema.optionalKey(Schema.Finite)
})

/** A task has made its last turn. Its `calls` still need approval and execution. */
const workedFields = { ...taskFields, inputs: TaskInputs, calls: Schema.Array(ToolCall) }
const TaskWorked = event("task.worked", workedFields)

/** All events of runs and conversations. */
export const RunEvent = Schema.Union([
  event("run.started", {
    version: Schema.Literals(runEventVersions),
    runId: Schema.String,
    project: Schema.String,
    model: Schema.String,
    /** For each stage with a model of its own, the name of this model. */
    stageModels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    prompt: Schema.String
  }),
  /** A stage starts. `task` is absent for stages of the whole run. */
  event("stage.started", {
    stage: Stage,
    round: Schema.Int,
    task: Schema.optionalKey(Schema.String)
  }),
  /**
   * A prompt was sent. `model` is absent for the model of the run. If the prompt is sent again, `retry` counts from 1,
   * and `after` says why.
   */
  event("model.started", {
    call: ModelCallId,
    model: Schema.optionalKey(Schema.String),
    estimatedTokens: Schema.Int,
    retry: Schema.optionalKey(Schema.Int),
    after: Schema.optionalKey(Schema.String)
  }),
  /** A model call has waited or worked for `seconds`. At `endsAtSeconds`, the time limit of the phase ends the call. */
  event("model.waiting", {
    call: ModelCallId,
    phase: WaitedFor,
    seconds: Schema.Int,
    endsAtSeconds: Schema.Int,
    characters: Schema.optionalKey(Schema.Int)
  }),
  ModelProgress,
  /** A part of the answer while the model writes it, not checked yet. Not saved with the run. */
  event("answer.piece", { call: ModelCallId, text: Schema.String }),
  /** The model thinks before its answer, or has begun to write. A model without thinking has no phases. */
  event("model.phase", { call: ModelCallId, phase: Schema.Literals(["thinking", "writing"]) }),
  event("model.finished", { call: ModelCallId, usage: Usage }),
  /**
   * A model call failed. `willRetry` is true if the prompt is sent again. `what` is the cause in a few words. `retry`
   * is the number of the next attempt, and `retries` its maximum. Both fields are absent if the run waits for the
   * server.
   */
  event("model.failed", {
    call: ModelCallId,
    reason: Schema.String,
    message: Schema.String,
    willRetry: Schema.Boolean,
    what: Schema.optionalKey(Schema.String),
    retry: Schema.optionalKey(Schema.Int),
    retries: Schema.optionalKey(Schema.Int)
  }),
  /** The model server is gone or overloaded. Calls wait for `secondsLeft` more seconds. */
  event("server.waiting", { reason: Schema.String, message: Schema.String, secondsLeft: Schema.Int }),
  /** The model server answers again. */
  event("server.back", { waitedSeconds: Schema.Int }),
  /**
   * An answer was unusable. The next prompt lists its issues. `answer` is the raw text. The stage may make
   * `mostAttempts` attempts.
   */
  event("answer.rejected", {
    call: ModelCallId,
    answer: Schema.String,
    issues: Schema.Array(Issue),
    mostAttempts: Schema.optionalKey(Schema.Int)
  }),
  /** An answer was read after harmless repairs. */
  event("answer.repaired", { call: ModelCallId, repairs: Schema.Array(Repair) }),
  /**
   * The run has a plan. `repairs` lists the repairs of a plan that the user wrote. For a plan of the model,
   * `answer.repaired` lists the repairs.
   */
  event("plan.created", {
    attempts: Schema.Int,
    taskList: TaskList,
    markdown: Schema.String,
    repairs: Schema.optionalKey(Schema.Array(Repair))
  }),
  /** A new plan replaced the outstanding tasks. An empty list means that the goals are met. */
  event("plan.revised", { round: Schema.Int, attempts: Schema.Int, taskList: TaskList }),
  event("round.started", { round: Schema.Int }),
  event("round.finished", { round: Schema.Int, finished: Schema.Int, failed: Schema.Int }),
  event("step.started", stepFields),
  event("step.finished", stepFields),
  /**
   * An answer of a task, with the `calls` that it requests and the files that it `changed`, relative to the project.
   * `turn` counts from 1.
   */
  event("task.turn", {
    ...taskFields,
    turn: Schema.Int,
    calls: Schema.Array(ToolCall),
    changed: Schema.Array(Schema.String)
  }),
  /**
   * An item of a task that works item by item has ended. `number` is the number of the item, and `of` is the number of
   * all items.
   */
  event("task.item", { ...taskFields, number: Schema.Int, of: Schema.Int, ...ItemResult.fields }),
  TaskWorked,
  /** The task had finished before the run was resumed, and its result is reused. */
  event("task.kept", taskFields),
  event("references.read", { task: Schema.String, references: ReadReferences }),
  event("task.started", taskFields),
  event("task.finished", { ...taskFields, result: TaskResult }),
  event("task.failed", { ...taskFields, failure: TaskFailure }),
  /** A tool runs. `targets` are its canonical accesses. */
  event("tool.started", { id: ToolCallId, call: ToolCall, risk: Risk, targets: Schema.Array(Schema.String) }),
  /** A tool has run for `seconds`. Its time limit, if known, ends it at `endsAtSeconds`. */
  event("tool.running", {
    id: ToolCallId,
    name: Schema.String,
    seconds: Schema.Int,
    endsAtSeconds: Schema.optionalKey(Schema.Int)
  }),
  /** The progress of a call as its tool reports it, at most once a second. */
  event("tool.progress", { id: ToolCallId, name: Schema.String, ...ToolProgress.fields }),
  event("tool.finished", { id: ToolCallId, name: Schema.String, result: ToolResult }),
  /** The program runs a check. `task` is absent for a check of the whole run. */
  event("check.started", checkFields),
  /** A check has run for `seconds`. Its time limit ends it at `endsAtSeconds`. */
  event("check.running", { ...checkFields, seconds: Schema.Int, endsAtSeconds: Schema.Int }),
  /** How a check ended on the unchanged project, during planning. */
  event("check.tried", TriedCheck.fields),
  /**
   * A check has ended. `newFailures` are failures that do not occur without the changes. `text` is what the model
   * reads.
   */
  event("check.finished", {
    ...checkFields,
    status: Schema.optionalKey(CheckStatus),
    exitCode: Schema.NullOr(Schema.Int),
    seconds: Schema.Finite,
    newFailures: Schema.Array(Schema.String),
    /** The tests that ran. Absent if the output counts no tests. */
    ran: Schema.optionalKey(RanTests),
    text: Schema.String
  }),
  /**
   * A question to the user. An answer is valid only for calls with this `hash`. The values of `scope`:
   * - `step`: a step.
   * - `call`: one call or reference.
   * - `doubt`: an uncertain call. It began before the run was interrupted, and its outcome is unknown.
   * - `question`: a question of the model. `title` is the text of the question.
   *
   * The answer `repairs` also covers later changes of the same files by the same task. For such a change, the
   * events contain an answer but no question.
   */
  event("approval.requested", { scope, title: Schema.String, hash: Schema.String, items: Schema.Array(ApprovalItem) }),
  event("approval.answered", {
    scope,
    hash: Schema.String,
    answer: Schema.Literals([...stepAnswers, ...callAnswers, ...UncertainAnswer.literals, ...WordsAnswer.literals]),
    /** With `chosen`: the numbers of the allowed items, from 1. All other items are denied. */
    chosen: Schema.optionalKey(Schema.Array(Schema.Int)),
    /** With a negative answer: the change that the user wants instead, in their words. */
    instead: Schema.optionalKey(Schema.String),
    /** With `said`: the user's words. */
    text: Schema.optionalKey(Schema.String),
    /** With a positive answer: the offered rules that the user chose for this project. */
    always: Schema.optionalKey(Schema.Array(Schema.String)),
    /** Who answered: `person`, `rule` (also for a flag), or `nobody` if nobody could be asked. */
    by: AnsweredBy
  }),
  /** A message to the user. `code` is the code of a rule or, in a saved run, `files-changed` or `journal-unproven`. */
  event("message", {
    level: Schema.Literals(["info", "warning", "error"]),
    text: Schema.String,
    code: Schema.optionalKey(Schema.String)
  }),
  /** Work on a message of a conversation begins. `message` counts from 1. */
  event("ask.started", { message: Schema.Int, text: Schema.String }),
  /** A message was answered, or could not be answered. */
  event("ask.finished", { report: AskReport }),
  /** The last event: the outcome with its usage. */
  event("run.finished", { exitCode: Schema.Int, report: RunReport })
])
export type RunEvent = typeof RunEvent.Type

/** The event of this type: `EventOf<"task.finished">`. */
export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { readonly type: T }>

/** Reads the event `task.refined` of older runs, which is now called `task.worked`. */
const TaskRefined = Schema.Struct({ type: Schema.Literal("task.refined"), ...workedFields }).pipe(
  Schema.decodeTo(
    Schema.toType(TaskWorked),
    SchemaTransformation.transform({
      decode: (saved) => ({ ...saved, type: "task.worked" as const }),
      encode: (worked) => ({ ...worked, type: "task.refined" as const })
    })
  )
)

/** An event as a run saved it. Older runs saved some events under another name. */
export const SavedEvent = Schema.Union([RunEvent, TaskRefined])

/** An event with the time at which it was emitted. */
export const RecordedEvent = Schema.Struct({
  /** ISO 8601. */
  at: Schema.String,
  /** The event, under the name that this version uses. */
  event: SavedEvent
})
export type RecordedEvent = typeof RecordedEvent.Type

/**
 * One line of `--json` as plain JSON. `type` is the first field and `at` (ISO 8601) the second. The fields of the event
 * follow.
 */
export type FlatEvent = typeof RunEvent.Encoded & { readonly at: string }

const encode = Schema.encodeSync(RunEvent)

/** The event with its time, in the flat form of `--json`. */
export const flattenEvent = (recorded: RecordedEvent): FlatEvent => {
  const { type, ...fields } = encode(recorded.event)
  return { type, at: recorded.at, ...fields } as FlatEvent
}

/**
 * The lines of `--json` for an event. Until the next version, a renamed event also appears under its earlier name,
 * marked as deprecated.
 */
export const jsonEvents = (recorded: RecordedEvent): ReadonlyArray<object> => {
  const event = flattenEvent(recorded)
  return event.type === "task.worked" ? [event, { ...event, type: "task.refined", deprecated: event.type }] : [event]
}

/** An active call emits an event at least this often, in milliseconds. */
export const heartbeatEvery = 10_000

/** How often a model call reports its progress, in milliseconds. */
export const progressEvery = 1000

/** How often the unfinished answer is reported, in milliseconds. */
export const pieceEvery = 200

const heartbeats = [
  "model.waiting",
  "model.progress",
  "answer.piece",
  "tool.running",
  "tool.progress",
  "check.running"
] as const

const heartbeatTypes: ReadonlySet<string> = new Set(heartbeats)

export const isHeartbeat = (event: RunEvent): event is EventOf<(typeof heartbeats)[number]> =>
  heartbeatTypes.has(event.type)

/** True for events that arrive at least every second. They describe only a moment, so they are useless later. */
export const isTransient = ({ type }: RunEvent): boolean => type === "model.progress" || type === "answer.piece"
