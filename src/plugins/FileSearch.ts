/**
 * The search of the tool `search_files`: file by file, yielding to other fibers, until there are enough matches or the
 * time is over.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { findMatches, isSecretLike, type LineMatch, type SearchPattern, showMatches, Workspace } from "../plugin-kit.ts"

const filesAtOnce = 16

interface SearchOrder {
  /** Paths relative to the project. */
  readonly files: ReadonlyArray<string>
  readonly pattern: SearchPattern
  /** How many lines before and after each match are shown. */
  readonly context: number
  readonly maxMatches: number
  /** Of what is shown, with paths. */
  readonly maxCharacters: number
  readonly maxFileBytes: number
  /** Milliseconds since 1970. */
  readonly deadline: number
}

/** What was found, and what was not searched. */
export interface SearchProgress {
  readonly shown: Array<string>
  /** What ended the search before all files were searched. */
  readonly ended?: "matches" | "characters" | "time"
  searched: number
  readonly skipped: { secret: number; large: number; denied: number }
}

/** The lines of a file of the project; none when it is not text or no longer exists. Links out of the project are denied. */
const readLines = Effect.fnUntraced(function* (file: string, maxBytes: number, { skipped }: SearchProgress) {
  const workspace = yield* Workspace
  if (isSecretLike(file)) {
    skipped.secret += 1
    return []
  }
  return yield* Effect.match(workspace.readText(`${workspace.root}/${file}`, maxBytes), {
    onSuccess: (text) => text.split(/\r?\n/),
    onFailure: ({ type }) => {
      if (type === "output_limit") skipped.large += 1
      if (type === "permission_denied") skipped.denied += 1
      return []
    }
  })
})

/** At most `wanted` matches; fewer than there are once the time is over. */
const matchesIn = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, order: SearchOrder, wanted: number) {
  const matches: Array<LineMatch> = []
  for (let next = 0; next < lines.length && matches.length < wanted;) {
    if ((yield* Clock.currentTimeMillis) >= order.deadline) return { matches, isComplete: false }
    const part = findMatches(lines, order.pattern, next, wanted - matches.length)
    matches.push(...part.found)
    next = part.next
    yield* Effect.yieldNow
  }
  return { matches, isComplete: true }
})

export const searchText = Effect.fn("searchText")(function* (order: SearchOrder) {
  const { context, files, maxFileBytes, maxMatches } = order
  const progress: SearchProgress = { shown: [], searched: 0, skipped: { secret: 0, large: 0, denied: 0 } }
  let matchesLeft = maxMatches
  let charactersLeft = order.maxCharacters
  const readBatch = (start: number) =>
    Effect.forEach(files.slice(start, start + filesAtOnce), (file) => readLines(file, maxFileBytes, progress), {
      concurrency: filesAtOnce
    })
  let batch: ReadonlyArray<ReadonlyArray<string>> = []
  for (const [index, file] of files.entries()) {
    if (index % filesAtOnce === 0) batch = yield* readBatch(index)
    const lines = batch[index % filesAtOnce] ?? []
    /* One more than requested shows whether there are more. */
    const { isComplete, matches } = yield* matchesIn(lines, order, matchesLeft + 1)
    for (const line of showMatches(file, lines, matches.slice(0, matchesLeft), context)) {
      charactersLeft -= line.length + 1
      if (charactersLeft < 0) return { ...progress, ended: "characters" as const }
      progress.shown.push(line)
    }
    if (matches.length > matchesLeft) return { ...progress, ended: "matches" as const }
    if (!isComplete) return { ...progress, ended: "time" as const }
    matchesLeft -= matches.length
    progress.searched += 1
  }
  return progress
})
