/**
 * The events of a run: the progress on the terminal, the lines of `--json` and the stream of the library. Readers must
 * ignore unknown types.
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

/** Versions of the JSON Lines stream; it grows when a field changes. Since 2 its names are in `snake_case`. */
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
 * The references whose content a task gets; `hash` is the SHA-256 of the text in hex, `tokens` an estimate. `shown` is how
 * many characters fitted, when that was not the whole.
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
 * What a model call waits for: the connection; the server, while it answers other calls of the run; the first word; the next
 * word. `writing` is a call whose answer comes.
 */
export const WaitedFor = Schema.Literals(["connecting", "turn", "first_word", "next_word", "writing"])
export type WaitedFor = typeof WaitedFor.Type

/**
 * Where a model call is: waiting for a slot of the run, connecting, waiting for its turn at the server, while the model is
 * loaded, while its prompt is read, or, where it cannot be known which of both, `loading_or_reading`; then its answer.
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
 * How far a call is, about once a second after its first second: for how many seconds it is in this phase, and of what it
 * writes about how many tokens there are. It is not saved with the run.
 */
export const ModelProgress = event("model.progress", {
  call: ModelCallId,
  phase: CallPhase,
  model: Schema.optionalKey(Schema.String),
  seconds: Schema.Int,
  tokens: Schema.optionalKey(Schema.Int),
  tokensPerSecond: Schema.optionalKey(Schema.Finite)
})

/** A task has ended its turns; `calls` are what is to be approved and made. */
const workedFields = { ...taskFields, inputs: TaskInputs, calls: Schema.Array(ToolCall) }
const TaskWorked = event("task.worked", workedFields)

/** All events of runs and conversations. */
export const RunEvent = Schema.Union([
  event("run.started", {
    version: Schema.Literals(runEventVersions),
    runId: Schema.String,
    project: Schema.String,
    model: Schema.String,
    /** The models of stages that have one of their own, by the names of the stages. */
    stageModels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
    prompt: Schema.String
  }),
  /** A stage starts; `task` is absent for stages of the whole list. */
  event("stage.started", {
    stage: Stage,
    round: Schema.Int,
    task: Schema.optionalKey(Schema.String)
  }),
  /**
   * A prompt was sent. `model` is the one that the skill of the task or the stage has; absent for the model of the run. `retry` counts
   * from 1 when the prompt is sent again, and `after` says what happened before.
   */
  event("model.started", {
    call: ModelCallId,
    model: Schema.optionalKey(Schema.String),
    estimatedTokens: Schema.Int,
    retry: Schema.optionalKey(Schema.Int),
    after: Schema.optionalKey(Schema.String)
  }),
  /** The call waits or goes on, for so many seconds; the limit of this phase ends it at `endsAtSeconds`. */
  event("model.waiting", {
    call: ModelCallId,
    phase: WaitedFor,
    seconds: Schema.Int,
    endsAtSeconds: Schema.Int,
    characters: Schema.optionalKey(Schema.Int)
  }),
  ModelProgress,
  /** A piece of the answer of the run while it is written; it is checked when it is whole. It is not saved with the run. */
  event("answer.piece", { call: ModelCallId, text: Schema.String }),
  /** The model thinks before its answer, or has begun to write it. A model that does not think has no phases. */
  event("model.phase", { call: ModelCallId, phase: Schema.Literals(["thinking", "writing"]) }),
  event("model.finished", { call: ModelCallId, usage: Usage }),
  /**
   * A model call failed; `willRetry` says whether it is sent again. `what` is the cause in a few words; `retry` of `retries`
   * is the one that follows, absent when the calls of the run wait for the server.
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
  /** The model server is gone or has too much to do: the calls of the run wait for so many more seconds. */
  event("server.waiting", { reason: Schema.String, message: Schema.String, secondsLeft: Schema.Int }),
  /** The model server answers again. */
  event("server.back", { waitedSeconds: Schema.Int }),
  /**
   * An answer could not be used: its issues go into the next attempt. `answer` is the raw text; the stage may
   * make `mostAttempts`.
   */
  event("answer.rejected", {
    call: ModelCallId,
    answer: Schema.String,
    issues: Schema.Array(Issue),
    mostAttempts: Schema.optionalKey(Schema.Int)
  }),
  /** An answer was read after harmless repairs. */
  event("answer.repaired", { call: ModelCallId, repairs: Schema.Array(Repair) }),
  /** The plan. `repairs` are those of a plan that was given; those of a plan of the model are in `answer.repaired`. */
  event("plan.created", {
    attempts: Schema.Int,
    taskList: TaskList,
    markdown: Schema.String,
    repairs: Schema.optionalKey(Schema.Array(Repair))
  }),
  /** Iteration replaced the outstanding tasks; an empty list means that the goals are met. */
  event("plan.revised", { round: Schema.Int, attempts: Schema.Int, taskList: TaskList }),
  event("round.started", { round: Schema.Int }),
  event("round.finished", { round: Schema.Int, finished: Schema.Int, failed: Schema.Int }),
  event("step.started", stepFields),
  event("step.finished", stepFields),
  /** An answer for a task asks for these calls, and proposes changes of these files, relative to the project. Turns count from 1. */
  event("task.turn", {
    ...taskFields,
    turn: Schema.Int,
    calls: Schema.Array(ToolCall),
    changed: Schema.Array(Schema.String)
  }),
  /** An item of a task for each item has ended; `number` of `of` items. */
  event("task.item", { ...taskFields, number: Schema.Int, of: Schema.Int, ...ItemResult.fields }),
  TaskWorked,
  /** The task had finished before the run was resumed; its result is used. */
  event("task.kept", taskFields),
  event("references.read", { task: Schema.String, references: ReadReferences }),
  event("task.started", taskFields),
  event("task.finished", { ...taskFields, result: TaskResult }),
  event("task.failed", { ...taskFields, failure: TaskFailure }),
  /** A tool runs; `targets` is what the call accesses, in canonical form. */
  event("tool.started", { id: ToolCallId, call: ToolCall, risk: Risk, targets: Schema.Array(Schema.String) }),
  /** A tool still runs, for so many seconds; its limit ends it at `endsAtSeconds`, if that is known. */
  event("tool.running", {
    id: ToolCallId,
    name: Schema.String,
    seconds: Schema.Int,
    endsAtSeconds: Schema.optionalKey(Schema.Int)
  }),
  /** How far a call is, as its tool says it; at most once a second. */
  event("tool.progress", { id: ToolCallId, name: Schema.String, ...ToolProgress.fields }),
  event("tool.finished", { id: ToolCallId, name: Schema.String, result: ToolResult }),
  /** The host runs a check; `task` is absent for one of the whole run. */
  event("check.started", checkFields),
  /** A check still runs, for so many seconds; its limit ends it at `endsAtSeconds`. */
  event("check.running", { ...checkFields, seconds: Schema.Int, endsAtSeconds: Schema.Int }),
  /** How a check ends on the project as it is before the run; said while the plan is made. */
  event("check.tried", TriedCheck.fields),
  /** A check has ended: what fails that did not fail without the changes, and the text that the model gets. */
  event("check.finished", {
    ...checkFields,
    status: Schema.optionalKey(CheckStatus),
    exitCode: Schema.NullOr(Schema.Int),
    seconds: Schema.Finite,
    newFailures: Schema.Array(Schema.String),
    /** Absent where the output counts no tests. */
    ran: Schema.optionalKey(RanTests),
    text: Schema.String
  }),
  /**
   * A question. `scope` is `step` for the approval of a step, `call` for one call or reference, `doubt` for an
   * uncertain call: begun before the run was interrupted, with unknown outcome, and `question` for a question of the model, which is the
   * title. `hash` binds the answer to the calls. The answer
   * `repairs` also covers later changes of the same files by the same task; each of them has an answer without a question.
   */
  event("approval.requested", { scope, title: Schema.String, hash: Schema.String, items: Schema.Array(ApprovalItem) }),
  event("approval.answered", {
    scope,
    hash: Schema.String,
    answer: Schema.Literals([...stepAnswers, ...callAnswers, ...UncertainAnswer.literals, ...WordsAnswer.literals]),
    /** With `chosen`: the items that may run, counted from 1; the others are denied. */
    chosen: Schema.optionalKey(Schema.Array(Schema.Int)),
    /** After a no: what the person wants instead, in their words. */
    instead: Schema.optionalKey(Schema.String),
    /** With `said`: the answer of the person to a question of the model. */
    text: Schema.optionalKey(Schema.String),
    /** After a yes: the offered rules that the person chose for this project. */
    always: Schema.optionalKey(Schema.Array(Schema.String)),
    /** Who answered: a person, a rule or flag, or nobody, when nobody could be asked. */
    by: AnsweredBy
  }),
  /** A message to the person. `code` is that of a rule, or `files-changed` or `journal-unproven` in a saved run. */
  event("message", {
    level: Schema.Literals(["info", "warning", "error"]),
    text: Schema.String,
    code: Schema.optionalKey(Schema.String)
  }),
  /** A message of a conversation is being answered; `message` counts from 1. */
  event("ask.started", { message: Schema.Int, text: Schema.String }),
  /** A message was answered, or could not be. */
  event("ask.finished", { report: AskReport }),
  /** The last event: the outcome with its usage. */
  event("run.finished", { exitCode: Schema.Int, report: RunReport })
])
export type RunEvent = typeof RunEvent.Type

export type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { readonly type: T }>

/** `task.worked` under its earlier name, as older runs saved it. */
const TaskRefined = Schema.Struct({ type: Schema.Literal("task.refined"), ...workedFields }).pipe(
  Schema.decodeTo(
    Schema.toType(TaskWorked),
    SchemaTransformation.transform({
      decode: (saved) => ({ ...saved, type: "task.worked" as const }),
      encode: (worked) => ({ ...worked, type: "task.refined" as const })
    })
  )
)

/** An event as it is saved with a run; older runs have older names. */
export const SavedEvent = Schema.Union([RunEvent, TaskRefined])

/** An event with the time it was published at, ISO 8601. */
export const RecordedEvent = Schema.Struct({
  /** ISO 8601. */
  at: Schema.String,
  /** The event itself. */
  event: SavedEvent
})
export type RecordedEvent = typeof RecordedEvent.Type

/** One line of `--json`: `type` first, `at` (ISO 8601) second, then the fields of the event, all plain JSON. */
export type FlatEvent = typeof RunEvent.Encoded & { readonly at: string }

const encode = Schema.encodeSync(RunEvent)

/** The event as a line of `--json` has it. */
export const flattenEvent = (recorded: RecordedEvent): FlatEvent => {
  const { type, ...fields } = encode(recorded.event)
  return { type, at: recorded.at, ...fields } as FlatEvent
}

/** The lines of `--json` for an event: itself and, until the next version, the same under an earlier name, marked with the new one. */
export const jsonEvents = (recorded: RecordedEvent): ReadonlyArray<object> => {
  const event = flattenEvent(recorded)
  return event.type === "task.worked" ? [event, { ...event, type: "task.refined", deprecated: event.type }] : [event]
}

/** How long a run is silent at most while a call of a model or a tool goes on, in milliseconds. */
export const heartbeatEvery = 10_000

/** How often a call of a model says how far it is, in milliseconds. */
export const progressEvery = 1000

/** How often the text of an answer is reported while it is written, in milliseconds. */
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

/** Heartbeats that come every second or more often: of use only where they are seen at once. */
export const isTransient = ({ type }: RunEvent): boolean => type === "model.progress" || type === "answer.piece"
