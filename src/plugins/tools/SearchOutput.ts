/** The text of a search's output: how many matches there are and where, and what was not searched. */
import * as Effect from "effect/Effect"
import { encodingName, type SkippedFile, skippedText, Workspace } from "../../plugin-kit.ts"
import type { filesBelow } from "./FileTree.ts"

export interface SearchRequest {
  readonly pattern: string
  readonly path?: string | undefined
  readonly glob?: string | undefined
  readonly regex?: boolean | undefined
  readonly case_sensitive?: boolean | undefined
}

/** What a search found until it ended. */
export interface SearchEnd {
  /** The chosen matches, as rows of text. */
  readonly rows: string
  /** The files with matches, and how many of these are shown. */
  readonly files: ReadonlyArray<{ readonly file: string; readonly matches: number; readonly shownMatches: number }>
  readonly skipped: ReadonlyArray<SkippedFile>
  /** The number of searched files. */
  readonly searched: number
  /** Set if the search ended before it had searched all files. */
  readonly ended: "time" | undefined
}

/** The time limit of a search, and the setting for it. */
export interface SearchTime {
  readonly seconds: number
  readonly setting: string
}

const count = (number: number, noun = "file"): string =>
  `${number} ${noun}${number === 1 ? "" : noun === "match" ? "es" : "s"}`

const mostNamed = 12

/**
 * The number of matches in each file, the files with the most matches first. If only 3 of 12 matches are shown, the
 * number is written as `3 of 12`.
 */
const byFile = (files: SearchEnd["files"]): string => {
  const sorted = files.toSorted((a, b) => b.matches - a.matches)
  const namedFiles = sorted
    .slice(0, mostNamed)
    .map(
      ({ file, matches, shownMatches }) =>
        `${file} ${shownMatches < matches ? `${shownMatches} of ${matches}` : matches}`
    )
  const rest = sorted.slice(mostNamed)
  const others = rest.reduce((sum, { matches }) => sum + matches, 0)
  const more = rest.length === 0 ? "" : `, and ${count(others, "match")} in ${count(rest.length)} more`
  const narrower = files.length > 1 ? "name a file with path" : "look for a longer text"
  return `Shown by file: ${namedFiles.join(", ")}${more}. For others ${narrower}, or give a higher max_results.`
}

/** The first line of the output: the number of matches, and whether letter case counted. */
const headOf = (
  { case_sensitive = false, pattern, regex = false }: SearchRequest,
  { ended: stopReason, files }: SearchEnd
) => {
  const total = files.reduce((sum, { matches }) => sum + matches, 0)
  const hasCase = regex || pattern.toLowerCase() !== pattern.toUpperCase()
  const letters = case_sensitive ? "letter case matters" : "letter case ignored"
  const head = `${stopReason === undefined ? "" : "At least "}${count(total, "match")} in ${count(files.length)}${hasCase ? `, ${letters}` : ""}.`
  return files.every(({ matches, shownMatches }) => shownMatches === matches) ? [head] : [`${head} ${byFile(files)}`]
}

type Listing = Effect.Success<ReturnType<typeof filesBelow>>["listing"]

/** The maximum number of files whose encoding is looked up. */
const mostEncodings = 30

/** Notes about encodings other than UTF-8 in the shown files, one for each encoding. */
const encodingNotes = Effect.fnUntraced(function* (files: SearchEnd["files"]) {
  const { encoding, root } = yield* Workspace
  const shownFiles = files.filter(({ shownMatches }) => shownMatches > 0).slice(0, mostEncodings)
  const encodings = yield* Effect.forEach(
    shownFiles,
    ({ file }) => Effect.map(encoding(`${root}/${file}`), (name) => ({ file, name })),
    { concurrency: "unbounded" }
  )
  const others = encodings.flatMap(({ file, name }) =>
    name === undefined || name === "UTF-8" ? [] : [{ file, name: encodingName(name) }]
  )
  return [...Map.groupBy(others, ({ name }) => name)].map(
    ([name, some]) => `(Encoded as ${name}: ${some.map(({ file }) => file).join(", ")}.)`
  )
})

/** The folders that an incomplete listing lacks. */
const unlisted = ({ isWhole, unread }: Listing): ReadonlyArray<string> => {
  if (isWhole) return []
  const named = unread.slice(0, 5).join(", ")
  const more = unread.length > 5 ? ` and ${unread.length - 5} more folders` : ""
  return [`(There are more than 100,000 files: those in ${named}${more} were not searched. Give a path.)`]
}

/** Notes about what was not searched. If something was found, they leave out files that are not text. */
const notesOf = (
  files: number,
  { ended: stopReason, files: matchedFiles, searched, skipped: all }: SearchEnd,
  listing: Listing,
  { seconds, setting }: SearchTime
) => {
  const skipped = all.filter(({ reason }) => matchedFiles.length === 0 || reason !== "binary")
  return [
    ...(stopReason === undefined
      ? []
      : [
          `(Searched ${searched} of ${count(files)}, then the limit of ${seconds} s was reached. Give a path or a glob, or simplify the pattern; the user can raise ${setting}.)`
        ]),
    ...(skipped.length === 0 ? [] : [`(Not searched: ${skippedText(skipped)}.)`]),
    ...unlisted(listing),
    ...listing.problems.map((problem) => `(${problem})`)
  ]
}

const nothingIn = (
  { case_sensitive, glob, path, pattern, regex }: SearchRequest,
  files: number,
  isPartial: boolean
): string => {
  const place = `${path === undefined ? "" : ` below ${path}`}${glob === undefined ? "" : ` like ${glob}`}`
  const how = case_sensitive === true ? " in this letter case" : ""
  const quoted = JSON.stringify(pattern)
  return isPartial
    ? `${quoted} was not found in the ${count(files)}${place} that ${files === 1 ? "was" : "were"} searched${how}.`
    : `No line of the ${count(files)}${place} ${regex === true ? "matches" : "holds"} ${quoted}${how}.`
}

/** The output. `files` is the number of files that were to be searched, and `listing` has the project's files. */
export const searchOutput = Effect.fnUntraced(function* (
  params: SearchRequest,
  files: number,
  searchEnd: SearchEnd,
  listing: Listing,
  time: SearchTime
) {
  const left = listing.passedOver.map((path) => ({ path, reason: "passed over" as const }))
  const end = { ...searchEnd, skipped: [...searchEnd.skipped, ...left] }
  const isPartial = end.skipped.length + listing.problems.length > 0 || !listing.isWhole
  const none = end.ended === undefined ? [nothingIn(params, files - searchEnd.skipped.length, isPartial)] : []
  const lines = end.files.length === 0 ? none : [...headOf(params, end), end.rows, ...(yield* encodingNotes(end.files))]
  return [...lines, ...notesOf(files, end, listing, time)].join("\n")
})
