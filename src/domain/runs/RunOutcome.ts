/**
 * How a run ends: what the rounds came to, the answer and what was denied become a status with its reason. Links of the
 * answer to results become sources that a person can follow.
 */
import { type CheckOutcome, statusOf } from "../checks/CheckOutcome.ts"
import { namesOf } from "../text/Format.ts"
import { type IncompleteFact, unfoundedText } from "../checks/Facts.ts"
import { type EvidenceLink, evidenceLinks, isMarked } from "../documents/Evidence.ts"
import { hrefOfPath } from "../files/FileHref.ts"
import type { Issue } from "../findings/Issue.ts"
import type { ModelError } from "../models/ModelAnswer.ts"
import type { RequestedChange, CallListApproval } from "../permissions/ApprovalItem.ts"
import { stepText } from "../plan/TaskName.ts"
import type { EvidenceCount, TaskFailure, TaskResult } from "../plan/TaskResult.ts"
import { lackText, type NotRun, type MissingChange } from "./NotDone.ts"
import type { RunStatus } from "./RunReport.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"

/** How the rounds came to an end. */
export type RoundsEnd =
  /** Nothing is pending. */
  | { readonly _tag: "GoalsMet" }
  /** Nothing is pending, and these tasks of the last round have no result. */
  | { readonly _tag: "Unresolved"; readonly failures: ReadonlyArray<TaskFailure> }
  /** A task failed the same way for the second time. */
  | { readonly _tag: "FailedTwice"; readonly failure: TaskFailure }
  /** The answers of the model were of no use; `message` says where, and what the person can do. */
  | { readonly _tag: "ModelUnable"; readonly message: string }
  /** There is work left after the last round that is allowed; `rounds` is the limit. */
  | { readonly _tag: "MaxRounds"; readonly rounds: number }
  /** A step was not approved. */
  | { readonly _tag: "Declined"; readonly by: CallListApproval["by"]; readonly step: string }

/** The part of a report that says how the run ended. */
export interface Outcome {
  readonly status: RunStatus
  readonly message: string
  readonly issues: ReadonlyArray<Issue>
  readonly answer: string
  /** True when no task is left: resuming the run would do nothing. */
  readonly nothingLeft?: boolean
  /** The tasks that lack a change or never ran. */
  readonly notDone?: ReadonlyArray<IncompleteFact>
  /** The links of the answer. */
  readonly evidence?: EvidenceCount
}

/** An outcome that no round led to. */
export const outcome = (status: RunStatus, message: string, issues: ReadonlyArray<Issue> = []): Outcome => ({
  status,
  message,
  issues,
  answer: ""
})

/** The outcome of a run that a model call ended. */
export const modelOutcome = (error: ModelError): Outcome =>
  outcome(error.isUnavailable || error.isTransient ? "unavailable" : "failed", error.message)

/**
 * What failed only for want of a permission was not permitted. Where a person declined something and nothing was done in its place, that
 * is how the run ended.
 */
const failed = (failures: ReadonlyArray<TaskFailure>, message: string, shortfall: Shortfall): Outcome => {
  const declined = unfollowedMessages(shortfall)
  const isDenied = failures.some(({ cause }) => cause?._tag === "Denied")
  const status = declined.length > 0 ? "declined" : isDenied ? "not_permitted" : "failed"
  return outcome(status, [...declined, message].join("\n"))
}

/**
 * What was denied; `isRead` for what would only have looked, `leftOut` when the run was to change nothing, and this would
 * have changed something.
 */
interface Denial {
  readonly message: string
  readonly tool?: string
  readonly targets?: ReadonlyArray<string>
  readonly isRead?: boolean
  readonly leftOut?: boolean
  /** What the person wants instead, which the run went on with. */
  readonly instead?: string
}

/** Everything that keeps a run from being done although nothing is pending. */
export interface Shortfall {
  /** Everything that was denied in the run. */
  readonly denials: ReadonlyArray<Denial>
  /** The tasks of which every call was denied. */
  readonly deniedTasks: ReadonlyArray<string>
  readonly missing: ReadonlyArray<MissingChange>
  /** The tasks that never ran. */
  readonly notRun: ReadonlyArray<NotRun>
  /** What a person wanted in the place of what they declined, and nothing did. */
  readonly unfollowed: ReadonlyArray<RequestedChange>
  /** For the commands that messages name. */
  readonly runId: string
}

/** What a person declined, and what they wanted in its place and did not get. */
const unfollowedMessages = ({ unfollowed }: Pick<Shortfall, "unfollowed">): ReadonlyArray<string> =>
  unfollowed.map(
    ({ declined, instead }) =>
      `You declined "${stepText(declined)}" and wanted instead: ${instead.trim().replace(/\.$/, "").replaceAll(/\s+/g, " ")}. Nothing was done for that.`
  )

/** The message of a run that was interrupted, which its ending says again. */
export const interruptedText = "The run was interrupted."

/** The outcome, which also says what `--read-only` left out. */
const withLeftOut = (outcome: Outcome, { denials }: Shortfall): Outcome => {
  const names = denials.flatMap(({ leftOut, targets = [], tool = "a call" }) =>
    leftOut !== true ? [] : [targets.length === 0 ? tool : `${tool} on ${targets.join(", ")}`]
  )
  if (names.length === 0) return outcome
  const text = `Left out because of --read-only: ${[...new Set(names)].join("; ")}. Without it, task-conductor asks before these changes.`
  return { ...outcome, message: outcome.message === "" ? text : `${outcome.message}\n${text}` }
}

/** Which changes are missing, why, and what to do about it. */
const missingMessages = ({ missing, runId }: Shortfall): ReadonlyArray<string> => {
  const [first] = missing
  if (first === undefined) return []
  return [
    ...missing.map((one) => `"${one.task}" ${lackText(one)}. ${one.why}`),
    `${missing.every(({ isResult }) => isResult) ? "Try" : "Make the change by hand, or try"} the task again: task-conductor fork ${runId} --from "${first.task}"`
  ]
}

const maxRoundsText = (rounds: number): string =>
  `Max rounds reached. The limit limits.rounds is ${rounds}: resume the run with --max-rounds ${rounds * 2}, or raise it in your configuration.`

/** A denied read decides nothing when its task went on without it. */
export const decidingDenials = <D extends Denial>({
  deniedTasks,
  denials
}: {
  readonly deniedTasks: ReadonlyArray<string>
  readonly denials: ReadonlyArray<D>
}): ReadonlyArray<D> => denials.filter(({ isRead = false }) => !isRead || deniedTasks.length > 0)

const withoutAnswer = (end: RoundsEnd, shortfall: Shortfall): Outcome => {
  switch (end._tag) {
    case "GoalsMet": {
      /* Work of which a part was denied or could not be made is never done. */
      const denials = decidingDenials(shortfall).filter(({ instead }) => instead === undefined)
      const denied = [...new Set(denials.flatMap(({ leftOut, message }) => (leftOut === true ? [] : [message])))]
      const missing = missingMessages(shortfall)
      const message = [...denied, ...unfollowedMessages(shortfall), ...missing].join("\n")
      const declined = unfollowedMessages(shortfall)
      const isMissing = missing.length > 0 ? "failed" : "done"
      const status = denials.length > 0 ? "not_permitted" : declined.length > 0 ? "declined" : isMissing
      /* What was denied is asked about again when the run is resumed. */
      return { ...outcome(status, message), ...(status === "failed" ? { nothingLeft: true } : {}) }
    }
    case "Unresolved":
      return failed(end.failures, end.failures.map(({ message }) => message).join("\n"), shortfall)
    case "FailedTwice":
      return failed([end.failure], `${end.failure.message} It failed the same way before.`, shortfall)
    case "ModelUnable":
      return outcome("limit", end.message)
    case "MaxRounds":
      return outcome("limit", maxRoundsText(end.rounds))
    case "Declined": {
      const names = shortfall.notRun.map(({ task }) => `"${task}"`).join(", ")
      const notRun = names === "" ? "" : ` Not done: ${names}.`
      return end.by === "person"
        ? outcome("declined", `You declined "${stepText(end.step)}".${notRun}`)
        : outcome(
            "not_permitted",
            `"${stepText(end.step)}" was not approved: no terminal to ask on. Use --yes to approve beforehand.${notRun}`
          )
    }
  }
}

/** The checks of a run, and what is expected of them. */
export interface CheckedWork {
  readonly checks: ReadonlyArray<CheckOutcome>
  readonly hasChanged: boolean
  /** True when the person named the checks: then changes without one that proves something are not done. */
  readonly isNamed: boolean
}

const failedText = ({ command, newFailures, stillFails }: CheckOutcome): string =>
  stillFails === undefined
    ? `The check ${command} fails with the changes: ${namesOf(newFailures)}`
    : `The check ${command} fails. ${stillFails}`

/** Why changes are unverified, in lines; none when they are not. */
export const unverifiedLines = ({ checks, hasChanged, isNamed }: CheckedWork): ReadonlyArray<string> => {
  const failed = checks.filter((check) => statusOf(check) === "failed")
  const open = isNamed ? checks.filter(({ notRun }) => notRun !== undefined) : []
  const without = isNamed && hasChanged && checks.length === 0
  return [
    ...failed.map(failedText),
    ...open.map(({ command, notRun }) => `Not checked: ${command}. ${notRun}`),
    ...(without ? ["Not checked: none of the checks that you named was run."] : [])
  ]
}

/** An outcome that would be done is unverified when a check fails, or one that the person named proves nothing. */
export const withChecks = (outcome: Outcome, work: CheckedWork): Outcome => {
  const lines = unverifiedLines(work)
  if (outcome.status !== "done" || lines.length === 0) return outcome
  const how = "The changes are made. Look at them, or accept such an end with --accept-unverified."
  return { ...outcome, status: "unverified", message: [...lines, how].join("\n"), nothingLeft: true }
}

/** What a person can do about an answer that looked at nothing. */
export const unfoundedHelp =
  "Look it up before you rely on it, name a file in the prompt, or try a larger model (--model)."

/** An outcome that would be done is unfounded when a report about the project looked at nothing. */
export const withLooks = (outcome: Outcome, results: ReadonlyArray<TaskResult>): Outcome => {
  const unfounded = results.filter((result) => result.unfounded === true)
  if (outcome.status !== "done" || unfounded.length === 0) return outcome
  const lines = unfounded.map(({ name }) => unfoundedText(name))
  return { ...outcome, status: "unfounded", message: [...lines, unfoundedHelp].join("\n"), nothingLeft: true }
}

/** The tasks that lack a change or never ran, as facts. */
const incompleteFacts = ({ missing, notRun }: Shortfall): ReadonlyArray<IncompleteFact> => [
  ...missing.map((one) => ({ task: one.task, why: `It ${lackText(one)}. ${one.why}` })),
  ...notRun.map(({ task, why }) => ({ task, why: why.replace(/(?<=")Task section \d+[^"]*/, stepText) }))
]

export const outcomeOf = (end: RoundsEnd, answer: string, shortfall: Shortfall): Outcome => {
  const notDone = incompleteFacts(shortfall)
  const ended = withLeftOut(withoutAnswer(end, shortfall), shortfall)
  return { ...ended, answer, ...(notDone.length === 0 ? {} : { notDone }) }
}

/** More would hide the sentence that they stand in. */
const maxSources = 3

/** The result that a link means. */
const resultOf = ({ form, href }: EvidenceLink, results: ReadonlyArray<TaskResult>): TaskResult | undefined => {
  const name =
    form._tag === "Result" ? form.name : form._tag === "Plain" && form.reference.kind === "anchor" ? href : ""
  const sought = forgivingSlug(slugOf(name.replace(/^#/, "")))
  return name === "" ? undefined : results.find(({ name }) => forgivingSlug(slugOf(name)) === sought)
}

/** The first links of a result to files and pages, each target once, without those that are marked as wrong. */
const sourcesOf = ({ result }: TaskResult): ReadonlyArray<string> => {
  const sources = new Map<string, string>()
  for (const link of evidenceLinks(result.document)) {
    const { form, title } = link
    if (isMarked(result.document, link)) continue
    if (form._tag !== "Plain" || (form.reference.kind !== "file" && form.reference.kind !== "url")) continue
    const { href, target } = form.reference
    const shown = /[\s()]/.test(href) ? `<${href}>` : href
    if (!sources.has(target))
      sources.set(target, `[${title.replace(/[[\]]/g, "\\$&") || hrefOfPath(target)}](${shown})`)
  }
  return [...sources.values()].slice(0, maxSources)
}

/** The answer without links to results. A result is explained where it is named first. */
export const followableAnswer = (answer: string, results: ReadonlyArray<TaskResult>, runId: string): string => {
  const explained = new Set<string>()
  let text = ""
  let rest = 0
  for (const link of evidenceLinks(answer)) {
    const result = resultOf(link, results)
    if (result === undefined) continue
    const sources = sourcesOf(result)
    const command = `\`task-conductor show ${runId} --task ${JSON.stringify(result.name)}\``
    const source = explained.has(result.name) ? "" : ` (${sources.length === 0 ? command : sources.join(", ")})`
    explained.add(result.name)
    text += `${answer.slice(rest, link.start)}${link.title || result.name}${source}`
    rest = link.end
  }
  return text + answer.slice(rest)
}
