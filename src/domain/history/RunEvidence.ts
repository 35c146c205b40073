/** What the journal of a run records about one task, for `show`. */
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

/** A call that was not run, with why. Its arguments are empty in a journal that does not have them. */
export const UnrunCall = Schema.Struct({ id: ToolCallId, call: ToolCall, result: ToolResult })
export type UnrunCall = typeof UnrunCall.Type

/** One prompt with its answer or failure. */
export const Attempt = Schema.Struct({
  call: ModelCallId,
  system: Schema.String,
  user: Schema.String,
  /** Absent when there was no answer. */
  answer: Schema.optionalKey(ModelAnswer),
  issues: Schema.Array(Issue),
  repairs: Schema.Array(Repair),
  /** Why the call failed, once for each time it was sent. */
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

/** How a task stands at the end of the journal. */
export const TaskState = Schema.Literals(["finished", "failed", "open"])
export type TaskState = typeof TaskState.Type

/** Everything about one task. */
export const TaskEvidence = Schema.Struct({
  /** The name of the task. */
  task: Schema.String,
  /** What the plan says about it; absent when no plan has it any more. */
  skill: Schema.optionalKey(Schema.String),
  /** What the plan says is to be done. */
  whatIsNeeded: Schema.optionalKey(Schema.String),
  /** How the task stands. */
  state: TaskState,
  /** What was read of its references. */
  references: ReadReferences,
  /** Its prompts with their answers, in order. */
  attempts: Schema.Array(Attempt),
  /** Its calls with their results, in order. */
  calls: Schema.Array(CallEvidence),
  /** Calls that were denied, or could not be used; absent when there is none. */
  unrun: Schema.optionalKey(Schema.Array(UnrunCall)),
  /** Calls that were denied; absent when there is none. */
  denied: Schema.optionalKey(DeniedCalls),
  /** What became of each item, for a task for each item. */
  items: Schema.optionalKey(Schema.Array(ItemResult)),
  /** Paths that its successful calls wrote. */
  filesWritten: Schema.Array(Schema.String),
  /** The summary in its result, when it has one. */
  summary: Schema.optionalKey(Schema.String),
  /** The document of its result, when it has one. */
  result: Schema.optionalKey(Schema.String),
  /** Why it failed, once for each attempt. */
  failures: Schema.Array(Schema.String)
})
export type TaskEvidence = typeof TaskEvidence.Type

/** The run has no task of this name; `names` are those that it has. */
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

/** What the events of a journal come to. */
export const runOf = (records: ReadonlyArray<JournalRecord>): RunFold => runFromJournal(publishedEvents(records))

/** The events of one type that a journal holds, in order. */
export const eventsOf = <T extends RunEvent["type"]>(
  records: ReadonlyArray<JournalRecord>,
  type: T
): ReadonlyArray<EventOf<T>> =>
  records.flatMap((record) =>
    record.type === "event" && record.event.type === type ? [record.event as EventOf<T>] : []
  )

const decodeAnswer = Schema.decodeUnknownSync(Schema.toCodecJson(ModelAnswer))
const decodeResult = Schema.decodeUnknownSync(Schema.toCodecJson(ToolResult))

/** What came of each call that succeeded, by its key without the hash of its input. The last record of a key is the valid one. */
const outcomesOf = (records: ReadonlyArray<JournalRecord>): ReadonlyMap<string, Schema.Json> =>
  new Map(records.flatMap((one) => (one.type === "outcome" ? [[keyOfActivity(one.key), one.value] as const] : [])))

const keyOf = ({ call }: { readonly call: ModelCallId }): string => modelCallKey(call)

/** The attempts of the selected model calls, in the order in which they were sent. */
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

/** The state that an end of a task means. */
export const stateOf = (end: { readonly type: "task.finished" | "task.failed" } | undefined): TaskState =>
  end === undefined ? "open" : end.type === "task.finished" ? "finished" : "failed"

/** The calls of the task of this name that ended without having started, in the order in which they ended. */
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

/** Everything about the task of this name, spelled as in the plan. `records` may be only those of the task. */
export const taskEvidence = (
  records: ReadonlyArray<JournalRecord>,
  name: string,
  { ends, tasks }: RunFold = runOf(records)
): TaskEvidence => {
  const isMine = ({ task }: { readonly task?: string }) => task !== undefined && slugOf(task) === slugOf(name)
  const finished = eventsOf(records, "tool.finished")
  const outcomes = outcomesOf(records)
  /* A result is recorded before its event is published; a crash may leave the one without the other. */
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
