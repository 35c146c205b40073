/** Writes the reply of the program to an answer of the model in a task or a message. */
import type { CheckOutcome } from "../checks/CheckOutcome.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { changedBlocks } from "./ChangedFiles.ts"
import { callSign } from "./TaskOutcome.ts"
import { mostStretch, type OutputLimits } from "./TurnBudgets.ts"
import { type Issue, issuesMarkdown, issueText } from "../findings/Issue.ts"
import { fenced, nowBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { listWithin, shorten, shortened, usefulShares } from "../text/Excerpt.ts"
import { newTextsOf } from "../tools/OpenChanges.ts"
import { type CallOutcome, isChange, notMeasured, pathOf, type ToolResult } from "../tools/ToolCall.ts"
import { type ConversationMessage, messageText, type ToolMessage } from "../models/ConversationMessage.ts"
import { callBlocks, callFrame, leastOutput } from "../models/ExecutionBlocks.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { cutOutput } from "../models/OutputCut.ts"
import { outcomeText, resultText } from "../models/OutputText.ts"

/** The results of an answer's calls and changes. An absent part has nothing to report. */
export interface AnswerResults {
  readonly outcomes?: ReadonlyArray<CallOutcome>
  /** The files that the answer changed, with their previous texts. */
  readonly files?: ReadonlyArray<ProposedFile>
  /** One sentence about the result of each replacement. */
  readonly replaced?: ReadonlyArray<string>
  /** Sentences about images that the message contains or leaves out. */
  readonly images?: ReadonlyArray<string>
  /**
   * Names and lines that the answer renamed or removed, but that still occur in the project. Each entry holds one name
   * or line.
   */
  readonly remaining?: ReadonlyArray<string>
  /** The checks that ran for the answer. */
  readonly checks?: ReadonlyArray<CheckOutcome>
  /** Project instructions for the files of the answer, as a block. */
  readonly instructions?: string
  /** Parts of files around the hits of a search, as a block. */
  readonly parts?: string
}

export interface Reply {
  readonly turn: number
  readonly results: AnswerResults
  readonly issues: ReadonlyArray<Issue>
  /** Tells the model how to correct the answer. */
  readonly correction?: string | undefined
  /** Calls whose outputs the conversation already shows completely. */
  readonly outcomesAbove?: ReadonlyArray<CallOutcome>
  readonly isRepeated?: boolean
  readonly instruction: string
  /** The maximum number of characters of the whole reply. */
  readonly budget: number
  /** The limits of the outputs that the previous message announced to the model. */
  readonly announced?: OutputLimits | undefined
}

/** The longest diff, in characters, of a change that replaces the same words in many lines. */
const mostOfSwaps = 2000

const repeated = "You gave this answer before, and it changes nothing. Answer differently."

/** The line that the model gets instead of an output that the reply already contains above. */
const sameAsBefore = (outcome: CallOutcome): string =>
  `- \`${outcome.call.name}\` was called with the same arguments before: its output is the same as above.`

/** The maximum number of characters of the paths in one heading. */
const mostPaths = 200

/** The first line of the text that a change should replace, and then why the change failed. */
const failureText = (outcome: CallOutcome): string => {
  const { old_text: old } = outcome.call.arguments
  const [line = ""] = typeof old === "string" ? old.trim().split("\n") : []
  const block = line === "" ? "" : `The block that replaces \`${shortened(line.trim(), 80)}\`:\n\n`
  return `${block}${outcomeText(outcome)}\n\n`
}

/**
 * The texts about failed changes. If the same change failed in several files for the same reason, these files share one
 * text.
 */
export const notChanged = (failed: ReadonlyArray<CallOutcome>): ReadonlyArray<string> =>
  [...Map.groupBy(failed, failureText)].map(([text, outcomes]) => {
    const paths = outcomes.map(({ call }) => pathOf(call))
    const named = listWithin(paths, mostPaths, (count) => `and ${count} more`).text.replaceAll("\n", ", ")
    return `### Not changed: ${named}\n\n${text}`
  })

/** The lines that the model wrote in these changes. */
const linesWritten = (changes: ReadonlyArray<CallOutcome>): ReadonlySet<string> =>
  new Set(changes.flatMap(({ call }) => newTextsOf(call.arguments)).flatMap((text) => text.split("\n")))

/** What changed in each file, and why other changes failed. */
const changesText = (
  outcomes: ReadonlyArray<CallOutcome>,
  files: ReadonlyArray<ProposedFile>,
  budget: number
): string => {
  const isKnown = (path: string): boolean => files.some((one) => path === one.path || path.endsWith(`/${one.path}`))
  const successes = outcomes.filter(({ result }) => result.success)
  const same = [...new Set(successes.map(({ call }) => pathOf(call)))].filter((path) => !isKnown(path))
  const failed = notChanged(outcomes.filter(({ result }) => !result.success))
  return [
    changedBlocks(files, budget - failed.join("").length, linesWritten(successes)),
    ...same.map((path) => `### Changed: ${path}\n\n(No diff can be shown, or its text is the same as before.)\n\n`),
    ...failed
  ].join("")
}

/**
 * The block with the checks of the last changes. If files changed and no check ran, the block says so. Empty if nothing
 * changed and no check ran.
 */
export const checksBlock = (checks: ReadonlyArray<CheckOutcome>, hasChanged: boolean): string => {
  if (checks.length > 0) return rawBlock("## Checks", fenced(checks.map(({ text }) => text).join("\n\n"), "text"))
  return hasChanged ? rawBlock("## Checks", "No check of the project is known for these files: nothing was run.") : ""
}

/** The calls whose outputs these messages already show whole. */
export const shownIn = (
  messages: ReadonlyArray<ConversationMessage>,
  outcomes: ReadonlyArray<CallOutcome>
): ReadonlyArray<CallOutcome> => {
  const above = messages.map(messageText).join("\n")
  // An empty output proves nothing, because every text contains it.
  return outcomes.filter((outcome) => outcomeText(outcome).trim() !== "" && above.includes(outcomeText(outcome)))
}

/** The reply to an answer: its results, its issues, and the next instruction. */
export const replyText = ({
  announced,
  budget,
  correction = "Answer with what corrects this; what else was in the answer is done.",
  instruction,
  isRepeated = false,
  issues,
  outcomesAbove = [],
  results: {
    checks = [],
    files = [],
    images = [],
    instructions = "",
    outcomes = [],
    parts = "",
    remaining = [],
    replaced = []
  },
  turn
}: Reply): string => {
  const outputsAbove = new Map(outcomesAbove.map((outcome) => [callSign(outcome.call), outcomeText(outcome)]))
  const isAbove = (outcome: CallOutcome): boolean => outputsAbove.get(callSign(outcome.call)) === outcomeText(outcome)
  const [changes, looks] = [outcomes.filter(isChange), outcomes.filter((outcome) => !isChange(outcome))]
  const newLooks = looks.filter((outcome) => !isAbove(outcome))
  const notes = [
    ...replaced.map((line) => `- ${line}`),
    ...images.map((line) => `- ${line}`),
    ...looks.filter(isAbove).map(sameAsBefore),
    ...(isRepeated ? [repeated] : [])
  ].join("\n")
  const after = [
    parts,
    remaining.length === 0 ? "" : rawBlock("## Still present", remaining.join("\n")),
    checksBlock(
      checks,
      changes.some(({ result }) => result.success)
    ),
    instructions,
    issues.length === 0 ? "" : rawBlock("## Issues with your answer", `${issuesMarkdown(issues)}\n\n${correction}`),
    nowBlock(instruction)
  ].join("")
  const begin = rawBlock(`## Reply ${turn}`, notes)
  const fixed = begin.length + after.length + callFrame(newLooks, "above")
  const free = Math.max(0, budget - fixed)
  const changesBudget = newLooks.length === 0 ? free : free / 2
  const changed = changesText(
    changes,
    files,
    replaced.length > 0 ? Math.min(changesBudget, mostOfSwaps) : changesBudget
  )
  const outputs = (most: number): number => most - fixed - changed.length
  // Shows as much output as the previous message announced, even if the model's answer was long. The limit is
  // `mostStretch` times the budget.
  const most = Math.max(outputs(budget), Math.min(announced?.characters ?? 0, outputs(budget * mostStretch)))
  return `${begin}${callBlocks(newLooks, most, announced?.lines, "above")}${changed}${after}`.trimEnd()
}

/** A native call with its outcome, or with the `issues` that kept it from running. */
export interface CallReply {
  readonly askedCall: AskedCall
  readonly outcome: CallOutcome | undefined
  readonly issues: ReadonlyArray<Issue>
}

/** Gives calls ids that are unique in the conversation. A model may use an id twice. */
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

/** The result of a call that did not run. */
const notMade = (issues: ReadonlyArray<Issue>): ToolResult => ({
  success: false,
  data: null,
  error_message: issues.length === 0 ? "This call was not made." : issues.map(issueText).join(" "),
  error_type: "validation_failed",
  metadata: notMeasured
})

/**
 * A message for each native call. Short outputs stay whole, and long ones share the remaining budget. If the shares
 * become too small, the last outputs are left out.
 */
export const toolMessages = (
  replies: ReadonlyArray<CallReply>,
  budget: number,
  announced?: OutputLimits
): ReadonlyArray<ToolMessage> => {
  const results = replies.map(({ issues, outcome }) => outcome?.result ?? notMade(issues))
  const limits = usefulShares(
    results.map((result) => resultText(result).length),
    Math.min(budget, announced?.characters ?? budget),
    results.map(() => leastOutput)
  )
  return replies.map(({ askedCall: { id, name }, outcome }, index): ToolMessage => {
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
