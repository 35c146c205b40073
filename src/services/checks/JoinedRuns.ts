/**
 * Joins waiting runs of the same check command into one run with all their changes. If the joined run passes, all of
 * them pass. If it fails, each of them runs separately.
 */
import * as Effect from "effect/Effect"
import type { CheckEnd } from "../../domain/checks/CheckEnd.ts"
import { type ProposedFile, besideText } from "../../domain/files/ProposedFile.ts"
import { mergeTexts } from "../../domain/files/TextMerge.ts"

interface WaitingRun<R> {
  readonly run: R
  /** Identifies the command. Only runs with the same sign can be joined. */
  readonly sign: string
  /** Set when a joined run with these changes has passed. */
  end?: CheckEnd
  /** True if a joined run that included these changes has failed. This entry then runs alone. */
  isAlone?: boolean
}

const joinedText = (mine: ProposedFile, theirs: ProposedFile): string | undefined => {
  const isPlain = [mine, theirs].every((file) => Object.keys(besideText(file)).length === 0)
  if (!isPlain || mine.base !== theirs.base || mine.base === null || mine.text === null || theirs.text === null) {
    return undefined
  }
  const { clashes, text } = mergeTexts(mine.base, mine.text, theirs.text)
  return clashes.length === 0 ? text : undefined
}

/** The changes of both runs, merged by file. Undefined if the changes clash. */
export const joinedFiles = (
  some: ReadonlyArray<ProposedFile>,
  others: ReadonlyArray<ProposedFile>
): ReadonlyArray<ProposedFile> | undefined => {
  const joined = new Map(some.map((file) => [file.path, file]))
  for (const file of others) {
    const before = joined.get(file.path)
    const text = before === undefined ? file.text : joinedText(before, file)
    if (text === undefined) return undefined
    joined.set(file.path, { ...file, text })
  }
  return [...joined.values()]
}

/** Returns a function that carries out runs one at a time. Runs that have to wait are joined to the next run. */
export const makeJoinedRuns = <R extends { readonly files: ReadonlyArray<ProposedFile> }, E, S>(
  carryOut: (run: R) => Effect.Effect<CheckEnd, E, S>,
  oneAtATime: <A, E2, S2>(effect: Effect.Effect<A, E2, S2>) => Effect.Effect<A, E2, S2>
) => {
  const waiting = new Set<WaitingRun<R>>()

  const endOf = Effect.fnUntraced(function* (entry: WaitingRun<R>) {
    waiting.delete(entry)
    if (entry.end !== undefined) return entry.end
    let files = entry.run.files
    const joined = [...waiting].filter(({ end, isAlone = false, run, sign }) => {
      const isSame = entry.isAlone !== true && !isAlone && end === undefined && sign === entry.sign
      const together = isSame ? joinedFiles(files, run.files) : undefined
      files = together ?? files
      return together !== undefined
    })
    if (joined.length > 0) {
      const end = yield* carryOut({ ...entry.run, files })
      if (end.exitCode === 0) {
        for (const other of joined) other.end = end
        return end
      }
      for (const other of joined) other.isAlone = true
    }
    return yield* carryOut(entry.run)
  })

  /** Carries out a run and passes its result to `judge`. No other command runs before `judge` has ended. */
  return <A, E2, S2>(sign: string, run: R, judge: (end: CheckEnd) => Effect.Effect<A, E2, S2>) =>
    Effect.suspend(() => {
      const entry: WaitingRun<R> = { run, sign }
      waiting.add(entry)
      return Effect.ensuring(
        oneAtATime(Effect.flatMap(endOf(entry), judge)),
        Effect.sync(() => waiting.delete(entry))
      )
    })
}
