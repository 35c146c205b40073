/**
 * Computes how a run ends, from the rounds, the answer and the denials: its status and the reason. Also replaces links
 * of the answer to task results by sources that a user can open.
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

export type RoundsEnd =
  /** No task is pending. */
  | { readonly _tag: "GoalsMet" }
  /** No task is pending, but tasks of the last round failed. */
  | { readonly _tag: "Unresolved"; readonly failures: ReadonlyArray<TaskFailure> }
  /** A task failed in the same way for the second time. */
  | { readonly _tag: "FailedTwice"; readonly failure: TaskFailure }
  /** The answers of the model were unusable. `message` names the stage, and what the user can do. */
  | { readonly _tag: "ModelUnable"; readonly message: string }
  /** Work is left after the last allowed round. */
  | { readonly _tag: "MaxRounds"; readonly rounds: number }
  /** A step was not approved. `by` tells who declined it. */
  | { readonly _tag: "Declined"; readonly by: CallListApproval["by"]; readonly step: string }

/** How the run ended, as a part of its report. */
export interface Outcome {
  readonly status: RunStatus
  readonly message: string
  readonly issues: ReadonlyArray<Issue>
  readonly answer: string
  /** True if no task is left. Resuming the run would then do nothing. */
  readonly nothingLeft?: boolean
  /** Tasks that did not make a change, or never ran. */
  readonly notDone?: ReadonlyArray<IncompleteFact>
  /** How many links of the answer were checked, and how many are wrong. */
  readonly evidence?: EvidenceCount
}

/** An outcome before any round. */
export const outcome = (status: RunStatus, message: string, issues: ReadonlyArray<Issue> = []): Outcome => ({
  status,
  message,
  issues,
  answer: ""
})

export const modelOutcome = (error: ModelError): Outcome =>
  outcome(error.isUnavailable || error.isTransient ? "unavailable" : "failed", error.message)

/**
 * The outcome for failed tasks. It is `not_permitted` if a permission was missing. It is `declined` if the run did not
 * do what the user wanted in place of a declined step or call.
 */
const failed = (failures: ReadonlyArray<TaskFailure>, message: string, shortfall: Shortfall): Outcome => {
  const declined = unfollowedMessages(shortfall)
  const isDenied = failures.some(({ cause }) => cause?._tag === "Denied")
  const status = declined.length > 0 ? "declined" : isDenied ? "not_permitted" : "failed"
  return outcome(status, [...declined, message].join("\n"))
}

/**
 * A denied call. `isRead` is true if the call only reads. `leftOut` is true if the call would change something in a
 * read-only run.
 */
interface Denial {
  readonly message: string
  readonly tool?: string
  readonly targets?: ReadonlyArray<string>
  readonly isRead?: boolean
  readonly leftOut?: boolean
  /** The change that the user asked for in place of the call. The run then continued with this change. */
  readonly instead?: string
}

/** What keeps a run from ending as `done` although no task is pending. */
export interface Shortfall {
  /** All denied calls of the run. */
  readonly denials: ReadonlyArray<Denial>
  /** Tasks whose calls were all denied. */
  readonly deniedTasks: ReadonlyArray<string>
  readonly missing: ReadonlyArray<MissingChange>
  /** The tasks that never ran. */
  readonly notRun: ReadonlyArray<NotRun>
  /** Changes that the user wanted instead of declined calls, and did not get. */
  readonly unfollowed: ReadonlyArray<RequestedChange>
  /** The id of the run, for commands in messages. */
  readonly runId: string
}

const unfollowedMessages = ({ unfollowed }: Pick<Shortfall, "unfollowed">): ReadonlyArray<string> =>
  unfollowed.map(
    ({ declined, instead }) =>
      `You declined "${stepText(declined)}" and wanted instead: ${instead.trim().replace(/\.$/, "").replaceAll(/\s+/g, " ")}. Nothing was done for that.`
  )

/** The message of an interrupted run. It is also printed at the end of the run. */
export const interruptedText = "The run was interrupted."

/** Appends a sentence about changes that were left out because the run is read-only. */
const withLeftOut = (outcome: Outcome, { denials }: Shortfall): Outcome => {
  const names = denials.flatMap(({ leftOut, targets = [], tool = "a call" }) =>
    leftOut !== true ? [] : [targets.length === 0 ? tool : `${tool} on ${targets.join(", ")}`]
  )
  if (names.length === 0) return outcome
  const text = `Left out because of --read-only: ${[...new Set(names)].join("; ")}. Without it, task-conductor asks before these changes.`
  return { ...outcome, message: outcome.message === "" ? text : `${outcome.message}\n${text}` }
}

/** Messages about missing changes: which, why, and what the user can do. */
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

/** The denials that affect the outcome. Denied reads do not affect it if every task went on without them. */
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
      /** A run with denied or failed work never ends as `done`. */
      const denials = decidingDenials(shortfall).filter(({ instead }) => instead === undefined)
      const denied = [...new Set(denials.flatMap(({ leftOut, message }) => (leftOut === true ? [] : [message])))]
      const missing = missingMessages(shortfall)
      const message = [...denied, ...unfollowedMessages(shortfall), ...missing].join("\n")
      const declined = unfollowedMessages(shortfall)
      const isMissing = missing.length > 0 ? "failed" : "done"
      const status = denials.length > 0 ? "not_permitted" : declined.length > 0 ? "declined" : isMissing
      /** A run with denied calls still has work, because a resumed run asks about them again. */
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

/** The checks of a run, and whether they must prove something. */
export interface CheckedWork {
  readonly checks: ReadonlyArray<CheckOutcome>
  readonly hasChanged: boolean
  /** True if the user named the checks. The changes are then unverified if any of these checks proves nothing. */
  readonly isNamed: boolean
}

const failedText = ({ command, newFailures, stillFails }: CheckOutcome): string =>
  stillFails === undefined
    ? `The check ${command} fails with the changes: ${namesOf(newFailures)}`
    : `The check ${command} fails. ${stillFails}`

/** Why the changes are unverified, as lines; empty if they are verified. */
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

/** Turns `done` into `unverified` if a check fails. A check that the user named must also run and prove something. */
export const withChecks = (outcome: Outcome, work: CheckedWork): Outcome => {
  const lines = unverifiedLines(work)
  if (outcome.status !== "done" || lines.length === 0) return outcome
  const how = "The changes are made. Look at them, or accept such an end with --accept-unverified."
  return { ...outcome, status: "unverified", message: [...lines, how].join("\n"), nothingLeft: true }
}

/** Advice about an answer without evidence. */
export const unfoundedHelp =
  "Look it up before you rely on it, name a file in the prompt, or try a larger model (--model)."

/** Turns `done` into `unfounded` if a task describes the project, but the model looked at nothing there. */
export const withLooks = (outcome: Outcome, results: ReadonlyArray<TaskResult>): Outcome => {
  const unfounded = results.filter((result) => result.unfounded === true)
  if (outcome.status !== "done" || unfounded.length === 0) return outcome
  const lines = unfounded.map(({ name }) => unfoundedText(name))
  return { ...outcome, status: "unfounded", message: [...lines, unfoundedHelp].join("\n"), nothingLeft: true }
}

const incompleteFacts = ({ missing, notRun }: Shortfall): ReadonlyArray<IncompleteFact> => [
  ...missing.map((one) => ({ task: one.task, why: `It ${lackText(one)}. ${one.why}` })),
  ...notRun.map(({ task, why }) => ({ task, why: why.replace(/(?<=")Task section \d+[^"]*/, stepText) }))
]

export const outcomeOf = (end: RoundsEnd, answer: string, shortfall: Shortfall): Outcome => {
  const notDone = incompleteFacts(shortfall)
  const ended = withLeftOut(withoutAnswer(end, shortfall), shortfall)
  return { ...ended, answer, ...(notDone.length === 0 ? {} : { notDone }) }
}

/**
 * The maximum number of sources that replace one link. More sources would distract from the sentence that contains the
 * link.
 */
const maxSources = 3

/** The task result that a link leads to; undefined if the link leads elsewhere. */
const resultOf = ({ form, href }: EvidenceLink, results: ReadonlyArray<TaskResult>): TaskResult | undefined => {
  const name =
    form._tag === "Result" ? form.name : form._tag === "Plain" && form.reference.kind === "anchor" ? href : ""
  const wanted = forgivingSlug(slugOf(name.replace(/^#/, "")))
  return name === "" ? undefined : results.find(({ name }) => forgivingSlug(slugOf(name)) === wanted)
}

/** The files and pages of a result's first links, each once, without links marked as wrong. */
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

/**
 * Replaces links to task results in the answer, so that the user can follow them. The first mention of a result lists
 * its sources.
 */
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
