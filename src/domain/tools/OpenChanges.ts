/**
 * Finds open changes: changes that failed, and that no later change replaced. A task with an open change is not done,
 * whatever its report says.
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
import { isOfReplacement, turnOf, turnUid } from "./ToolCallFormat.ts"

const changeNouns: Readonly<Record<string, string>> = { remove_file: "removal", move_file: "move" }

const hasPath = ({ call }: CallOutcome): boolean => typeof call.arguments["path"] === "string"

/** True for a replacement in all files, which names no file. */
const isReplacement = (one: CallOutcome): boolean => !hasPath(one) && typeof one.call.arguments["old_text"] === "string"

/** Names a change by its file, or by the text to replace. */
export const changeName = (call: ToolCall): string => {
  const { old_text: old, path } = call.arguments
  if (typeof path === "string") return `The ${changeNouns[call.name] ?? "change"} of ${pathOf(call)}`
  return typeof old === "string"
    ? `The replacement of ${JSON.stringify(cutAt(old, 80))}`
    : "A change that could not be read"
}

/** The text values of these arguments, in the call and in its edits. */
const textsOf = (given: Arguments, ...keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  [given, ...(Array.isArray(given["edits"]) ? given["edits"] : [])]
    .flatMap((part) => (isArguments(part) ? keys.map((key) => part[key]) : []))
    .filter((text) => typeof text === "string")

export const newTextsOf = (given: Arguments): ReadonlyArray<string> => textsOf(given, "new_text", "content")

/** The lines that a change writes. Omits lines without two word characters in a row, such as brackets. */
const newLines = ({ call }: CallOutcome): ReadonlyArray<string> =>
  newTextsOf(call.arguments)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim())
    .filter((line) => /\w{2}/.test(line))

const isMissing = ({ result }: CallOutcome): boolean => /\bThere is no file at\b/.test(result.error_message ?? "")

const withoutEndSlash = (path: string): string => path.replace(/\/+$/, "")

/** True if the call removes or moves the file, or a folder around it. */
const takesAway = ({ call }: CallOutcome, path: string): boolean => {
  const [taken, file] = [pathOf(call), path].map(withoutEndSlash) as [string, string]
  return (call.name === "remove_file" || call.name === "move_file") && (taken === file || isBelow(taken, file))
}

/**
 * True if the failed call named a missing path, and the later call names the path that was meant. The later path has
 * the same file name, or the error message suggested it.
 */
const isMeant = (failed: CallOutcome, later: CallOutcome): boolean => {
  const [meant, path] = [pathOf(failed.call), pathOf(later.call)]
  const named = (failed.result.error_message ?? "").split(/[\s,]+/).map((word) => word.replace(/\.$/, ""))
  const [name, other] = [meant, path].map((one) => fileName(withoutEndSlash(one)))
  return isMissing(failed) && (name === other || named.includes(path))
}

const takes = ({ call }: CallOutcome, old: string): boolean =>
  textsOf(call.arguments, "old_text").some((text) => text.includes(old))

/**
 * True if a later change writes the new text of a replacement. If the new text is empty, the later change must remove
 * the old text.
 */
const replaces = ({ call: { arguments: given } }: CallOutcome, later: CallOutcome): boolean => {
  const [old, now] = [String(given["old_text"]), String(given["new_text"]).trim()]
  return now === "" ? takes(later, old) : newTextsOf(later.call.arguments).some((text) => text.includes(now))
}

/** True if other changes did the work of a failed change. `later` are the successful changes after it. */
const isMadeUpFor = (
  failed: CallOutcome,
  changes: ReadonlyArray<CallOutcome>,
  later: ReadonlyArray<CallOutcome>
): boolean => {
  const { arguments: values, name } = failed.call
  const [path = "", to = ""] = pathsOf(failed.call)
  const answered = later.filter((one) => turnOf(one) !== turnOf(failed))
  const ofFile = answered.filter(({ call }) => pathOf(call) === path)
  const failedBeside = changes.filter((one) => !one.result.success && turnOf(one) === turnOf(failed))

  /** A replacement in all files is done if a later change made it, or if an earlier change removed the old text. */
  if (isReplacement(failed)) {
    const isBefore = (one: CallOutcome) => one.result.success && takes(one, String(values["old_text"]))
    return [...answered, ...changes.filter(isBefore)].some((one) => replaces(failed, one))
  }
  /**
   * An unreadable change counts as done if later answers make enough changes. They must make one for each unreadable
   * change of this answer.
   */
  if (!hasPath(failed)) {
    return answered.length >= failedBeside.filter((one) => !hasPath(one) && !isReplacement(one)).length
  }
  /** An edit with equal old and new text is done if another call changed the file. */
  if (typeof values["old_text"] === "string" && values["old_text"] === values["new_text"]) {
    return changes.some((one) => one.result.success && pathOf(one.call) === path)
  }
  /**
   * A failed replacement in one file is done if a later change makes the same replacement, or writes the whole file.
   */
  if (values["replace_all"] === true) {
    return ofFile.some((one) => one.call.name === "write_file" || replaces(failed, one))
  }
  if (name === "remove_file") {
    return answered.some((one) => takesAway(one, path) || (one.call.name === "remove_file" && isMeant(failed, one)))
  }
  /**
   * A move is done if a later call moves the same file, or moves to the same path. It is also done if the new path is
   * written and the old path removed.
   */
  if (name === "move_file") {
    const isThere = answered.some(({ call }) => pathOf(call) === to)
    return answered.some((outcome) =>
      outcome.call.name === "move_file"
        ? pathOf(outcome.call) === path || pathsOf(outcome.call)[1] === to
        : isThere && takesAway(outcome, path)
    )
  }
  /**
   * A failed edit or write counts as done if a later change writes one of its lines, or the file. It also counts as
   * done if the file has as many later changes as failed changes. Replacements in all files do not count, since they
   * may reach this file by chance.
   */
  const lines = new Set(newLines(failed))
  const bringsLine = (one: CallOutcome): boolean => newLines(one).some((line) => lines.has(line))
  const others = failedBeside.filter((one) => one !== failed && pathOf(one.call) === path)
  // If the path does not exist, the model may have meant another file.
  const elsewhere = isMissing(failed) ? later : []
  return (
    ofFile.filter((one) => !isOfReplacement(one)).length > others.length ||
    elsewhere.some(bringsLine) ||
    ofFile.some((one) => one.call.name === "write_file" || bringsLine(one))
  )
}

/** The failed changes that no later answer replaced. */
export const openChanges = (outcomes: ReadonlyArray<CallOutcome>): ReadonlyArray<CallOutcome> => {
  const changes = outcomes.filter(isChange)
  return changes.filter((failed, index) => {
    const later = changes.slice(index + 1).filter(({ result }) => result.success)
    return !failed.result.success && !isMadeUpFor(failed, changes, later)
  })
}

/**
 * Returns the open changes, and the calls with effects outside the working copy. `files` are the changed files of the
 * project itself. If there are any, successful changes are returned, too.
 */
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

/** A change that was not made: the issue that prevented it, and its call. */
export const UnmadeChange = Schema.Struct({ call: ToolCall, issue: Issue })
export type UnmadeChange = typeof UnmadeChange.Type

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

/**
 * The unreadable changes of an answer, from its issues. Conflict marks do not count if the answer has a report, which
 * may quote them.
 */
export const unreadChanges = (issues: ReadonlyArray<Issue>, hasReport: boolean): ReadonlyArray<UnmadeChange> => {
  const unread = issues.filter(({ code }) => code.startsWith("change-"))
  const certain = unread.filter(({ code }) => code !== "change-marks")
  const counted = certain.length > 0 || hasReport ? certain : unread.slice(0, 1)
  return counted.map((issue, index) => ({
    call: { uid: `unread-${index + 1}`, name: "edit_file", arguments: {} },
    issue
  }))
}
