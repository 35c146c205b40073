/**
 * Facts that the program reports at the end of a run beside the model's text, such as changed files with line counts,
 * and outcomes of checks.
 */
import { wholeChange } from "../files/ChangePreview.ts"
import { FileKind, kindWords } from "../files/FileKind.ts"
import { changesFile, isOpaque, type ProposedFile } from "../files/ProposedFile.ts"
import * as Schema from "effect/Schema"
import { CheckOutcome, CheckStatus, newTestsText, passes, statusOf } from "./CheckOutcome.ts"
import { ranText } from "./RanTests.ts"
import { counted, namesOf } from "../text/Format.ts"

/** A changed file with line counts as git computes them. */
export const FileFact = Schema.Struct({
  path: Schema.String,
  kind: Schema.Literals(["new", "changed", "removed"]),
  /** The new kind of the file, if the run changed the kind. */
  becomes: Schema.optionalKey(FileKind),
  /** True for a binary file, which has no counted lines. */
  binary: Schema.optionalKey(Schema.Boolean),
  insertions: Schema.Int,
  deletions: Schema.Int
})
export type FileFact = typeof FileFact.Type

/** The overall state of the checks at the end of a run. */
const CheckState = Schema.Literals(["passed", "failed", "stale", "not checked", "nothing changed"])
type CheckState = typeof CheckState.Type

/** A call or a reference that was denied. The paths of targets in the project are relative. */
const DeniedFact = Schema.Struct({
  tool: Schema.String,
  targets: Schema.Array(Schema.String),
  by: Schema.Literals(["person", "rule", "nobody"]),
  /** Why no answer of the user can allow the access, as a clause. */
  reason: Schema.optionalKey(Schema.String),
  /** The flags that would allow the access. Present if no user could be asked. */
  allow: Schema.optionalKey(Schema.String)
})
export type DeniedFact = typeof DeniedFact.Type

/** A task that failed, did not run, or lacks a change, with the reason in sentences. */
const IncompleteFact = Schema.Struct({ task: Schema.String, why: Schema.String })
export type IncompleteFact = typeof IncompleteFact.Type

/** A step or a call that the user declined, and what the user wanted instead. */
const DeclinedFact = Schema.Struct({ declined: Schema.String, instead: Schema.String })
export type DeclinedFact = typeof DeclinedFact.Type

/**
 * How much a task saw of a text, in percent. The text is a reference, a file, or the matches of a search. The other
 * part did not fit into the prompts of the task, and the model did not ask for it.
 */
export const SeenFact = Schema.Struct({
  task: Schema.String,
  href: Schema.String,
  percent: Schema.Int,
  /**
   * Counts of lines, or of matches for a search. Absent if the counts are unknown, and in older runs.
   * - `of`: the lines that the task was given or asked for.
   * - `seen`: how many of these lines the task saw.
   * - `file`: all lines of the file. Set only if this number is larger than `of`.
   */
  lines: Schema.optionalKey(Schema.Struct({ seen: Schema.Int, of: Schema.Int, file: Schema.optionalKey(Schema.Int) }))
})
export type SeenFact = typeof SeenFact.Type

/** A claim of a report about checks, and the fact that contradicts it. */
const ClaimFact = Schema.Struct({ task: Schema.String, claim: Schema.String, fact: Schema.String })
export type ClaimFact = typeof ClaimFact.Type

const CheckFact = Schema.Struct({ ...CheckOutcome.fields, status: Schema.optionalKey(CheckStatus) })

/** All facts about a run. */
export const RunFacts = Schema.Struct({
  files: Schema.Array(FileFact),
  checks: Schema.Array(CheckFact),
  state: CheckState,
  /** The denied calls and references. Absent if nothing was denied. */
  denied: Schema.optionalKey(Schema.Array(DeniedFact)),
  /** Declined steps and calls for which the user wanted another change. Absent if none. */
  declined: Schema.optionalKey(Schema.Array(DeclinedFact)),
  /** The incomplete tasks. Absent if every task is complete. */
  notDone: Schema.optionalKey(Schema.Array(IncompleteFact)),
  /** The texts that tasks saw only in part. Absent if none. */
  seen: Schema.optionalKey(Schema.Array(SeenFact)),
  /** False claims of reports about checks. Absent if none. */
  claims: Schema.optionalKey(Schema.Array(ClaimFact)),
  /**
   * Tasks that describe the project without having looked at it. The name is empty for a message of a conversation.
   * Absent if there are none.
   */
  unfounded: Schema.optionalKey(Schema.Array(Schema.String))
})
export type RunFacts = typeof RunFacts.Type

const kindOf = ({ base, holds, text }: ProposedFile): FileFact["kind"] =>
  text === null ? "removed" : base === null && (holds === undefined || holds.is === "folder") ? "new" : "changed"

/** True if a file is not text, before or after the change. */
const isBinary = (file: ProposedFile): boolean =>
  isOpaque(file) || (file.holds !== undefined && file.holds.leads === undefined && file.holds.is !== "folder")

/** The facts about changed files. A file with unchanged content is left out. */
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

/** Merges the facts of several tasks into one per file. */
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

/** The facts of a run. `checks` are the latest outcomes. `isStale` is true if files changed after these checks. */
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

/** True if a change, a denied or missing action, or an unfounded statement is to be reported. */
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

/** The state of a check in a few words. */
export const checkState = (check: CheckOutcome): string => {
  const status = statusOf(check)
  return status === "flaky" ? "passed when it was run again" : status
}

/** What the state and exit code of a check do not show, such as new failures. */
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

/** `exit code 1`, or `stopped`; empty if the check was not run. */
const checkCode = ({ exitCode, notRun }: CheckOutcome): string =>
  notRun !== undefined ? "" : exitCode === null ? "stopped" : `exit code ${exitCode}`

/** How a check ended, in one line. For the model, it omits advice that only a user can follow. */
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

/** The denied call, who or what denied it, and flags that would allow it. */
export const deniedText = ({ allow, by, reason, targets, tool }: DeniedFact): string =>
  `${[tool, ...targets].join(" ")} (${reason ?? deniers[by]}${allow === undefined ? "" : `; ${allow} allows it`})`

const isMatches = (href: string): boolean => href.startsWith("matches of ")

/**
 * How much was seen, such as `12 of the 40 lines that it asked for, of 300 in the file,`. A percentage if the counts
 * are unknown.
 */
const seenPart = ({ href, lines, percent }: SeenFact): string => {
  if (lines === undefined) return `${percent} %`
  if (lines.file !== undefined) {
    return `${lines.seen} of the ${counted(lines.of, "line")} that it asked for, of ${lines.file} in the file,`
  }
  return `${lines.seen} of ${isMatches(href) ? `${lines.of} matches` : counted(lines.of, "line")}`
}

/** How much of each reference was seen, and by which task. */
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

/** A false claim in one line: the task, the claim, and the fact that contradicts it. */
export const claimText = ({ claim, fact, task }: ClaimFact): string => `not so: "${task}" says "${claim}", but ${fact}`

/** An answer without evidence, as a sentence. `task` is empty for a message of a conversation. */
export const unfoundedText = (task: string): string =>
  `No file was looked at${task === "" ? "" : ` for "${task}"`}: what the answer says about the project rests on nothing.`

/** One line about the state of all checks together. Undefined if the lines about the single checks already show it. */
export const stateLine = ({ checks, state }: Pick<RunFacts, "checks" | "state">): string | undefined => {
  if (state === "stale") return "not checked since the last change"
  return state === "not checked" && checks.length === 0 ? "not checked: no check is known for these changes" : undefined
}

/** The facts as lines of markdown; empty if none. For a model, they omit advice that only a user can follow. */
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
