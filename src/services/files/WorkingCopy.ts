/**
 * The changes that one task proposes, by file. The task sees the project with them; nothing else sees them before they are
 * approved and made.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { FileKind } from "../../domain/files/FileKind.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { changedLines } from "../../domain/files/TextEdit.ts"

export type WorkingCopy = ReturnType<typeof makeWorkingCopy>

const ofKind = (kind: FileKind | undefined) => (kind === undefined ? {} : { kind })

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
    propose: ({ base: given, kind: becomes, path, text }: ProposedFile): void => {
      const before = proposed.get(path)
      const base = before === undefined ? given : before.base
      const kind = text === null ? undefined : (becomes ?? before?.kind)
      version += 1
      if (text === base && kind === undefined) proposed.delete(path)
      else proposed.set(path, { path, base, text, ...ofKind(kind) })
    },
    /** What differs from the project, by path. */
    files: (): ReadonlyArray<ProposedFile> => inOrder(proposed.values()),
    /** What differs from the texts that the copy began with, by path. */
    own: (): ReadonlyArray<ProposedFile> =>
      inOrder(new Map([...first, ...proposed]).values()).flatMap(({ base: inProject, path }) => {
        const base = first.has(path) ? (first.get(path)?.text ?? null) : inProject
        const text = proposed.has(path) ? (proposed.get(path)?.text ?? null) : inProject
        const kind = proposed.get(path)?.kind
        const isSame = base === text && kind === first.get(path)?.kind
        return isSame ? [] : [{ path, base, text, ...ofKind(kind) }]
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
    return was.text === file.text && was.kind === file.kind ? [] : [{ ...file, base: null }]
  })
  const back = before.flatMap(({ base, path }): ReadonlyArray<ProposedFile> =>
    copy.get(path) === undefined ? [{ path, base: null, text: base }] : []
  )
  return [...changed, ...back]
}

/** The same with the lines that changed alone, where a text is known that they stand in. */
export const changesSince = (copy: WorkingCopy, before: ReadonlyArray<ProposedFile>): ReadonlyArray<ProposedChange> => {
  const known = new Map(before.map((file) => [file.path, file.text]))
  return proposedSince(copy, before).map((file): ProposedChange => {
    const { base, kind, path, text } = file
    const was = known.get(path) ?? base
    if (was === null || text === null) return file
    const { head, now, old, tail } = changedLines(was, text)
    const lines = { from: head, count: old.length - head - tail, now: now.slice(head, now.length - tail) }
    return Object.assign({ path, base, lines }, ofKind(kind))
  })
}

/** Makes changes again in a copy that is as it was before them. */
export const proposeAgain = (copy: WorkingCopy, changes: ReadonlyArray<ProposedChange>): void => {
  for (const { base, kind, lines, path, text = null } of changes) {
    const was = (copy.get(path)?.text ?? base ?? "").split("\n")
    const now = lines === undefined ? text : was.toSpliced(lines.from, lines.count, ...lines.now).join("\n")
    copy.propose({ path, base, text: now, ...ofKind(kind) })
  }
}

/** The working copy of the task that a fiber works for; absent outside of tasks. */
export const CurrentCopy = Context.Reference<WorkingCopy | undefined>("task-conductor/services/files/CurrentCopy", {
  defaultValue: () => undefined
})
