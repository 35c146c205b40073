/**
 * The calls of a task that got a result without being run: denied ones, and those that could not be used.
 */
import * as Schema from "effect/Schema"
import { ToolCallId } from "../runs/ActivityKey.ts"
import { slugOf } from "../text/Slug.ts"
import { ToolCall, ToolResult } from "../tools/ToolCall.ts"
import type { JournalRecord } from "./JournalRecord.ts"

/** A call that was not run, with why. Its arguments are empty in a journal that does not have them. */
export const UnrunCall = Schema.Struct({ id: ToolCallId, call: ToolCall, result: ToolResult })
export type UnrunCall = typeof UnrunCall.Type

const keyOf = (round: number, uid: string): string => `${round}/${uid}`

/** The calls of the task of this name that ended without having started, in the order in which they ended. */
export const unrunCalls = (records: ReadonlyArray<JournalRecord>, name: string): ReadonlyArray<UnrunCall> => {
  const events = records.flatMap((record) => (record.type === "event" ? [record.event] : []))
  const isMine = (task: string): boolean => slugOf(task) === slugOf(name)
  const planned = new Map<string, ToolCall>()
  const ended = new Map<string, UnrunCall>()
  for (const event of events) {
    if ((event.type === "task.refined" || event.type === "task.looked") && isMine(event.task)) {
      for (const call of event.calls) planned.set(keyOf(event.round, call.uid), call)
    }
    if (event.type === "tool.started") ended.delete(keyOf(event.id.round, event.id.uid))
    if (event.type !== "tool.finished" || !isMine(event.id.task)) continue
    const { id, name: tool, result } = event
    const key = keyOf(id.round, id.uid)
    ended.set(key, { id, call: planned.get(key) ?? { uid: id.uid, name: tool, arguments: {} }, result })
  }
  const started = new Set(
    events.flatMap((event) =>
      event.type === "tool.started" && isMine(event.id.task) ? [keyOf(event.id.round, event.id.uid)] : []
    )
  )
  return [...ended].flatMap(([key, call]) => (started.has(key) ? [] : [call]))
}
