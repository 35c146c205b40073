/**
 * Lists the names of the files that a search skipped, with the reasons. Every answer about "all files" includes this
 * list.
 */
import { listWithin } from "../text/Excerpt.ts"
import { counted } from "../text/Format.ts"

export type SkipReason = "binary" | "large" | "secret" | "denied" | "unreadable" | "passed over" | "outside"

/** A file that was not searched. */
export interface SkippedFile {
  /** Relative to the project. */
  readonly path: string
  /** Why the file was skipped. */
  readonly reason: SkipReason
}

/** The words for each reason: about one file, and about several files. */
const reasons: Readonly<Record<SkipReason, readonly [one: string, several: string]>> = {
  secret: ["that looks like a secret", "that look like secrets"],
  denied: ["that may not be read", "that may not be read"],
  large: ["that is too large", "that are too large"],
  unreadable: ["that cannot be read", "that cannot be read"],
  "passed over": ["below node_modules that git tracks", "below node_modules that git tracks"],
  binary: ["that is not text", "that are not text"],
  outside: ["that leads out of the project", "that lead out of the project"]
}

/** The maximum length of the file names for one reason, in characters. */
const namesLength = 120

const reasonText = (reason: SkipReason, paths: ReadonlyArray<string>): string => {
  const names = listWithin(paths, namesLength, (count) => `and ${count} more`).text.replaceAll("\n", ", ")
  return `${counted(paths.length, "file")} ${reasons[reason][paths.length === 1 ? 0 : 1]} (${names})`
}

/** For example `1 file that looks like a secret (.env)`. Empty if no file was skipped. */
export const skippedText = (skipped: ReadonlyArray<SkippedFile>): string => {
  const byReason = Map.groupBy(skipped, ({ reason }) => reason)
  return (Object.keys(reasons) as ReadonlyArray<SkipReason>)
    .flatMap((reason) => {
      const paths = byReason.get(reason)?.map(({ path }) => path) ?? []
      return paths.length === 0 ? [] : [reasonText(reason, paths)]
    })
    .join(", ")
}
