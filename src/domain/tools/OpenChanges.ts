/**
 * The changes that failed and that nothing made up for: while there is one, a task is not done, whatever its report says.
 */
import * as Schema from "effect/Schema"
import { fileName, isBelow } from "../files/PathList.ts"
import { Issue } from "../findings/Issue.ts"
import { cutAt } from "../text/Excerpt.ts"
import {
  isArguments,
  type Arguments,
  type CallOutcome,
  isChange,
  notMeasured,
  pathOf,
  pathsOf,
  ToolCall
} from "./ToolCall.ts"
import { turnOf, turnUid } from "./ToolCallFormat.ts"

const changeNouns: Readonly<Record<string, string>> = { remove_file: "removal", move_file: "move" }

const hasPath = ({ call }: CallOutcome): boolean => typeof call.arguments["path"] === "string"

/** True for a replacement of all places in one file. */
const isReplacementIn = (one: CallOutcome): boolean => hasPath(one) && one.call.arguments["replace_all"] === true

/** True for a replacement everywhere, which names no file. */
const isReplacement = (one: CallOutcome): boolean => !hasPath(one) && typeof one.call.arguments["old_text"] === "string"

/** A change in a few words: its file, or what it replaces. */
export const changeName = (call: ToolCall): string => {
  const { old_text: old, path } = call.arguments
  if (typeof path === "string") return `The ${changeNouns[call.name] ?? "change"} of ${pathOf(call)}`
  return typeof old === "string"
    ? `The replacement of ${JSON.stringify(cutAt(old, 80))}`
    : "A change that could not be read"
}

/** The new texts of a call that changes files. */
export const newTextsOf = (given: Arguments): ReadonlyArray<string> =>
  [given, ...(Array.isArray(given["edits"]) ? given["edits"] : [])]
    .flatMap((one) => (isArguments(one) ? [one["new_text"], one["content"]] : []))
    .filter((text) => typeof text === "string")

const oldTextsOf = (given: Arguments): ReadonlyArray<string> =>
  [given, ...(Array.isArray(given["edits"]) ? given["edits"] : [])]
    .flatMap((one) => (isArguments(one) ? [one["old_text"]] : []))
    .filter((text) => typeof text === "string")

/** The lines that a change brings, without those that stand anywhere, as brackets do. */
const newLines = ({ call }: CallOutcome): ReadonlyArray<string> =>
  newTextsOf(call.arguments)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim())
    .filter((line) => /\w{2}/.test(line))

const isMissing = ({ result }: CallOutcome): boolean => /\bThere is no file at\b/.test(result.error_message ?? "")

/** True when the file is gone after the call: it was removed, or moved. */
const takesAway = ({ call }: CallOutcome, path: string): boolean =>
  (call.name === "remove_file" || call.name === "move_file") && isWithin(pathOf(call), path)

const withoutEndSlash = (path: string): string => path.replace(/\/+$/, "")

const isWithin = (folder: string, path: string): boolean =>
  withoutEndSlash(folder) === withoutEndSlash(path) || isBelow(withoutEndSlash(folder), path)

const nameOf = (path: string): string => fileName(withoutEndSlash(path))

/** True for a path that leads nowhere where another one has its name, or was named with the failure. */
const isMeant = (failed: CallOutcome, later: CallOutcome): boolean => {
  const [meant, path] = [pathOf(failed.call), pathOf(later.call)]
  const named = (failed.result.error_message ?? "").split(/[\s,]+/).map((word) => word.replace(/\.$/, ""))
  return isMissing(failed) && (nameOf(meant) === nameOf(path) || named.includes(path))
}

/** A removal, made up for by what takes the same path away, or by a removal of the path that was meant. */
const isRemoved = (failed: CallOutcome, later: ReadonlyArray<CallOutcome>): boolean =>
  later.some((one) => takesAway(one, pathOf(failed.call)) || (one.call.name === "remove_file" && isMeant(failed, one)))

/** A move, made up for by one of the same file or to the same path, or by a file that is written there and the old one removed. */
const isMoved = (failed: CallOutcome, later: ReadonlyArray<CallOutcome>): boolean => {
  const [from = "", to = ""] = pathsOf(failed.call)
  return later.some(
    (one) =>
      (one.call.name === "move_file" && (pathOf(one.call) === from || pathsOf(one.call)[1] === to)) ||
      (one.call.name !== "move_file" && takesAway(one, from) && later.some((other) => pathOf(other.call) === to))
  )
}

/** An edit or a whole file, made up for by a change of the same file that brings a line of it, a whole file, or one for each of them. */
const isWritten = (
  failed: CallOutcome,
  changes: ReadonlyArray<CallOutcome>,
  later: ReadonlyArray<CallOutcome>
): boolean => {
  const isOfFile = (one: CallOutcome): boolean => pathOf(one.call) === pathOf(failed.call)
  const made = later.filter((one) => isOfFile(one) && turnOf(one) !== turnOf(failed))
  const beside = changes.filter(
    (one) => one !== failed && !one.result.success && isOfFile(one) && turnOf(one) === turnOf(failed)
  )
  const lines = new Set(newLines(failed))
  const bringsLine = (one: CallOutcome): boolean => newLines(one).some((line) => lines.has(line))
  // A path that leads nowhere was meant as another one.
  const elsewhere = isMissing(failed) ? later : []
  return (
    made.length > beside.length ||
    elsewhere.some(bringsLine) ||
    made.some((one) => one.call.name === "write_file" || bringsLine(one))
  )
}

/** True for a change that takes a text away. */
const takes = ({ call }: CallOutcome, old: string): boolean =>
  oldTextsOf(call.arguments).some((text) => text.includes(old))

/** True for a change that brings the new text of a replacement, or takes the old one where nothing takes its place. */
const replaces = ({ call: { arguments: given } }: CallOutcome, later: CallOutcome): boolean => {
  const [old, now] = [String(given["old_text"]), String(given["new_text"]).trim()]
  return now === "" ? takes(later, old) : newTextsOf(later.call.arguments).some((text) => text.includes(now))
}

/** A replacement everywhere, made up for by a change that makes it, or one before that left no place of it. */
const isReplaced = (
  failed: CallOutcome,
  changes: ReadonlyArray<CallOutcome>,
  later: ReadonlyArray<CallOutcome>
): boolean => {
  const old = String(failed.call.arguments["old_text"])
  return (
    later.some((one) => replaces(failed, one)) ||
    changes.some((one) => one.result.success && takes(one, old) && replaces(failed, one))
  )
}

/** A replacement in one file, made up for by a change of that file that makes it, or by its whole text. */
const isReplacedIn = (failed: CallOutcome, later: ReadonlyArray<CallOutcome>): boolean =>
  later.some(
    (one) => pathOf(one.call) === pathOf(failed.call) && (one.call.name === "write_file" || replaces(failed, one))
  )

/** A change that could not be read, made up for by later changes, one for each. */
const isReadLater = (
  failed: CallOutcome,
  changes: ReadonlyArray<CallOutcome>,
  later: ReadonlyArray<CallOutcome>
): boolean => {
  const unread = changes.filter(
    (one) => !one.result.success && !hasPath(one) && !isReplacement(one) && turnOf(one) === turnOf(failed)
  )
  return later.length >= unread.length
}

/** The changes that failed, and that no change in a later answer made up for. */
export const openChanges = (outcomes: ReadonlyArray<CallOutcome>): ReadonlyArray<CallOutcome> => {
  const changes = outcomes.filter(isChange)
  return changes.filter((failed, index) => {
    if (failed.result.success) return false
    const later = changes.slice(index + 1).filter((one) => one.result.success)
    const answered = later.filter((one) => turnOf(one) !== turnOf(failed))
    switch (true) {
      case isReplacement(failed):
        return !isReplaced(failed, changes, answered)
      case isReplacementIn(failed):
        return !isReplacedIn(failed, answered)
      case !hasPath(failed):
        return !isReadLater(failed, changes, answered)
      case failed.call.name === "remove_file":
        return !isRemoved(failed, answered)
      case failed.call.name === "move_file":
        return !isMoved(failed, answered)
      default:
        return !isWritten(failed, changes, later)
    }
  })
}

/** What was done outside of a working copy, and the changes that are still open; `files` were changed in the project itself. */
export const doneOutside = ({
  files,
  outcomes
}: {
  readonly files: ReadonlyArray<unknown>
  readonly outcomes: ReadonlyArray<CallOutcome>
}): ReadonlyArray<CallOutcome> => {
  const open = openChanges(outcomes)
  const isLeft = (outcome: CallOutcome): boolean =>
    open.includes(outcome) || (files.length > 0 && outcome.result.success)
  return outcomes.filter((outcome) => !isChange(outcome) || isLeft(outcome))
}

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
