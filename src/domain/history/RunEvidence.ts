/** Collects what the journal of a run records about one task, for `show`. */
import * as Schema from "effect/Schema"
import { keyOfActivity, ModelCallId, modelCallKey, ToolCallId, toolCallKey } from "../runs/ActivityKey.ts"
import { publishedEvents } from "./JournalParts.ts"
import { fileTouches } from "../journal/FileTouch.ts"
import { Issue, Repair } from "../findings/Issue.ts"
import type { JournalRecord } from "../journal/JournalRecord.ts"
import { ModelAnswer } from "../models/ModelAnswer.ts"
import { Risk } from "../tools/Access.ts"
import { type EventOf, ReadReferences, type RunEvent } from "../runs/RunEvent.ts"
import { runFromJournal, type RunFold } from "./RunFold.ts"
import { slugOf } from "../text/Slug.ts"
import { ItemResult } from "../plan/ForEach.ts"
import { DeniedCalls, deniedOf } from "../plan/TaskResult.ts"
import { nearest } from "../text/Nearest.ts"
import { ToolCall, ToolResult } from "../tools/ToolCall.ts"

/** A call that did not run, with the reason as its result. The arguments are empty if the journal lacks them. */
export const UnrunCall = Schema.Struct({ id: ToolCallId, call: ToolCall, result: ToolResult })
export type UnrunCall = typeof UnrunCall.Type

/** One prompt, with the answer or the failure of its model call. */
export const Attempt = Schema.Struct({
  call: ModelCallId,
  system: Schema.String,
  user: Schema.String,
  /** The answer. Absent if the model gave none. */
  answer: Schema.optionalKey(ModelAnswer),
  issues: Schema.Array(Issue),
  repairs: Schema.Array(Repair),
  /** The failures of this call, in order. A prompt that was sent several times can have several failures. */
  failures: Schema.Array(Schema.String)
})
export type Attempt = typeof Attempt.Type

/** One tool call with its result, if it ended. */
export const CallEvidence = Schema.Struct({
  id: ToolCallId,
  call: ToolCall,
  risk: Risk,
  targets: Schema.Array(Schema.String),
  result: Schema.optionalKey(ToolResult)
})
export type CallEvidence = typeof CallEvidence.Type

/** The state of a task; `open` if the journal does not contain its end. */
export const TaskState = Schema.Literals(["finished", "failed", "open"])
export type TaskState = typeof TaskState.Type

/** Everything that the journal records about one task. */
export const TaskEvidence = Schema.Struct({
  /** The name of the task. */
  task: Schema.String,
  /** The skill in the plan; absent if the task is no longer in a plan. */
  skill: Schema.optionalKey(Schema.String),
  /** The work that the plan describes. */
  whatIsNeeded: Schema.optionalKey(Schema.String),
  /** Tells whether the task has finished, has failed or is open. */
  state: TaskState,
  /** The references that were read for the task. */
  references: ReadReferences,
  /** The prompts of the task with the answers to them, in order. */
  attempts: Schema.Array(Attempt),
  /** The tool calls of the task with their results, in order. */
  calls: Schema.Array(CallEvidence),
  /** The calls that were denied or could not be made. Absent if there are none. */
  unrun: Schema.optionalKey(Schema.Array(UnrunCall)),
  /** `some` or `all` if calls were denied; absent if no call was denied. */
  denied: Schema.optionalKey(DeniedCalls),
  /** The outcome of each item, if the task works item by item. */
  items: Schema.optionalKey(Schema.Array(ItemResult)),
  /** The paths that successful calls of the task wrote. */
  filesWritten: Schema.Array(Schema.String),
  /** The summary in the report of the task. Absent unless the task has finished. */
  summary: Schema.optionalKey(Schema.String),
  /** The whole report of the task. Absent unless the task has finished. */
  result: Schema.optionalKey(Schema.String),
  /** The messages of the failures of the task, in order. Empty if the task has finished. */
  failures: Schema.Array(Schema.String)
})
export type TaskEvidence = typeof TaskEvidence.Type

/** The run has no task with the given name. `names` are the tasks of the run. */
export class TaskNotFound extends Schema.TaggedError<TaskNotFound>()("TaskNotFound", {
  runId: Schema.String,
  given: Schema.String,
  names: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const near = nearest(this.given, this.names).slice(0, 3)
    const hint = near.length > 0 ? `Nearest: ${near.join(", ")}.` : `It has: ${this.names.join(", ") || "none"}.`
    return `The run ${this.runId} has no task "${this.given}". ${hint}`
  }
}

/** The state of a run after all events of a journal. */
export const runOf = (records: ReadonlyArray<JournalRecord>): RunFold => runFromJournal(publishedEvents(records))

/** The events of one type in a journal, in order. */
export const eventsOf = <T extends RunEvent["type"]>(
  records: ReadonlyArray<JournalRecord>,
  type: T
): ReadonlyArray<EventOf<T>> =>
  records.flatMap((record) =>
    record.type === "event" && record.event.type === type ? [record.event as EventOf<T>] : []
  )

const decodeAnswer = Schema.decodeUnknownSync(Schema.toCodecJson(ModelAnswer))
const decodeResult = Schema.decodeUnknownSync(Schema.toCodecJson(ToolResult))

/**
 * The outcomes of successful calls, by key without the hash of the input. If records have the same key, the last record
 * counts.
 */
const outcomesOf = (records: ReadonlyArray<JournalRecord>): ReadonlyMap<string, Schema.Json> =>
  new Map(records.flatMap((one) => (one.type === "outcome" ? [[keyOfActivity(one.key), one.value] as const] : [])))

const keyOf = ({ call }: { readonly call: ModelCallId }): string => modelCallKey(call)

/** The attempts of the selected model calls, in the order of sending. */
export const attemptsOf = (
  records: ReadonlyArray<JournalRecord>,
  isSelected: (call: ModelCallId) => boolean
): ReadonlyArray<Attempt> => {
  const prompts = new Map(
    records.flatMap((one) => (one.type === "prompt" ? [[keyOfActivity(one.key), one] as const] : []))
  )
  const answers = outcomesOf(records)
  const calls = new Map(
    eventsOf(records, "model.started").flatMap(({ call }) =>
      isSelected(call) ? [[modelCallKey(call), call] as const] : []
    )
  )
  const rejected = Map.groupBy(eventsOf(records, "answer.rejected"), keyOf)
  const repaired = Map.groupBy(eventsOf(records, "answer.repaired"), keyOf)
  const failed = Map.groupBy(eventsOf(records, "model.failed"), keyOf)
  return [...calls].map(([key, call]): Attempt => {
    const prompt = prompts.get(key)
    const answer = answers.get(key)
    const sent = {
      call,
      system: prompt?.system ?? "",
      user: prompt?.user ?? "",
      issues: rejected.get(key)?.at(-1)?.issues ?? [],
      repairs: repaired.get(key)?.at(-1)?.repairs ?? [],
      failures: failed.get(key)?.map(({ message }) => message) ?? []
    }
    return answer === undefined ? sent : Object.assign(sent, { answer: decodeAnswer(answer) })
  })
}

/** The state of a task, from the last event that ended it. */
export const stateOf = (end: { readonly type: "task.finished" | "task.failed" } | undefined): TaskState =>
  end === undefined ? "open" : end.type === "task.finished" ? "finished" : "failed"

/** The calls of the task that have a result although they never started, in the order of their results. */
const unrunCalls = (records: ReadonlyArray<JournalRecord>, name: string): ReadonlyArray<UnrunCall> => {
  const keyOf = (round: number, uid: string): string => toolCallKey({ round, task: name, uid })
  const isMine = (task: string): boolean => slugOf(task) === slugOf(name)
  const chosen = [...eventsOf(records, "task.turn"), ...eventsOf(records, "task.worked")].flatMap((event) =>
    isMine(event.task) ? event.calls.map((call) => [keyOf(event.round, call.uid), call] as const) : []
  )
  const calls = new Map<string, ToolCall>(chosen)
  const started = new Set(eventsOf(records, "tool.started").map(({ id }) => toolCallKey(id)))
  const ended = eventsOf(records, "tool.finished").flatMap(({ id, name: tool, result }) => {
    const key = toolCallKey(id)
    if (!isMine(id.task) || started.has(key)) return []
    return [[key, { id, call: calls.get(key) ?? { uid: id.uid, name: tool, arguments: {} }, result }] as const]
  })
  return [...new Map(ended).values()]
}

/** Collects everything about the task with this name in the plan. `records` may be only the records of this task. */
export const taskEvidence = (
  records: ReadonlyArray<JournalRecord>,
  name: string,
  { ends, tasks }: RunFold = runOf(records)
): TaskEvidence => {
  const isMine = ({ task }: { readonly task?: string }) => task !== undefined && slugOf(task) === slugOf(name)
  const finished = eventsOf(records, "tool.finished")
  const outcomes = outcomesOf(records)
  /**
   * The result of a call. After a crash, the event of the call may be missing, because the journal records the result
   * first.
   */
  const resultOf = (id: ToolCallId) => {
    const persisted = outcomes.get(toolCallKey(id))
    if (persisted !== undefined) return decodeResult(persisted)
    return finished.findLast((event) => toolCallKey(event.id) === toolCallKey(id))?.result
  }
  const references = new Map(
    eventsOf(records, "references.read")
      .filter(isMine)
      .flatMap((event) => event.references.map((one) => [one.href, one] as const))
  )
  const calls = new Map(
    eventsOf(records, "tool.started")
      .filter(({ id }) => isMine(id))
      .map((event) => [toolCallKey(event.id), event] as const)
  )
  const unrun = unrunCalls(records, name)
  const written = fileTouches(records).flatMap((touch) =>
    touch._tag === "Written" && isMine(touch) ? [touch.path] : []
  )
  const begun = [...calls.values()].map(({ call, id, risk, targets }): CallEvidence => {
    const result = resultOf(id)
    const evidence = { id, call, risk, targets }
    return result === undefined ? evidence : Object.assign(evidence, { result })
  })
  const denied = deniedOf([...begun.flatMap(({ result }) => (result === undefined ? [] : [{ result }])), ...unrun])
  const end = ends.get(slugOf(name))
  const task = tasks.get(slugOf(name))
  return {
    task: name,
    ...(task === undefined ? {} : { skill: task.skill, whatIsNeeded: task.whatIsNeeded }),
    state: stateOf(end),
    references: [...references.values()],
    attempts: attemptsOf(records, isMine),
    calls: begun,
    ...(unrun.length === 0 ? {} : { unrun }),
    ...(denied === undefined ? {} : { denied }),
    filesWritten: [...new Set(written)],
    ...(end?.type === "task.finished"
      ? { summary: end.result.result.summary, result: end.result.result.document }
      : {}),
    ...(end?.type === "task.finished" && end.result.items !== undefined ? { items: end.result.items } : {}),
    failures:
      end?.type === "task.finished"
        ? []
        : eventsOf(records, "task.failed")
            .filter(({ failure }) => isMine(failure))
            .map(({ failure }) => failure.message)
  }
}
