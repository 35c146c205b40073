/**
 * The changes that one task proposes, by file. The task sees the project with them; nothing else sees them before they are
 * approved and made.
 */
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"

/** One file of a working copy, at its canonical path. */
export const ProposedFile = Schema.Struct({
  path: Schema.String,
  /** The text in the project that the proposal starts from; `null` for a file that is not there. */
  base: Schema.NullOr(Schema.String),
  /** The proposed text; `null` for a file that is removed. */
  text: Schema.NullOr(Schema.String)
})
export type ProposedFile = typeof ProposedFile.Type

export type WorkingCopy = ReturnType<typeof makeWorkingCopy>

export const makeWorkingCopy = () => {
  const proposed = new Map<string, ProposedFile>()
  const tools = new Map<string, Set<string>>()
  let version = 0
  return {
    get: (path: string): ProposedFile | undefined => proposed.get(path),
    /** Proposes a text. The base of an earlier proposal stays; a proposal that equals it is none. */
    propose: ({ base: given, path, text }: ProposedFile): void => {
      const before = proposed.get(path)
      const base = before === undefined ? given : before.base
      version += 1
      if (text === base) proposed.delete(path)
      else proposed.set(path, { path, base, text })
    },
    /** What differs from the project, by path. */
    files: (): ReadonlyArray<ProposedFile> => [...proposed.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    /** Notes that a tool changed a file, by the name of the tool. */
    noteChange: (path: string, tool: string): void => void tools.set(path, (tools.get(path) ?? new Set()).add(tool)),
    /** The tools that changed a file, as they were noted. */
    changedBy: (path: string): ReadonlySet<string> => tools.get(path) ?? new Set(),
    /** Another number after each change of the proposals. */
    version: (): number => version
  }
}

/**
 * What `copy` proposes otherwise than before; a proposal that was taken back proposes its base. The base of a file that was
 * proposed before is left out.
 */
export const proposedSince = (copy: WorkingCopy, before: ReadonlyArray<ProposedFile>): ReadonlyArray<ProposedFile> => {
  const known = new Map(before.map((file) => [file.path, file]))
  const changed = copy.files().flatMap(({ base, path, text }): ReadonlyArray<ProposedFile> => {
    const was = known.get(path)
    if (was === undefined) return [{ path, base, text }]
    return was.text === text ? [] : [{ path, base: null, text }]
  })
  const back = before.flatMap(({ base, path }): ReadonlyArray<ProposedFile> =>
    copy.get(path) === undefined ? [{ path, base: null, text: base }] : []
  )
  return [...changed, ...back]
}

/** The working copy of the task that a fiber works for; absent outside of tasks. */
export const CurrentCopy = Context.Reference<WorkingCopy | undefined>("task-conductor/services/files/CurrentCopy", {
  defaultValue: () => undefined
})
