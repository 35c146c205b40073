/**
 * The kept list of files that programs run or read by themselves, so that a write to one of them can run code: when a
 * project is opened, a folder entered, a commit made or pushed, a program started there. What a person runs on purpose,
 * such as a Makefile, is not among them. The list is the data in automaticFiles.json.
 */

import list from "./automaticFiles.json" with { type: "json" }

/** Files that one product runs or reads by itself. */
export interface AutomaticFiles {
  readonly product: string
  /** A page of the product's documentation, or its project. */
  readonly source: string
  /**
   * The files with what each of them does, in lower case. A name alone stands at any depth, `a/b` where such a path
   * ends; all in a folder counts when the path ends in `/`; `*` stands for any beginning of a name.
   */
  readonly files: Readonly<Record<string, string | undefined>>
}

export const automaticFiles: ReadonlyArray<AutomaticFiles> = list

/** Paths as what their last component is preceded by: `.github/workflows` is `workflows` after `.github`. */
type Endings = ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>>

const endingsOf = (paths: ReadonlyArray<string>): Endings => {
  const found = new Map<string, Array<ReadonlyArray<string>>>()
  for (const path of paths) {
    const parts = path.split("/")
    const last = parts.at(-1) ?? ""
    found.set(last, [...(found.get(last) ?? []), parts.slice(0, -1)])
  }
  return found
}

const allPaths = automaticFiles.flatMap(({ files }) => Object.keys(files))
const folders = endingsOf(allPaths.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1)))
const names = endingsOf(allPaths.filter((path) => !path.endsWith("/") && !path.startsWith("*")))
const nameEndings = allPaths.filter((path) => path.startsWith("*")).map((path) => path.slice(1))

/** True when the components up to this index end in one of these paths. */
const endsIn = (endings: Endings, components: ReadonlyArray<string>, index: number): boolean =>
  endings
    .get(components[index] ?? "")
    ?.some((before) => before.every((part, at) => part === components[index - before.length + at])) ?? false

/** True when a file of these components, in lower case, is in the list. */
export const isInAutomaticFiles = (components: ReadonlyArray<string>): boolean => {
  const last = components.length - 1
  const name = components[last] ?? ""
  return (
    components.some((_, index) => index < last && endsIn(folders, components, index)) ||
    endsIn(names, components, last) ||
    nameEndings.some((ending) => name.endsWith(ending))
  )
}
