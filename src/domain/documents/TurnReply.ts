/**
 * What the host replies to an answer in the turns of a task, and what stands in the place of the turns when they have become too
 * long for the window.
 */
import type { CheckOutcome } from "../checks/CheckOutcome.ts"
import { callSign } from "./Refinement.ts"
import { changePreview } from "../files/ChangePreview.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { type Issue, issuesMarkdown, issueText } from "../findings/Issue.ts"
import { fenced, rawBlock } from "../markdown/PromptBlock.ts"
import { listWithin, shares, shorten } from "../text/Excerpt.ts"
import { type CallOutcome, fileTools, type ToolResult } from "../tools/ToolCall.ts"
import type { ConversationMessage, ToolMessage } from "../models/ConversationMessage.ts"
import { callBlocks, callFrame } from "../models/ExecutionBlocks.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { cutOutput } from "../models/OutputCut.ts"
import { diffOf, outcomeText, resultText } from "../models/OutputText.ts"

export interface Reply {
  readonly turn: number
  readonly issues: ReadonlyArray<Issue>
  /** What the answer asked for, with what came of it. */
  readonly outcomes?: ReadonlyArray<CallOutcome>
  /** The checks that ran because of the answer. */
  readonly checks?: ReadonlyArray<CheckOutcome>
  /** The calls of the turns before. */
  readonly before?: ReadonlyArray<CallOutcome>
  /** True when the turns before are not shown as they were. */
  readonly hasFolded?: boolean
  /** True for an answer that was given before. */
  readonly isRepeated?: boolean
  /** How to correct the answer; by what corrects it alone when absent. */
  readonly correction?: string | undefined
  /** What to do now. */
  readonly now: string
  /** The most characters of the whole reply. */
  readonly budget: number
}

/** Characters of the diff of one change in a reply. */
const mostDiff = 1500

const repeated = "You gave this answer before, and it changes nothing. Answer differently."

/** Why a call of which the output stands above is not shown again. */
const sameAsBefore = (outcome: CallOutcome): string =>
  `- \`${outcome.call.name}\` was called with the same arguments before: its output is the same and stands above.`

const isChange = ({ call }: CallOutcome): boolean => fileTools.has(call.name)

/** A change that was made in the working copy as its diff, or why it was not made. */
const changeBlock = (outcome: CallOutcome): string => {
  const path = String(outcome.call.arguments["path"])
  const diff = diffOf(outcome.result)
  if (!outcome.result.success) return `### Not changed: ${path}\n\n${outcomeText(outcome)}\n\n`
  return `### Changed: ${path}\n\n${fenced(shorten(diff ?? "(The diff is too large to be shown.)", mostDiff), "diff")}\n\n`
}

/** The checks of the last changes; after changes it is said, too, that there was none. */
const checksBlock = (checks: ReadonlyArray<CheckOutcome>, hasChanged: boolean): string => {
  if (checks.length > 0) return rawBlock("## Checks", fenced(checks.map(({ text }) => text).join("\n\n"), "text"))
  return hasChanged ? rawBlock("## Checks", "No check of the project is known for these files: nothing was run.") : ""
}

/** The reply to an answer: what was done, what is wrong, and what to do now. */
export const replyText = ({
  before = [],
  budget,
  checks = [],
  correction = "Answer with what corrects this; what else was in the answer is done.",
  hasFolded = false,
  isRepeated = false,
  issues,
  now,
  outcomes = [],
  turn
}: Reply): string => {
  const known = new Map(before.map((outcome) => [callSign(outcome.call), outcomeText(outcome)]))
  const isKnown = (outcome: CallOutcome): boolean =>
    !hasFolded && known.get(callSign(outcome.call)) === outcomeText(outcome)
  const shown = outcomes.filter((outcome) => !isChange(outcome) && !isKnown(outcome))
  const notes = [
    ...outcomes.filter((one) => !isChange(one) && isKnown(one)).map(sameAsBefore),
    ...(isRepeated ? [repeated] : [])
  ].join("\n")
  const problems =
    issues.length === 0 ? "" : rawBlock("## Issues with your answer", `${issuesMarkdown(issues)}\n\n${correction}`)
  const end = rawBlock("## Now", now)
  const begin = rawBlock(`## Reply ${turn}`, notes)
  const changed = outcomes.filter(isChange).map(changeBlock).join("")
  const checked = checksBlock(
    checks,
    outcomes.some((one) => isChange(one) && one.result.success)
  )
  const beside = begin.length + changed.length + problems.length + checked.length + end.length + callFrame(shown)
  return `${begin}${callBlocks(shown, Math.max(0, budget - beside))}${changed}${checked}${problems}${end}`.trimEnd()
}

/** A call of the interface with what came of it; one that was not made has issues. */
export interface CallAnswer {
  readonly asked: AskedCall
  readonly outcome: CallOutcome | undefined
  readonly issues: ReadonlyArray<Issue>
}

/** The calls with ids unlike each other and unlike those of earlier calls, since a model may use an id twice. */
export const withUniqueIds = (
  calls: ReadonlyArray<AskedCall>,
  messages: ReadonlyArray<ConversationMessage>
): ReadonlyArray<AskedCall> => {
  const used = new Set(messages.flatMap((message) => (message.role === "tool" ? [message.id] : [])))
  return calls.map((call) => {
    let id = call.id
    for (let number = 2; used.has(id); number += 1) id = `${call.id}-${number}`
    used.add(id)
    return { ...call, id }
  })
}

/** The result of a call that was not made. */
const notMade = (issues: ReadonlyArray<Issue>): ToolResult => ({
  success: false,
  data: null,
  error_message: issues.length === 0 ? "This call was not made." : issues.map(issueText).join(" "),
  error_type: "validation_failed",
  metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 }
})

/** The messages that answer calls of the interface, one for each. Short outputs stay whole, and the long ones share the rest. */
export const toolMessages = (answers: ReadonlyArray<CallAnswer>, budget: number): ReadonlyArray<ToolMessage> => {
  const results = answers.map(({ issues, outcome }) => outcome?.result ?? notMade(issues))
  const limits = shares(
    results.map((result) => resultText(result).length),
    budget
  )
  return answers.map(({ asked: { id, name }, outcome }, index): ToolMessage => {
    const result = results[index] ?? notMade([])
    const limit = limits[index] ?? 0
    const cut =
      outcome === undefined || resultText(result).length <= limit
        ? {}
        : result.success
          ? { data: cutOutput(outcome, limit) }
          : { error_message: shorten(result.error_message ?? "", limit) }
    return { role: "tool", id, name, result: { ...result, ...cut } }
  })
}

const proposedDiff = ({ base, path, text }: ProposedFile): string =>
  text === null ? `(${path} is removed)` : changePreview(path, base ?? undefined, text, 200)

const callLine = ({ call, result }: CallOutcome): string =>
  `- ${result.success ? "done" : "failed"}: ${shorten(JSON.stringify({ name: call.name, arguments: call.arguments }), 200)}`

interface Folded {
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** The files of the working copy, by their paths in the project. */
  readonly files: ReadonlyArray<ProposedFile>
  readonly checks: ReadonlyArray<CheckOutcome>
  /** What to do now. */
  readonly now: string
  readonly budget: number
}

/** How many of the last calls are shown with their outputs. */
const lastCalls = 4

/**
 * What the host knows of the turns so far: every call in a line, the changes as a diff, and the last outputs. The request
 * stands before it.
 */
export const foldText = ({ budget, checks, files, now: next, outcomes }: Folded): string => {
  const calls = listWithin(outcomes.map(callLine), Math.floor(budget / 5), (count) => `- ${count} more calls`).text
  const diffs = files.map(proposedDiff).join("\n")
  const changes =
    diffs === "" ? "" : rawBlock("## Changes so far", fenced(shorten(diffs, Math.floor(budget / 3)), "diff"))
  const last = outcomes.filter((one) => !isChange(one)).slice(-lastCalls)
  const checked = checksBlock(checks, files.length > 0)
  const more = "\n\nThe last outputs are shown below; call again for others."
  const head = rawBlock("## Done so far", calls === "" ? "" : `${calls}${more}`)
  const rest = Math.max(0, budget - head.length - changes.length - checked.length - callFrame(last))
  const now = rawBlock("## Now", next)
  return `${head}${changes}${callBlocks(last, rest)}${checked}${now}`.trimEnd()
}
