/**
 * Converts the changes of a working copy to calls that make these changes in the project. Also converts such calls back
 * to changes. If a file is moved, the move comes before other calls at its new path. A whole folder is moved or removed
 * with one call.
 */
import * as Schema from "effect/Schema"
import type { FileBase, TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import { FileKind } from "../../domain/files/FileKind.ts"
import { isBelow } from "../../domain/files/PathList.ts"
import { besideText, isOpaque, type ProposedFile } from "../../domain/files/ProposedFile.ts"
import { smallestEdit } from "../../domain/files/TextEdit.ts"
import { pathOf, pathsOf, type ToolCall } from "../../domain/tools/ToolCall.ts"

type Unnumbered = Omit<ToolCall, "uid">

/** A move of a file or of a whole folder. */
interface Move {
  readonly from: string
  readonly to: string
}

/** A call that changes an existing file from one text to another. */
export const fileCall = (path: string, before: string, after: string): Unnumbered => {
  const edit = smallestEdit(before, after)
  return edit === undefined || edit.oldText === ""
    ? { name: "write_file", arguments: { path, content: after } }
    : { name: "edit_file", arguments: { path, old_text: edit.oldText, new_text: edit.newText } }
}

const removal = (path: string): Unnumbered => ({ name: "remove_file", arguments: { path } })

/**
 * Returns the move of a whole folder, if the file was moved together with its folder. Undefined if only the file was
 * moved.
 */
const wholeMove = (file: ProposedFile, files: ReadonlyArray<ProposedFile>): Move | undefined => {
  const source = files.find(({ path, text }) => path === file.from?.path && text === null)?.folder
  const { folder } = file
  if (source === undefined || folder === undefined) return undefined
  const gone = files.filter((one) => isBelow(source, one.path))
  const isWhole = gone.every(
    ({ folder: of, path, text }) =>
      text === null &&
      of === source &&
      files.some(({ from, path: to }) => from?.path === path && to === folder + path.slice(source.length))
  )
  return isWhole ? { from: source, to: folder } : undefined
}

/** The moves of files and folders, without duplicates. */
const movesIn = (files: ReadonlyArray<ProposedFile>): ReadonlyArray<Move> => {
  const all = files.flatMap((file): ReadonlyArray<Move> => {
    const { from, path } = file
    return from === undefined ? [] : [wholeMove(file, files) ?? { from: from.path, to: path }]
  })
  return all.filter((move, index) => all.findIndex(({ to }) => to === move.to) === index)
}

/** A removal or a move of a file or folder. */
type Step = Move | { readonly from: string; readonly to?: undefined }

/** True if the paths are equal, or if one of them contains the other. */
const overlaps = (a: string, b: string): boolean => a === b || isBelow(a, b) || isBelow(b, a)

/**
 * True if `step` must come before `later`. This is so if `step` frees the target of `later`, or if `later` would remove
 * what `step` moves.
 */
const isBefore = (step: Step, later: Step): boolean => {
  if (step === later) return false
  const isFreed = later.to !== undefined && overlaps(step.from, later.to)
  const isSaved = step.to !== undefined && later.to === undefined && overlaps(step.from, later.from)
  return isFreed || isSaved
}

/** A temporary name in the same folder as the target of a move. No step moves that folder. */
const waitingAt = (to: string): string => `${to}.moving`

/**
 * Orders the steps so that each of them is possible. If steps form a cycle, such as `a` to `b` and `b` to `a`, files
 * first get a temporary name.
 */
const inOrder = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> => {
  const ordered: Array<Step> = []
  let open = steps
  while (open.length > 0) {
    const next = open.find((step) => !open.some((other) => isBefore(other, step)))
    const first = open.find((step) => step.to !== undefined && step.from !== waitingAt(step.to))
    if (next !== undefined) {
      ordered.push(next)
      open = open.filter((one) => one !== next)
    } else if (first?.to === undefined) return [...ordered, ...open]
    else {
      const waiting = { from: waitingAt(first.to), to: first.to }
      ordered.push({ from: first.from, to: waiting.from })
      open = [...open.filter((one) => one !== first), waiting]
    }
  }
  return ordered
}

/** True if a folder or link must be removed before the file is written. */
const standsInTheWay = ({ holds, kind, text }: ProposedFile): boolean =>
  text !== null && holds !== undefined && (holds.is !== "file" || kind === "link")

/** The call that writes the text of a file. It comes after the moves. */
const writing = (file: ProposedFile, base: string | null, isWritten: boolean): ReadonlyArray<Unnumbered> => {
  const { from, kind, path, text } = file
  if (text === null || isOpaque(file) || (from !== undefined && kind === "link")) return []
  if (from !== undefined && base === text && kind === undefined) return []
  if (base !== null && kind === undefined && !isWritten) return [fileCall(path, base, text)]
  return [{ name: "write_file", arguments: { path, content: text, ...(kind === undefined ? {} : { kind }) } }]
}

/**
 * The calls that make these changes, in a possible order. `wasWritten` returns true if the file was always written as a
 * whole, never edited. `nameOf` returns the path of a file in the project.
 */
export const finalCalls = (
  files: ReadonlyArray<ProposedFile>,
  { nameOf, wasWritten }: { readonly nameOf: (path: string) => string; readonly wasWritten: (path: string) => boolean }
): ReadonlyArray<Unnumbered> => {
  const moves = movesIn(files)
  const goes = (path: string): boolean => moves.some(({ from }) => from === path || isBelow(from, path))
  const isTarget = (path: string): boolean => moves.some(({ to }) => to === path || isBelow(to, path))
  const textOf = (path: string): string | null => files.find((one) => one.path === path)?.base ?? null
  const isGone = (folder: string): boolean =>
    files.every(({ path, text }) => !isBelow(folder, path) || text === null) &&
    !moves.some(({ from }) => from === folder || isBelow(from, folder))
  const folders = [
    ...new Set(
      files.flatMap(({ folder, text }) => (text === null && folder !== undefined && isGone(folder) ? [folder] : []))
    )
  ]
  const whole = folders.filter((folder) => !folders.some((other) => isBelow(other, folder)))
  const isInWhole = (path: string): boolean => whole.some((folder) => folder === path || isBelow(folder, path))
  const inWay = files.filter(
    (file) =>
      !goes(file.path) &&
      (standsInTheWay(file) || (isTarget(file.path) && (file.base !== null || file.holds !== undefined)))
  )
  const single = files.filter(({ path, text }) => text === null && !goes(path) && !isInWhole(path))
  const gone = [...new Set([...whole, ...[...single, ...inWay].map(({ path }) => path)])]
  const removals = gone.filter((path) => !gone.some((folder) => isBelow(folder, path))).toSorted()
  const steps = inOrder([...removals.map((from): Step => ({ from })), ...moves])
  const writes = files.flatMap((file) => {
    const isMoved = file.from !== undefined
    const isLeft = goes(file.path) || inWay.includes(file)
    const base = isMoved ? textOf(file.from.path) : isLeft ? null : file.base
    return writing({ ...file, path: nameOf(file.path) }, base, !isMoved && wasWritten(file.path))
  })
  return [
    ...steps.map(({ from, to }) =>
      to === undefined
        ? removal(nameOf(from))
        : { name: "move_file", arguments: { path: nameOf(from), to: nameOf(to) } }
    ),
    ...writes
  ]
}

/** True if the call changes this file. A call that moves or removes a folder changes all files in it. */
export const changesPath = (call: ToolCall, file: string): boolean =>
  pathsOf(call).some((path) => path === file || (/^(?:move|remove)_file$/.test(call.name) && isBelow(path, file)))

/** True for a call that changes more than one file. */
export const isOfSeveral = (call: ToolCall, files: ReadonlyArray<string>): boolean =>
  files.filter((file) => changesPath(call, file)).length > 1

/**
 * The path and text of a file before a proposal. `now` is present if the proposal has details that no call can express.
 * It then contains these details and the new text.
 */
export const baseOf = (file: ProposedFile): FileBase => {
  const { base, path, text } = file
  const beside = besideText(file)
  const { kind: _kind, ...more } = beside
  return { path, text: base, ...(Object.keys(more).length === 0 ? {} : { now: { text, ...beside } }) }
}

const isKind = Schema.is(FileKind)

/**
 * The text that a call produces from the text `base`. Null if the call removes the file; undefined if the call does not
 * fit the text.
 */
const textAfter = (base: string | null, { arguments: given, name }: ToolCall): string | null | undefined => {
  if (name === "remove_file") return null
  const { content, new_text: newText, old_text: oldText } = given
  if (typeof content === "string") return content
  if (base === null || typeof oldText !== "string" || typeof newText !== "string") return undefined
  return base.includes(oldText) ? base.replace(oldText, () => newText) : undefined
}

/**
 * The file changes that the calls of an outcome make. Files whose earlier text is unknown are left out. Paths are
 * relative to the project.
 */
export const proposedBy = ({ bases = [], calls }: Pick<TaskOutcome, "bases" | "calls">): ReadonlyArray<ProposedFile> =>
  bases.flatMap(({ now, path: file, text: base }): ReadonlyArray<ProposedFile> => {
    if (now !== undefined) return calls.some((call) => changesPath(call, file)) ? [{ path: file, base, ...now }] : []
    const call = calls.find((one) => pathOf(one) === file)
    const text = call === undefined ? undefined : textAfter(base, call)
    if (call === undefined || text === undefined) return []
    const { kind } = call.arguments
    return [{ path: file, base, text, ...(isKind(kind) ? { kind } : {}) }]
  })
