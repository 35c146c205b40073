/**
 * What the host knows at the end of a run, beside the words of the model: how many lines changed in which files, and how the
 * checks ended.
 */
import { wholeChange } from "../files/ChangePreview.ts"
import { FileKind, kindWords } from "../files/FileKind.ts"
import { changesFile, isOpaque, type ProposedFile } from "../files/ProposedFile.ts"
import * as Schema from "effect/Schema"
import { CheckOutcome, CheckStatus, newTestsText, passes, statusOf } from "./CheckOutcome.ts"
import { ranText } from "./RanTests.ts"
import { counted, namesOf } from "../text/Format.ts"

/** A file that changed, with its lines as git counts them. */
export const FileFact = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["new", "changed", "removed"]),
  /** What the file becomes, where that is not what it was. */
  becomes: Schema.optionalKey(FileKind),
  /** True for a file that is no text: its lines are not counted. */
  binary: Schema.optionalKey(Schema.Boolean),
  insertions: Schema.Int,
  deletions: Schema.Int
})
export type FileFact = typeof FileFact.Type

/** Where the checks of a run stand at its end. */
const CheckState = Schema.Literals(["passed", "failed", "stale", "not checked", "nothing changed"])
type CheckState = typeof CheckState.Type

/** What was not allowed: a call or a reference. Targets below the project are relative. */
const DeniedFact = Schema.Struct({
  tool: Schema.String,
  targets: Schema.Array(Schema.String),
  by: Schema.Literals(["person", "rule", "nobody"]),
  /** Why nothing can allow it, as a clause. */
  reason: Schema.optionalKey(Schema.String),
  /** The flags that would have allowed it, when nobody could be asked. */
  allow: Schema.optionalKey(Schema.String)
})
export type DeniedFact = typeof DeniedFact.Type

/** A task that failed, did not run, or lacks a change; `why` says which, in sentences. */
const IncompleteFact = Schema.Struct({ task: Schema.String, why: Schema.String })
export type IncompleteFact = typeof IncompleteFact.Type

/** A step or a call that a person declined, and what they wanted instead, which was worked on. */
const DeclinedFact = Schema.Struct({ declined: Schema.String, instead: Schema.String })
export type DeclinedFact = typeof DeclinedFact.Type

/**
 * A reference, a file that it read, or the matches of a search, of which a task has seen only so much, in percent: its prompts had
 * no room for more, and it did not read on.
 */
export const SeenFact = Schema.Struct({
  task: Schema.String,
  href: Schema.String,
  percent: Schema.Int,
  /**
   * How many lines it saw of those that it was given or asked for, and how many the file has where that is more; matches of a search.
   * Absent where nobody knows them, and in older runs.
   */
  lines: Schema.optionalKey(Schema.Struct({ seen: Schema.Int, of: Schema.Int, file: Schema.optionalKey(Schema.Int) }))
})
export type SeenFact = typeof SeenFact.Type

/** What a report says of checks, and what the checks say. */
const ClaimFact = Schema.Struct({ task: Schema.String, claim: Schema.String, fact: Schema.String })
export type ClaimFact = typeof ClaimFact.Type

/** A check with its status in a word. */
const CheckFact = Schema.Struct({ ...CheckOutcome.fields, status: Schema.optionalKey(CheckStatus) })

/** What the host knows at the end of a run. */
export const RunFacts = Schema.Struct({
  files: Schema.Array(FileFact),
  checks: Schema.Array(CheckFact),
  state: CheckState,
  /** Absent when nothing was denied. */
  denied: Schema.optionalKey(Schema.Array(DeniedFact)),
  /** Absent when nothing was declined with a wish. */
  declined: Schema.optionalKey(Schema.Array(DeclinedFact)),
  /** Absent when everything was done. */
  notDone: Schema.optionalKey(Schema.Array(IncompleteFact)),
  /** Absent when every reference was seen as a whole. */
  seen: Schema.optionalKey(Schema.Array(SeenFact)),
  /** Absent when no report says of checks what is not so. */
  claims: Schema.optionalKey(Schema.Array(ClaimFact)),
  /**
   * The tasks that say something about the project and looked at nothing, by their names; an empty name stands for a message of a
   * conversation. Absent without any.
   */
  unfounded: Schema.optionalKey(Schema.Array(Schema.String))
})
export type RunFacts = typeof RunFacts.Type

const kindOf = ({ base, holds, text }: ProposedFile): FileFact["kind"] =>
  text === null ? "removed" : base === null && (holds === undefined || holds.is === "folder") ? "new" : "changed"

/** True for a file that has no lines before or after. */
const isBinary = (file: ProposedFile): boolean =>
  isOpaque(file) || (file.holds !== undefined && file.holds.leads === undefined && file.holds.is !== "folder")

/** The files of these changes. One that is the same in the end has not changed. */
export const fileFacts = (changes: ReadonlyArray<ProposedFile>): ReadonlyArray<FileFact> =>
  changes.filter(changesFile).map((change) => {
    const before = change.base ?? change.holds?.leads
    const { added, removed } = wholeChange(change.path, before, change.text ?? "")
    return Object.assign(
      { path: change.path, kind: kindOf(change), insertions: added, deletions: removed },
      change.kind === undefined ? {} : { becomes: change.kind },
      isBinary(change) ? { binary: true } : {}
    )
  })

const sumOf = (files: ReadonlyArray<FileFact>) => ({
  insertions: files.reduce((sum, file) => sum + file.insertions, 0),
  deletions: files.reduce((sum, file) => sum + file.deletions, 0)
})

/** One fact for each file, from those of several tasks. */
export const joinedFiles = (files: ReadonlyArray<FileFact>): ReadonlyArray<FileFact> =>
  [...Map.groupBy(files, ({ path }) => path).values()].flatMap((same) =>
    same.slice(0, 1).map((first) =>
      Object.assign(
        {},
        first,
        same.findLast(({ becomes }) => becomes !== undefined),
        { kind: first.kind },
        sumOf(same)
      )
    )
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
  {
    claims = [],
    declined = [],
    denied = [],
    isStale = false,
    notDone = [],
    seen = [],
    unfounded = []
  }: {
    readonly claims?: ReadonlyArray<ClaimFact>
    readonly declined?: ReadonlyArray<DeclinedFact>
    readonly denied?: ReadonlyArray<DeniedFact>
    readonly isStale?: boolean
    readonly notDone?: ReadonlyArray<IncompleteFact>
    readonly seen?: ReadonlyArray<SeenFact>
    readonly unfounded?: ReadonlyArray<string>
  } = {}
): RunFacts => {
  const files = joinedFiles(changed)
  return {
    files,
    checks: checks.map((check) => ({ ...check, status: statusOf(check) })),
    state: stateOf(files, checks, isStale),
    ...(declined.length === 0 ? {} : { declined }),
    ...(denied.length === 0 ? {} : { denied }),
    ...(notDone.length === 0 ? {} : { notDone }),
    ...(seen.length === 0 ? {} : { seen }),
    ...(claims.length === 0 ? {} : { claims }),
    ...(unfounded.length === 0 ? {} : { unfounded })
  }
}

/** True when there is something to report. */
export const hasFacts = (facts: RunFacts): boolean => {
  const { declined = [], denied = [], files, notDone = [], seen = [], unfounded = [] } = facts
  return [declined, denied, files, notDone, seen, unfounded].some((all) => all.length > 0)
}

const linesText = ({
  binary = false,
  deletions,
  insertions
}: Pick<FileFact, "binary" | "deletions" | "insertions">): string =>
  [
    ...(binary && insertions + deletions === 0 ? ["no text"] : []),
    ...(insertions > 0 || (deletions === 0 && !binary) ? [`${counted(insertions, "insertion")}(+)`] : []),
    ...(deletions > 0 ? [`${counted(deletions, "deletion")}(-)`] : [])
  ].join(", ")

/** How a check ended, in a few words. */
export const checkState = (check: CheckOutcome): string => {
  const status = statusOf(check)
  return status === "flaky" ? "passed when it was run again" : status
}

/** What there is to say about a check beside its state and its exit code. */
export const aboutCheck = (check: CheckOutcome): string => {
  const { flaky = false, newFailures, notRun, stillFails } = check
  if (notRun !== undefined) return notRun
  if (flaky) return "It is flaky."
  if (newFailures.length > 0) return namesOf(newFailures, 5)
  if (stillFails !== undefined) return stillFails
  const ran = check.ran === undefined ? "" : `${ranText(check.ran)}.`
  const about = checkState(check) === "passed" ? newTestsText(check) : "What fails now failed before."
  return [ran, about].filter((text) => text !== "").join(" ")
}

/** `exit code 1`, `stopped`; empty when the check was not run. */
const checkCode = ({ exitCode, notRun }: CheckOutcome): string =>
  notRun !== undefined ? "" : exitCode === null ? "stopped" : `exit code ${exitCode}`

/** How a check ended, in a line; for the model without what a person has to do. */
export const checkFact = (check: CheckOutcome, forModel = false): string => {
  if (check.notRun !== undefined && forModel) return check.text
  const state = checkState(check)
  const name = `${state}: \`${check.command}\``
  const [code, about] = [checkCode(check), aboutCheck(check)]
  if (check.notRun !== undefined || check.flaky === true) return `${name}. ${about}`
  return `${name} (${code})${about === "" ? "" : state === "failed" ? `: ${about}` : `. ${about}`}`
}

const deniers: Readonly<Record<DeniedFact["by"], string>> = {
  person: "by a person",
  rule: "by a rule",
  nobody: "nobody could be asked"
}

/** What was denied, and by whom or why, with what would allow it. */
export const deniedText = ({ allow, by, reason, targets, tool }: DeniedFact): string =>
  `${[tool, ...targets].join(" ")} (${reason ?? deniers[by]}${allow === undefined ? "" : `; ${allow} allows it`})`

const isMatches = (href: string): boolean => href.startsWith("matches of ")

/** `12 of the 40 lines that it asked for, of 300 in the file,`, or the percent where the lines are not known. */
const seenPart = ({ href, lines, percent }: SeenFact): string => {
  if (lines === undefined) return `${percent} %`
  if (lines.file !== undefined) {
    return `${lines.seen} of the ${counted(lines.of, "line")} that it asked for, of ${lines.file} in the file,`
  }
  return `${lines.seen} of ${isMatches(href) ? `${lines.of} matches` : counted(lines.of, "line")}`
}

/** How much of each reference was seen, and for which task. */
export const seenTexts = (seen: ReadonlyArray<SeenFact>): ReadonlyArray<string> =>
  [...Map.groupBy(seen, ({ href }) => href)].map(([href, all]) => {
    const [least, ...others] = all.toSorted((a, b) => a.percent - b.percent)
    if (least === undefined) return ""
    const most = others.at(-1)
    const tasks = new Set(all.map(({ task }) => task))
    const by = tasks.size === 1 ? `"${least.task}"` : `${tasks.size} tasks`
    const part =
      most === undefined || most.percent === least.percent ? seenPart(least) : `${seenPart(least)} to ${seenPart(most)}`
    return `${href}: ${part} seen, for ${by}`
  })

/** What a report says of checks that is not so. */
export const claimText = ({ claim, fact, task }: ClaimFact): string => `not so: "${task}" says "${claim}", but ${fact}`

/** About an answer that looked at nothing; `task` is empty for a message of a conversation. */
export const unfoundedText = (task: string): string =>
  `No file was looked at${task === "" ? "" : ` for "${task}"`}: what the answer says about the project rests on nothing.`

/** What the state says that no check says by itself; nothing for the others. */
export const stateLine = ({ checks, state }: Pick<RunFacts, "checks" | "state">): string | undefined => {
  if (state === "stale") return "not checked since the last change"
  return state === "not checked" && checks.length === 0 ? "not checked: no check is known for these changes" : undefined
}

/** The facts as lines of markdown; none when there is nothing to say. A model is given no advice that only a person can follow. */
export const factLines = (facts: RunFacts, { forModel = false } = {}): ReadonlyArray<string> => {
  const { checks, claims = [], declined = [], denied = [], files, notDone = [], seen = [], unfounded = [] } = facts
  const state = stateLine(facts)
  return [
    ...(files.length === 0 ? [] : [`${counted(files.length, "file")} changed, ${linesText(sumOf(files))}:`]),
    ...files.map(
      (file) =>
        `- ${file.path}${file.kind === "changed" ? "" : ` (${file.kind})`}: ${linesText(file)}${file.becomes === undefined ? "" : `, ${kindWords[file.becomes]}`}`
    ),
    ...checks.map((check) => `- ${checkFact(check, forModel)}`),
    ...claims.map((one) => `- ${claimText(one)}`),
    ...(state === undefined ? [] : [`- ${state}`]),
    ...new Set(denied.map((one) => `- denied: ${deniedText(one)}`)),
    ...declined.map((one) => `- declined: "${one.declined}"; instead: ${one.instead.replaceAll(/\s+/g, " ")}`),
    ...notDone.map(({ task, why }) => `- not done: "${task}": ${why.replaceAll(/\s*\n\s*/g, " ")}`),
    ...seenTexts(seen).map((text) => `- ${text}`),
    ...unfounded.map((task) => `- ${unfoundedText(task)}`)
  ]
}
