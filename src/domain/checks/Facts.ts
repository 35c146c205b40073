/**
 * What the host knows at the end of a run, beside the words of the model: how many lines changed in which files, and how the
 * checks ended.
 */
import { wholeChange } from "../files/ChangePreview.ts"
import * as Schema from "effect/Schema"
import { CheckOutcome, passes } from "./CheckOutcome.ts"

/** A file that changed; null for a text that is not there. */
interface ChangedText {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** A file that changed, with its lines as git counts them. */
export const FileFact = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["new", "changed", "removed"]),
  insertions: Schema.Int,
  deletions: Schema.Int
})
export type FileFact = typeof FileFact.Type

/** Where the checks of a run stand at its end. */
const CheckState = Schema.Literals(["passed", "failed", "stale", "not checked", "nothing changed"])
type CheckState = typeof CheckState.Type

/** What the host knows at the end of a run. */
export const RunFacts = Schema.Struct({
  files: Schema.Array(FileFact),
  checks: Schema.Array(CheckOutcome),
  state: CheckState
})
export type RunFacts = typeof RunFacts.Type

const kindOf = ({ after, before }: ChangedText): FileFact["kind"] =>
  before === null ? "new" : after === null ? "removed" : "changed"

/** The files of these changes. One whose text is the same in the end has not changed. */
export const fileFacts = (changes: ReadonlyArray<ChangedText>): ReadonlyArray<FileFact> =>
  changes
    .filter(({ after, before }) => after !== before)
    .map((change) => {
      const { added, removed } = wholeChange(change.path, change.before ?? undefined, change.after ?? "")
      return { path: change.path, kind: kindOf(change), insertions: added, deletions: removed }
    })

const sumOf = (files: ReadonlyArray<FileFact>) => ({
  insertions: files.reduce((sum, file) => sum + file.insertions, 0),
  deletions: files.reduce((sum, file) => sum + file.deletions, 0)
})

/** One fact for each file, from those of several tasks. */
export const joinedFiles = (files: ReadonlyArray<FileFact>): ReadonlyArray<FileFact> =>
  [...Map.groupBy(files, ({ path }) => path).values()].flatMap((same) =>
    same.slice(0, 1).map((first) => Object.assign({}, first, sumOf(same)))
  )

const stateOf = (files: ReadonlyArray<FileFact>, checks: ReadonlyArray<CheckOutcome>, isStale: boolean): CheckState => {
  if (files.length === 0) return "nothing changed"
  const ran = checks.filter(({ notRun }) => notRun === undefined)
  if (ran.some((check) => !passes(check))) return "failed"
  if (ran.length === 0 || ran.length < checks.length) return "not checked"
  return isStale ? "stale" : "passed"
}

/** The facts of a run. `checks` are the last ones; `isStale` says that something changed after them. */
export const runFacts = (
  changed: ReadonlyArray<FileFact>,
  checks: ReadonlyArray<CheckOutcome>,
  isStale = false
): RunFacts => {
  const files = joinedFiles(changed)
  return { files, checks, state: stateOf(files, checks, isStale) }
}

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

const linesText = ({ deletions, insertions }: Pick<FileFact, "deletions" | "insertions">): string =>
  [
    ...(insertions > 0 || deletions === 0 ? [`${counted(insertions, "insertion")}(+)`] : []),
    ...(deletions > 0 ? [`${counted(deletions, "deletion")}(-)`] : [])
  ].join(", ")

const checkFact = (check: CheckOutcome): string => {
  const { command, exitCode, flaky = false, newFailures, notRun } = check
  const name = `\`${command}\``
  if (notRun !== undefined) return `- not run: ${name}. ${notRun}`
  if (flaky) return `- passed when it was run again: ${name}, so it is flaky`
  if (exitCode === 0) return `- passed: ${name} (exit code 0)`
  const code = exitCode === null ? "stopped" : `exit code ${exitCode}`
  if (passes(check)) return `- nothing new fails: ${name} (${code}; what fails now failed before)`
  return `- failed: ${name} (${code}): ${newFailures.slice(0, 5).join("; ")}${newFailures.length > 5 ? ` and ${newFailures.length - 5} more` : ""}`
}

/** The facts as lines of markdown; none when nothing changed and nothing was checked. */
export const factLines = ({ checks, files, state }: RunFacts): ReadonlyArray<string> => {
  if (files.length === 0 && checks.length === 0) return []
  return [
    ...(files.length === 0 ? [] : [`${counted(files.length, "file")} changed, ${linesText(sumOf(files))}:`]),
    ...files.map((file) => `- ${file.path}${file.kind === "changed" ? "" : ` (${file.kind})`}: ${linesText(file)}`),
    ...checks.map(checkFact),
    ...(state === "not checked" && checks.length === 0 ? ["- not checked: no check is known for these changes"] : []),
    ...(state === "stale" ? ["- not checked since the last change"] : [])
  ]
}
