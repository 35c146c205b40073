/**
 * The changes that one task proposes, by file. The task sees the project with them; nothing else sees them before they are
 * approved and made.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { FileEntry } from "../../domain/files/FileEntry.ts"
import { FileKind } from "../../domain/files/FileKind.ts"
import { besideText, changesFile, isOpaque, type ProposedFile } from "../../domain/files/ProposedFile.ts"
import { changedLines } from "../../domain/files/TextEdit.ts"

export type WorkingCopy = ReturnType<typeof makeWorkingCopy>

/**
 * A proposal after an earlier one of the same path: the project is as it was then, and so is what the file becomes. A text that is
 * written takes the place of bytes that were moved there; a file that is moved back has not changed.
 */
const proposedAfter = (before: ProposedFile | undefined, proposal: ProposedFile): ProposedFile => {
  const { path, text } = proposal
  const { base, holds } = before ?? proposal
  if (text === null)
    return { path, base, text, ...besideText({ ...proposal, holds, from: undefined, kind: undefined }) }
  const moved = before !== undefined && before.text !== null && !isOpaque(before) ? before : undefined
  const isBack = proposal.from?.path === path
  const from = isBack ? undefined : (proposal.from ?? moved?.from)
  const kind = isBack || proposal.from !== undefined ? proposal.kind : (proposal.kind ?? before?.kind)
  const folder = proposal.folder ?? (isBack ? undefined : moved?.folder)
  const isSame = isBack && holds !== undefined
  const beside = besideText({ folder, from, kind, holds: isSame ? undefined : holds })
  return { path, base, text: isSame ? base : text, ...beside }
}

/** True when two proposals leave the same at their path. */
const isAlike = (a: ProposedFile, b: ProposedFile): boolean =>
  a.text === b.text && a.kind === b.kind && a.from?.path === b.from?.path && a.from?.state === b.from?.state

const inOrder = (files: Iterable<ProposedFile>): ReadonlyArray<ProposedFile> =>
  [...files].toSorted((a, b) => (a.path < b.path ? -1 : 1))

/** A copy that begins with the proposals of others, which are not its own. Its files have canonical paths, and the texts of the project as their bases. */
export const makeWorkingCopy = (others: ReadonlyArray<ProposedFile> = []) => {
  const first = new Map(others.map((file) => [file.path, file]))
  const proposed = new Map(first)
  const tools = new Map<string, Set<string>>()
  let version = 0
  return {
    get: (path: string): ProposedFile | undefined => proposed.get(path),
    /** Proposes a text. The base and the kind of an earlier proposal stay; a proposal that equals the base is none. */
    propose: (given: ProposedFile): void => {
      const file = proposedAfter(proposed.get(given.path), given)
      version += 1
      if (changesFile(file)) proposed.set(file.path, file)
      else proposed.delete(file.path)
    },
    /** What differs from the project, by path. */
    files: (): ReadonlyArray<ProposedFile> => inOrder(proposed.values()),
    /** What differs from the texts that the copy began with, by path. */
    own: (): ReadonlyArray<ProposedFile> =>
      inOrder(new Map([...first, ...proposed]).values()).flatMap((file) => {
        const { path } = file
        const before = first.get(path)
        if (before === undefined) return [file]
        const now = proposed.get(path)
        if (now !== undefined && isAlike(before, now)) return []
        const after = now ?? { path, base: null, text: file.base }
        return [{ path, base: before.text, text: after.text, ...besideText({ ...after, holds: undefined }) }]
      }),
    /** Notes that a tool changed a file, by the name of the tool. */
    noteChange: (path: string, tool: string): void => void tools.set(path, (tools.get(path) ?? new Set()).add(tool)),
    /** The tools that changed a file, as they were noted. */
    changedBy: (path: string): ReadonlySet<string> => tools.get(path) ?? new Set(),
    /** Another number after each change of the proposals. */
    version: (): number => version
  }
}

/** A change of a proposal as a journal holds it: the lines that changed, where there was a text before. */
export const ProposedChange = Schema.Struct({
  path: Schema.String,
  /** The text in the project; null for a file that is not there, and for one that was proposed before. */
  base: Schema.NullOr(Schema.String),
  /** The whole text, where there was none before or there is none now. */
  text: Schema.optionalKey(Schema.NullOr(Schema.String)),
  kind: Schema.optionalKey(FileKind),
  holds: Schema.optionalKey(FileEntry),
  from: Schema.optionalKey(FileEntry),
  /** So many lines from this one on, from 0, are replaced; absent with a whole text. */
  lines: Schema.optionalKey(Schema.Struct({ from: Schema.Int, count: Schema.Int, now: Schema.Array(Schema.String) }))
})
export type ProposedChange = typeof ProposedChange.Type

/**
 * What `copy` proposes otherwise than before; a proposal that was taken back proposes its base. The base of a file that was
 * proposed before is left out.
 */
export const proposedSince = (copy: WorkingCopy, before: ReadonlyArray<ProposedFile>): ReadonlyArray<ProposedFile> => {
  const known = new Map(before.map((file) => [file.path, file]))
  const changed = copy.files().flatMap((file): ReadonlyArray<ProposedFile> => {
    const was = known.get(file.path)
    if (was === undefined) return [file]
    return isAlike(was, file) ? [] : [{ ...file, base: null }]
  })
  const back = before.flatMap(({ base, holds, path }): ReadonlyArray<ProposedFile> => {
    if (copy.get(path) !== undefined) return []
    return [holds === undefined ? { path, base: null, text: base } : { path, base: null, text: "", from: holds }]
  })
  return [...changed, ...back]
}

/** The same with the lines that changed alone, where a text is known that they stand in. */
export const changesSince = (copy: WorkingCopy, before: ReadonlyArray<ProposedFile>): ReadonlyArray<ProposedChange> => {
  const textsBefore = new Map(before.map((file) => [file.path, file.text]))
  return proposedSince(copy, before).map((file): ProposedChange => {
    const { base, path, text } = file
    const was = textsBefore.get(path) ?? base
    if (was === null || text === null) return file
    const { head, now, old, tail } = changedLines(was, text)
    const lines = { from: head, count: old.length - head - tail, now: now.slice(head, now.length - tail) }
    return Object.assign({ path, base, lines }, besideText(file))
  })
}

/** Makes changes again in a copy that is as it was before them. */
export const proposeAgain = (copy: WorkingCopy, changes: ReadonlyArray<ProposedChange>): void => {
  for (const change of changes) {
    const { base, lines, path, text = null } = change
    const was = (copy.get(path)?.text ?? base ?? "").split("\n")
    const now = lines === undefined ? text : was.toSpliced(lines.from, lines.count, ...lines.now).join("\n")
    copy.propose({ path, base, text: now, ...besideText(change) })
  }
}

/** The working copy of the task that a fiber works for; absent outside of tasks. */
export const CurrentCopy = Context.Reference<WorkingCopy | undefined>("task-conductor/services/files/CurrentCopy", {
  defaultValue: () => undefined
})
