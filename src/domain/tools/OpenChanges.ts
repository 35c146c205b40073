/**
 * Finds open changes: changes that failed and that no later change replaced. While a change is open, the task is not
 * done, whatever its report says.
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

/** True for a replacement in all files, whose call names no file. */
const isReplacement = (one: CallOutcome): boolean => !hasPath(one) && typeof one.call.arguments["old_text"] === "string"

/** Names a change in a few words: by the file, or by the text to replace. */
export const changeName = (call: ToolCall): string => {
  const { old_text: old, path } = call.arguments
  if (typeof path === "string") return `The ${changeNouns[call.name] ?? "change"} of ${pathOf(call)}`
  return typeof old === "string"
    ? `The replacement of ${JSON.stringify(cutAt(old, 80))}`
    : "A change that could not be read"
}

/** The values of these arguments, in the call itself and in each of its edits. */
const textsOf = (given: Arguments, ...keys: ReadonlyArray<string>): ReadonlyArray<string> =>
  [given, ...(Array.isArray(given["edits"]) ? given["edits"] : [])]
    .flatMap((part) => (isArguments(part) ? keys.map((key) => part[key]) : []))
    .filter((text) => typeof text === "string")

export const newTextsOf = (given: Arguments): ReadonlyArray<string> => textsOf(given, "new_text", "content")

/** The lines that a change writes. Lines without two word characters in a row, such as brackets, do not count. */
const newLines = ({ call }: CallOutcome): ReadonlyArray<string> =>
  newTextsOf(call.arguments)
    .flatMap((text) => text.split("\n"))
    .map((line) => line.trim())
    .filter((line) => /\w{2}/.test(line))

const isMissing = ({ result }: CallOutcome): boolean => /\bThere is no file at\b/.test(result.error_message ?? "")

const withoutEndSlash = (path: string): string => path.replace(/\/+$/, "")

/** True if the call removes or moves the file, or a folder that contains it. */
const takesAway = ({ call }: CallOutcome, path: string): boolean => {
  const [taken, file] = [pathOf(call), path].map(withoutEndSlash) as [string, string]
  return (call.name === "remove_file" || call.name === "move_file") && (taken === file || isBelow(taken, file))
}

/**
 * True if the failed call named a path that does not exist, and the later call names the path that the model meant. The
 * meant path has the same file name, or the error message suggested it.
 */
const isMeant = (failed: CallOutcome, later: CallOutcome): boolean => {
  const [meant, path] = [pathOf(failed.call), pathOf(later.call)]
  const named = (failed.result.error_message ?? "").split(/[\s,]+/).map((word) => word.replace(/\.$/, ""))
  const [name, other] = [meant, path].map((one) => fileName(withoutEndSlash(one)))
  return isMissing(failed) && (name === other || named.includes(path))
}

/** True if the change removes this text. */
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

/** True if other changes did what a failed change should do. `later` are the successful changes after it. */
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

  /**
   * A failed replacement in all files. It counts as done if a later change made the same replacement, or if an earlier
   * change had removed the old text.
   */
  if (isReplacement(failed)) {
    const isBefore = (one: CallOutcome) => one.result.success && takes(one, String(values["old_text"]))
    return [...answered, ...changes.filter(isBefore)].some((one) => replaces(failed, one))
  }
  /**
   * A change that the program could not read. It counts as done if later answers make as many changes as this answer
   * has unreadable changes.
   */
  if (!hasPath(failed)) {
    return answered.length >= failedBeside.filter((one) => !hasPath(one) && !isReplacement(one)).length
  }
  /** An edit whose old and new text are the same. It counts as done if another change of this file was made. */
  if (typeof values["old_text"] === "string" && values["old_text"] === values["new_text"]) {
    return changes.some((one) => one.result.success && pathOf(one.call) === path)
  }
  /**
   * A failed replacement in one file. It counts as done if a later change of this file makes the same replacement, or
   * writes the whole file.
   */
  if (values["replace_all"] === true) {
    return ofFile.some((one) => one.call.name === "write_file" || replaces(failed, one))
  }
  if (name === "remove_file") {
    return answered.some((one) => takesAway(one, path) || (one.call.name === "remove_file" && isMeant(failed, one)))
  }
  /**
   * A failed move. It counts as done if a later call moves the same file or moves to the same path. It also counts as
   * done if the new path is written and the old path is removed.
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
   * A failed edit, or a whole file that was not written. It counts as done if a later change writes one of the lines of
   * the failed change, or writes the whole file. It also counts as done if there are as many later changes of the file
   * as failed changes.
   */
  const lines = new Set(newLines(failed))
  const bringsLine = (one: CallOutcome): boolean => newLines(one).some((line) => lines.has(line))
  const others = failedBeside.filter((one) => one !== failed && pathOf(one.call) === path)
  // The call named a path that does not exist. The model may therefore have meant another file.
  const elsewhere = isMissing(failed) ? later : []
  return (
    ofFile.length > others.length ||
    elsewhere.some(bringsLine) ||
    ofFile.some((one) => one.call.name === "write_file" || bringsLine(one))
  )
}

/** The failed changes that no change in a later answer replaced. */
export const openChanges = (outcomes: ReadonlyArray<CallOutcome>): ReadonlyArray<CallOutcome> => {
  const changes = outcomes.filter(isChange)
  return changes.filter((failed, index) => {
    const later = changes.slice(index + 1).filter(({ result }) => result.success)
    return !failed.result.success && !isMadeUpFor(failed, changes, later)
  })
}

/**
 * The calls that have effects outside the working copy, and open changes. `files` are the files that were changed in
 * the project itself.
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

/** A change that was not made: the issue that prevented it, and the call that would have made it. */
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
 * The unreadable changes of an answer, from the issues of this answer. If the answer has a report, conflict marks do
 * not count, because the report may quote them.
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
