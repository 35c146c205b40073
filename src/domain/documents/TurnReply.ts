/**
 * What the host replies to an answer in the turns of a task.
 */
import type { CheckOutcome } from "../checks/CheckOutcome.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { changedBlocks } from "./ChangedFiles.ts"
import { callSign } from "./TaskOutcome.ts"
import { type Issue, issuesMarkdown, issueText } from "../findings/Issue.ts"
import { fenced, nowBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { shorten, shortened, usefulShares } from "../text/Excerpt.ts"
import { type CallOutcome, isChange, notMeasured, pathOf, type ToolResult } from "../tools/ToolCall.ts"
import type { ConversationMessage, ToolMessage } from "../models/ConversationMessage.ts"
import { callBlocks, callFrame, leastOutput } from "../models/ExecutionBlocks.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { cutOutput } from "../models/OutputCut.ts"
import { outcomeText, resultText } from "../models/OutputText.ts"

export interface Reply {
  readonly turn: number
  readonly issues: ReadonlyArray<Issue>
  /** What the answer asked for, with what came of it. */
  readonly outcomes?: ReadonlyArray<CallOutcome>
  /** The files that the answer changed, with their texts before it. */
  readonly files?: ReadonlyArray<ProposedFile>
  /** The instructions of the project that hold for its files, as a block. */
  readonly instructions?: string
  /** The checks that ran because of the answer. */
  readonly checks?: ReadonlyArray<CheckOutcome>
  /** What the changes of the answer left behind elsewhere, a line each. */
  readonly leftovers?: ReadonlyArray<string>
  /** What the replacements of the answer came to, a sentence each. */
  readonly replaced?: ReadonlyArray<string>
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

/** The same words in each line of a diff need no more characters. */
const mostOfSwaps = 2000

const repeated = "You gave this answer before, and it changes nothing. Answer differently."

/** Why a call of which the output stands above is not shown again. */
const sameAsBefore = (outcome: CallOutcome): string =>
  `- \`${outcome.call.name}\` was called with the same arguments before: its output is the same and stands above.`

/** A change that was not made, by the first line that it would have replaced, and why. */
export const notChanged = (outcome: CallOutcome): string => {
  const { old_text: old } = outcome.call.arguments
  const [line = ""] = typeof old === "string" ? old.trim().split("\n") : []
  const block = line === "" ? "" : `The block that replaces \`${shortened(line.trim(), 80)}\`:\n\n`
  return `### Not changed: ${pathOf(outcome.call)}\n\n${block}${outcomeText(outcome)}\n\n`
}

/** What the changes of an answer made, one diff for each file, and why others were not made. */
const changesText = (
  outcomes: ReadonlyArray<CallOutcome>,
  files: ReadonlyArray<ProposedFile>,
  budget: number
): string => {
  const isKnown = (path: string): boolean => files.some((one) => path === one.path || path.endsWith(`/${one.path}`))
  const made = outcomes.filter(({ result }) => result.success)
  const same = [...new Set(made.map(({ call }) => pathOf(call)))].filter((path) => !isKnown(path))
  const failed = outcomes.filter(({ result }) => !result.success).map(notChanged)
  return [
    changedBlocks(files, budget - failed.join("").length),
    ...same.map((path) => `### Changed: ${path}\n\n(No diff can be shown, or its text is the same as before.)\n\n`),
    ...failed
  ].join("")
}

/** The checks of the last changes; after changes it is said, too, that there was none. */
export const checksBlock = (checks: ReadonlyArray<CheckOutcome>, hasChanged: boolean): string => {
  if (checks.length > 0) return rawBlock("## Checks", fenced(checks.map(({ text }) => text).join("\n\n"), "text"))
  return hasChanged ? rawBlock("## Checks", "No check of the project is known for these files: nothing was run.") : ""
}

/** The reply to an answer: what was done, what is wrong, and what to do now. */
export const replyText = ({
  before = [],
  budget,
  checks = [],
  correction = "Answer with what corrects this; what else was in the answer is done.",
  files = [],
  hasFolded = false,
  instructions = "",
  isRepeated = false,
  issues,
  leftovers = [],
  now,
  outcomes = [],
  replaced = [],
  turn
}: Reply): string => {
  const known = new Map(before.map((outcome) => [callSign(outcome.call), outcomeText(outcome)]))
  const isKnown = (outcome: CallOutcome): boolean =>
    !hasFolded && known.get(callSign(outcome.call)) === outcomeText(outcome)
  const shown = outcomes.filter((outcome) => !isChange(outcome) && !isKnown(outcome))
  const notes = [
    ...replaced.map((one) => `- ${one}`),
    ...outcomes.filter((one) => !isChange(one) && isKnown(one)).map(sameAsBefore),
    ...(isRepeated ? [repeated] : [])
  ].join("\n")
  const problems =
    issues.length === 0 ? "" : rawBlock("## Issues with your answer", `${issuesMarkdown(issues)}\n\n${correction}`)
  const end = nowBlock(now)
  const begin = rawBlock(`## Reply ${turn}`, notes)
  const checked = checksBlock(
    checks,
    outcomes.some((one) => isChange(one) && one.result.success)
  )
  const left = leftovers.length === 0 ? "" : rawBlock("## Still present", leftovers.join("\n"))
  const after = `${left}${checked}${instructions}${problems}${end}`
  const fixed = begin.length + after.length + callFrame(shown)
  const free = Math.max(0, budget - fixed)
  const room = shown.length === 0 ? free : free / 2
  const changed = changesText(
    outcomes.filter(isChange),
    files,
    replaced.length > 0 ? Math.min(room, mostOfSwaps) : room
  )
  const beside = fixed + changed.length
  return `${begin}${callBlocks(shown, budget - beside)}${changed}${after}`.trimEnd()
}

/** A call of the interface with what came of it; one that was not made has issues. */
export interface CallReply {
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
  metadata: notMeasured
})

/**
 * The messages that answer calls of the interface, one for each. Short outputs stay whole, and the long ones share the rest; where
 * that is too little for each, the last ones have nothing.
 */
export const toolMessages = (answers: ReadonlyArray<CallReply>, budget: number): ReadonlyArray<ToolMessage> => {
  const results = answers.map(({ issues, outcome }) => outcome?.result ?? notMade(issues))
  const limits = usefulShares(
    results.map((result) => resultText(result).length),
    budget,
    results.map(() => leastOutput)
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
