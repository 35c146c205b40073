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

const paths = automaticFiles.flatMap(({ files }) => Object.keys(files))
const exact: ReadonlySet<string> = new Set(paths.filter((path) => !path.startsWith("*")))
const nameEndings = paths.filter((path) => path.startsWith("*")).map((path) => path.slice(1))
const longest = Math.max(...paths.map((path) => path.replace(/\/$/, "").split("/").length))

/** The ends of a path that consists of the first of these components, as they stand in the list. */
const endsOf = (components: ReadonlyArray<string>, length: number): ReadonlyArray<string> =>
  Array.from({ length: Math.min(longest, length) }, (_, index) =>
    components.slice(length - index - 1, length).join("/")
  )

/** True when a file of these components, in lower case, is in the list. */
export const isInAutomaticFiles = (components: ReadonlyArray<string>): boolean =>
  components.slice(0, -1).some((_, index) => endsOf(components, index + 1).some((end) => exact.has(`${end}/`))) ||
  endsOf(components, components.length).some((end) => exact.has(end)) ||
  nameEndings.some((ending) => components.at(-1)?.endsWith(ending) === true)
