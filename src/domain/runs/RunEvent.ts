/**
 * The events of a run: the progress on the terminal, the lines of `--json` and the stream of the library. Readers must
 * ignore unknown types.
 */
import * as Schema from "effect/Schema"
import { ApprovalItem } from "../permissions/ApprovalItem.ts"
import { AskReport, RunReport } from "./RunReport.ts"
import { ModelCallId, Stage, ToolCallId } from "./ActivityKey.ts"
import { Issue, Repair } from "../findings/Issue.ts"
import { Usage } from "../models/ModelAnswer.ts"
import { Risk } from "../tools/Risk.ts"
import { ReferencesRead, TaskFailed, TaskFinished, TaskKept, TaskRefined, TaskStarted } from "./TaskEvent.ts"
import { TaskList } from "../plan/TaskList.ts"
import { ToolCall, ToolResult } from "../tools/ToolCall.ts"

/** The version of the JSON Lines stream; it grows when a field changes its meaning. */
const runEventVersion = 1

/** The first event: what runs where, with what. */
const RunStarted = Schema.Struct({
  type: Schema.tag("run.started"),
  version: Schema.Literal(runEventVersion),
  runId: Schema.String,
  project: Schema.String,
  model: Schema.String,
  prompt: Schema.String
})

/** A prompt was sent; `estimatedTokens` is its estimated size. */
const ModelStarted = Schema.Struct({
  type: Schema.tag("model.started"),
  call: ModelCallId,
  /** The model that the skill of the task chose; absent for the model of the run. */
  model: Schema.optionalKey(Schema.String),
  estimatedTokens: Schema.Int
})
const ModelFinished = Schema.Struct({ type: Schema.tag("model.finished"), call: ModelCallId, usage: Usage })
/** A model call failed; `willRetry` says whether it is sent again. */
const ModelFailed = Schema.Struct({
  type: Schema.tag("model.failed"),
  call: ModelCallId,
  reason: Schema.String,
  message: Schema.String,
  willRetry: Schema.Boolean
})

/** An answer could not be used: its issues go into the next attempt. `answer` is the raw text. */
const AnswerRejected = Schema.Struct({
  type: Schema.tag("answer.rejected"),
  call: ModelCallId,
  answer: Schema.String,
  issues: Schema.Array(Issue)
})
/** An answer was read after harmless repairs. */
const AnswerRepaired = Schema.Struct({
  type: Schema.tag("answer.repaired"),
  call: ModelCallId,
  repairs: Schema.Array(Repair)
})

const PlanCreated = Schema.Struct({
  type: Schema.tag("plan.created"),
  attempts: Schema.Int,
  taskList: TaskList,
  /** The plan as markdown. */
  markdown: Schema.String,
  /** Repairs and notes of a plan that was given; those of a plan of the model are in `answer.repaired`. */
  repairs: Schema.optionalKey(Schema.Array(Repair))
})
/** Iteration replaced the outstanding tasks; an empty list means that the goals are met. */
const PlanRevised = Schema.Struct({
  type: Schema.tag("plan.revised"),
  round: Schema.Int,
  attempts: Schema.Int,
  taskList: TaskList
})

const RoundStarted = Schema.Struct({ type: Schema.tag("round.started"), round: Schema.Int })
const RoundFinished = Schema.Struct({
  type: Schema.tag("round.finished"),
  round: Schema.Int,
  finished: Schema.Int,
  failed: Schema.Int
})
const StepStarted = Schema.Struct({
  type: Schema.tag("step.started"),
  round: Schema.Int,
  step: Schema.Int,
  title: Schema.String
})
const StepFinished = Schema.Struct({
  type: Schema.tag("step.finished"),
  round: Schema.Int,
  step: Schema.Int,
  title: Schema.String
})

const ToolStarted = Schema.Struct({
  type: Schema.tag("tool.started"),
  id: ToolCallId,
  call: ToolCall,
  risk: Risk,
  /** What the call accesses, in canonical form. */
  targets: Schema.Array(Schema.String)
})
const ToolFinished = Schema.Struct({
  type: Schema.tag("tool.finished"),
  id: ToolCallId,
  name: Schema.String,
  result: ToolResult
})

/**
 * `scope` is `step` for the approval of a step, `call` for one call or reference, `doubt` for a call in doubt: begun
 * before the run was interrupted, with unknown outcome. `hash` binds the answer to the calls.
 */
const ApprovalRequested = Schema.Struct({
  type: Schema.tag("approval.requested"),
  scope: Schema.Literals(["step", "call", "doubt"]),
  title: Schema.String,
  hash: Schema.String,
  items: Schema.Array(ApprovalItem)
})
/** `by` says who answered: a person, a rule or flag, or nobody, when nobody could be asked. */
const ApprovalAnswered = Schema.Struct({
  type: Schema.tag("approval.answered"),
  scope: Schema.Literals(["step", "call", "doubt"]),
  hash: Schema.String,
  answer: Schema.Literals([
    "step",
    "remaining",
    "chosen",
    "decline",
    "once",
    "session",
    "remember",
    "deny",
    "again",
    "done",
    "stop"
  ]),
  /** With `chosen`: the items that may run, counted from 1; the others are denied. */
  chosen: Schema.optionalKey(Schema.Array(Schema.Int)),
  by: Schema.Literals(["person", "rule", "nobody"])
})

/** A message to the person. `code` is that of a rule, or `files-changed` or `journal-mended` in a resumed run. */
const Message = Schema.Struct({
  type: Schema.tag("message"),
  level: Schema.Literals(["info", "warning", "error"]),
  text: Schema.String,
  code: Schema.optionalKey(Schema.String)
})

/** The last event: the outcome with its usage. */
const RunFinished = Schema.Struct({ type: Schema.tag("run.finished"), exitCode: Schema.Int, report: RunReport })

/** A stage starts; `task` is absent for stages of the whole list. */
const StageStarted = Schema.Struct({
  type: Schema.tag("stage.started"),
  stage: Stage,
  round: Schema.Int,
  task: Schema.optionalKey(Schema.String)
})

/** A message of a conversation is being answered; `message` counts from 1. */
const AskStarted = Schema.Struct({
  type: Schema.tag("ask.started"),
  message: Schema.Int,
  text: Schema.String
})
/** A message was answered, or could not be. */
const AskFinished = Schema.Struct({ type: Schema.tag("ask.finished"), report: AskReport })

export const RunEvent = Schema.Union([
  RunStarted,
  StageStarted,
  ModelStarted,
  ModelFinished,
  ModelFailed,
  AnswerRejected,
  AnswerRepaired,
  PlanCreated,
  PlanRevised,
  RoundStarted,
  RoundFinished,
  StepStarted,
  StepFinished,
  TaskRefined,
  TaskKept,
  ReferencesRead,
  TaskStarted,
  TaskFinished,
  TaskFailed,
  ToolStarted,
  ToolFinished,
  ApprovalRequested,
  ApprovalAnswered,
  Message,
  AskStarted,
  AskFinished,
  RunFinished
])
export type RunEvent = typeof RunEvent.Type

/** An event with the time it was published at, ISO 8601; one line of `--json`. */
export const RecordedEvent = Schema.Struct({ at: Schema.String, event: RunEvent })
export type RecordedEvent = typeof RecordedEvent.Type
