/** The changes that one task proposes, by file. Until they are approved and made, only this task sees them. */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { FileEntry } from "../../domain/files/FileEntry.ts"
import { FileKind } from "../../domain/files/FileKind.ts"
import { besideText, changesFile, isOpaque, type ProposedFile } from "../../domain/files/ProposedFile.ts"
import { changedLines } from "../../domain/files/TextEdit.ts"

export type WorkingCopy = ReturnType<typeof makeWorkingCopy>

/**
 * Combines a proposal with an earlier proposal for the same path. The base of the earlier proposal stays. A written
 * text replaces the bytes of a moved file. A file that is moved back counts as unchanged.
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

/** True if two proposals produce the same file. */
const isAlike = (a: ProposedFile, b: ProposedFile): boolean =>
  a.text === b.text && a.kind === b.kind && a.from?.path === b.from?.path && a.from?.state === b.from?.state

const inOrder = (files: Iterable<ProposedFile>): ReadonlyArray<ProposedFile> =>
  [...files].toSorted((a, b) => (a.path < b.path ? -1 : 1))

/**
 * Makes a copy that begins with the proposals of other tasks, which do not count as changes of this task. Paths are
 * canonical. The base of a proposal is the text in the project.
 */
export const makeWorkingCopy = (others: ReadonlyArray<ProposedFile> = []) => {
  const first = new Map(others.map((file) => [file.path, file]))
  const proposed = new Map(first)
  const tools = new Map<string, Set<string>>()
  let version = 0
  return {
    get: (path: string): ProposedFile | undefined => proposed.get(path),
    /**
     * Proposes a text for a file. Keeps the base and kind of an earlier proposal. A text equal to the base ends the
     * proposal.
     */
    propose: (given: ProposedFile): void => {
      const file = proposedAfter(proposed.get(given.path), given)
      version += 1
      if (changesFile(file)) proposed.set(file.path, file)
      else proposed.delete(file.path)
    },
    /** The files that differ from the project, by path. */
    files: (): ReadonlyArray<ProposedFile> => inOrder(proposed.values()),
    /** The files that differ from the state in which the copy began, by path. */
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
    noteChange: (path: string, tool: string): void => void tools.set(path, (tools.get(path) ?? new Set()).add(tool)),
    /** The tools that changed a file, as `noteChange` noted them. */
    changedBy: (path: string): ReadonlySet<string> => tools.get(path) ?? new Set(),
    /** A number that changes with each proposal. */
    version: (): number => version
  }
}

/** A proposal as the journal stores it: only the changed lines, if the file had a text before. */
export const ProposedChange = Schema.Struct({
  path: Schema.String,
  /** The text in the project. Null if there is no file, or if an earlier proposal changed the file. */
  base: Schema.NullOr(Schema.String),
  /** Null for a removed file. Otherwise the whole text, which is stored only if the file had no text before. */
  text: Schema.optionalKey(Schema.NullOr(Schema.String)),
  kind: Schema.optionalKey(FileKind),
  holds: Schema.optionalKey(FileEntry),
  from: Schema.optionalKey(FileEntry),
  /** Replaces `count` lines from the index `from`. Absent if the whole text is stored. */
  lines: Schema.optionalKey(Schema.Struct({ from: Schema.Int, count: Schema.Int, now: Schema.Array(Schema.String) }))
})
export type ProposedChange = typeof ProposedChange.Type

/**
 * The proposals that changed since `before`. If a proposal in `before` was withdrawn, the result proposes the original
 * text of its file. For every file with a proposal in `before`, the base is null.
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

/**
 * The proposals that changed since `before`, as the journal stores them: only the changed lines, if the previous text
 * is known.
 */
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

/** Applies stored changes to a copy. The copy must have the same content as before these changes. */
export const proposeAgain = (copy: WorkingCopy, changes: ReadonlyArray<ProposedChange>): void => {
  for (const change of changes) {
    const { base, lines, path, text = null } = change
    const was = (copy.get(path)?.text ?? base ?? "").split("\n")
    const now = lines === undefined ? text : was.toSpliced(lines.from, lines.count, ...lines.now).join("\n")
    copy.propose({ path, base, text: now, ...besideText(change) })
  }
}

/** The working copy of the current task; absent outside tasks. */
export const CurrentCopy = Context.Reference<WorkingCopy | undefined>("task-conductor/services/files/CurrentCopy", {
  defaultValue: () => undefined
})
