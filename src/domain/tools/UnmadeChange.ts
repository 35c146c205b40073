/**
 * A change of an answer that is not made. It counts as a call that failed, so that it stays open until something makes up for it.
 */
import * as Schema from "effect/Schema"
import { Issue } from "../findings/Issue.ts"
import { type CallOutcome, notMeasured, ToolCall } from "./ToolCall.ts"
import { turnUid } from "./ToolCallFormat.ts"

/** A change that is not made, as the call that would have made it. */
export const UnmadeChange = Schema.Struct({ call: ToolCall, issue: Issue })
export type UnmadeChange = typeof UnmadeChange.Type

/** The change as a call that failed. */
export const unmadeOutcome = ({ call, issue }: UnmadeChange, turn: number): CallOutcome => ({
  call: { ...call, uid: turnUid(turn, call.uid) },
  result: {
    success: false,
    data: null,
    error_message: issue.what,
    error_type: "validation_failed",
    metadata: notMeasured
  }
})

/** The changes of an answer that could not be read, by its issues; beside a report a mark may be quoted. */
export const unreadChanges = (issues: ReadonlyArray<Issue>, hasReport: boolean): ReadonlyArray<UnmadeChange> => {
  const unread = issues.filter(({ code }) => code.startsWith("change-"))
  const certain = unread.filter(({ code }) => code !== "change-marks")
  const counted = certain.length > 0 || hasReport ? certain : unread.slice(0, 1)
  return counted.map((issue, index) => ({
    call: { uid: `unread-${index + 1}`, name: "edit_file", arguments: {} },
    issue
  }))
}
