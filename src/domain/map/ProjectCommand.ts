/**
 * A command that a file of the project names, and which of them matter most to somebody who wants to check the project.
 */

export interface ProjectCommand {
  /** What is to be run: program and arguments with blanks between them. */
  readonly run: string
  /** What the project runs then; absent when the kind of the project decides it. */
  readonly does?: string
  /** The file that names it. */
  readonly from: string
}

/** A file that may name commands. */
export interface Manifest {
  readonly path: string
  readonly text: string
  /** Paths of all files of the project. */
  readonly files: ReadonlySet<string>
}

/** The folder of a file with `/` at its end; empty for the project. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)

/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** Kinds of names, the most useful first; names of no kind come before the last. */
const kinds: ReadonlyArray<RegExp> = [
  /^(?:test|tests|check|spec)$/,
  /test|spec|check|verify/,
  /lint|clippy|vet|ruff/,
  /type|tsc|mypy/,
  /build|compile/,
  /format|fmt/
]
const lasting = /deploy|publish|release|upload|install|uninstall|clean|push/

const kindOf = ({ run }: ProjectCommand): number => {
  const name = run.toLowerCase().split(" ").slice(1).join(" ") || run.toLowerCase()
  if (lasting.test(name)) return kinds.length + 1
  const kind = kinds.findIndex((pattern) => pattern.test(name))
  return kind === -1 ? kinds.length : kind
}

/** Checks first, what leaves lasting traces last; of one kind in the order of the project. */
export const byUse = (commands: ReadonlyArray<ProjectCommand>): ReadonlyArray<ProjectCommand> =>
  commands.toSorted((a, b) => kindOf(a) - kindOf(b))

/** A name that can be given to a program as one argument. */
export const isCommandName = (name: string): boolean => /^[\w@][\w@:./+-]{0,59}$/.test(name)
