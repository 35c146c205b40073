/**
 * Replaces old turns that no longer fit the window. In their place stand the facts that the program knows about them,
 * below the request.
 */
import type { CheckOutcome } from "../checks/CheckOutcome.ts"
import { packLines } from "../excerpts/Packing.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { isSecretLike } from "../files/SensitivePath.ts"
import { editText } from "../files/TextEdit.ts"
import { issuesMarkdown } from "../findings/Issue.ts"
import { nowBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { callLines, type LineNow } from "../models/CallLine.ts"
import { callBlocks, callFrame, outputsSize } from "../models/ExecutionBlocks.ts"
import { listWithin, shares, shorten } from "../text/Excerpt.ts"
import { type CallOutcome, isChange, pathOf } from "../tools/ToolCall.ts"
import { changedFilesText, functionsText, leastDiff } from "./CompactedFiles.ts"
import { fittingOutputs, outputsOf } from "./CompactedOutputs.ts"
import { newestShare } from "./TurnBudgets.ts"
import type { TurnFacts } from "./TurnFacts.ts"
import { checksBlock, notChanged } from "./TurnReply.ts"

/** The minimum space in the summary for the outputs of checks, in characters, however small the budget is. */
const leastChecks = 700

/** The characters reserved for headings and fences. */
const headings = 120

/** A failed change, with the reason why it fails on the current text of the file. */
const reasonNow = (outcome: CallOutcome, files: ReadonlyArray<ProposedFile>): CallOutcome => {
  // A denied call keeps its reason, because a new reason could reveal something about the file.
  if (outcome.result.error_type !== "validation_failed") return outcome
  const { new_text: newText, old_text: oldText } = outcome.call.arguments
  const file = files.find(({ path }) => path === pathOf(outcome.call))
  if (typeof oldText !== "string" || typeof newText !== "string" || typeof file?.text !== "string") return outcome
  const edited = { path: file.path, text: file.text, mayQuote: !isSecretLike(file.path) }
  const found = editText(edited, [{ oldText, newText }])
  const said = found._tag === "Failure" ? found.failure : "It fits now: send it again, if it is still needed."
  return { ...outcome, result: { ...outcome.result, error_message: `Nothing was changed. ${said}` } }
}

/** The issues of the last answer, and the reasons of failed changes before it. */
const openBlocks = ({ budget, issues, open }: Pick<TurnFacts, "budget" | "issues" | "open">): string => {
  const known = new Set(issues.map(({ what }) => what))
  const blocks = notChanged(open.filter(({ result }) => !known.has(result.error_message ?? "")))
  const limits = shares(
    blocks.map(({ length }) => length),
    Math.max(300 * blocks.length, budget / 3)
  )
  const changes = blocks.map((block, index) => `${shorten(block.trimEnd(), limits[index] ?? 0)}\n\n`).join("")
  const wrong = issues.length === 0 ? "" : shorten(issuesMarkdown(issues), Math.max(600, Math.floor(budget / 3)))
  return changes + rawBlock("## Issues with your last answer", wrong)
}

/** The first line, and as many last lines as fit. A failing test prints the expected value at the end. */
const endKept = (text: string, most: number): string => {
  const lines = text.split("\n")
  const budget = Math.max(most, (lines[0] ?? "").length + 12)
  return packLines(
    lines,
    budget,
    () => "...",
    (choice) => {
      choice.add([0])
      choice.addEach([...lines.keys()].toReversed())
    }
  ).text
}

/** The outcomes of the checks. Long outputs are cut: all outputs together get about `most` characters. */
const checksWithin = (checks: ReadonlyArray<CheckOutcome>, hasChanged: boolean, most: number): string => {
  const limits = shares(
    checks.map(({ text }) => text.length),
    most
  )
  const fitting = checks.map((check, index) =>
    Object.assign({}, check, {
      text: check.text.length <= (limits[index] ?? 0) ? check.text : endKept(check.text, limits[index] ?? 0)
    })
  )
  return checksBlock(fitting, hasChanged)
}

/** True if the prompt already shows the file, as a reference or as the open file. */
export const showsFile = (prompt: string, path: string): boolean =>
  prompt.split("\n").some((line) => /^(?:The contents of|Path:) /.test(line) && line.includes(path))

/** The length, in characters, of the part that every summary shows: the changed functions and the open problems. */
export const factsLength = (turns: Pick<TurnFacts, "budget" | "checks" | "files" | "issues" | "open">): number => {
  return functionsText(turns).length + openBlocks(turns).length
}

/** For each line of a text, the indexes (from 0) at which it occurs. */
const indexesByLine = (text: string | null): ReadonlyMap<string | undefined, ReadonlyArray<number>> => {
  const lines = (text ?? "").split("\n")
  return Map.groupBy(lines.keys(), (index) => lines[index])
}

/**
 * Returns a function that finds a line of an older text in the changed files. If several lines are equal, it takes the
 * nearest.
 */
const lookUpLines = (files: ReadonlyArray<ProposedFile>): LineNow => {
  const changed = new Map(files.map(({ path, text }) => [path, indexesByLine(text)]))
  return (path, line, text) => {
    const indexes = changed.get(path)
    if (indexes === undefined) return line
    const numbers = (indexes.get(text) ?? []).map((index) => index + 1)
    return numbers.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line))[0]
  }
}

/** All known facts of the turns, in about `budget` characters. Always includes unsolved problems. */
export const compactedText = (turns: TurnFacts): string => {
  const { above, budget, checks, files, lines, now, outcomes } = turns
  const open = turns.open.map((one) => reasonNow(one, files))
  const { before, newest } = outputsOf(turns)
  const hasRead = outcomes.some((one) => !isChange(one))
  const known = `The turns before are left out.${hasRead ? " Repeat a call to see its output again if it is not below." : ""}`
  const old = files.some(({ base, path }) => base !== null && showsFile(above, path))
  const introduction = old ? `${known} Files shown above are as they were before your changes.` : known
  const problems = openBlocks({ ...turns, open })
  const failing = checksWithin(checks, files.length > 0, Math.max(leastChecks, Math.floor(budget / 3)))
  const end = `${failing === "" ? "" : `${failing.trimEnd()}\n\n`}${nowBlock(now)}`
  const lineNow = files.length === 0 ? undefined : lookUpLines(files)
  const unseen = callLines(
    outcomes.filter((one) => !isChange(one) && !newest.includes(one)),
    lineNow
  )
  const mostLines = Math.min(Math.max(350, budget / 6), unseen.join("\n").length)
  const workBudget = Math.max(0, budget - introduction.length - headings - mostLines - problems.length - end.length)
  const isAlone = files.length === 0 && open.length === 0
  const promised = lines === undefined ? 0 : outputsSize(newest, lines) + callFrame(newest)
  const most = isAlone ? workBudget : Math.max(workBudget * newestShare, Math.min(promised, workBudget - leastDiff))
  const last = callBlocks(newest, Math.floor(most) - callFrame(newest), lines)
  const beside = Math.max(0, workBudget - last.length)
  const changes = changedFilesText({ ...turns, open }, { last, newest, budget: beside })
  const rest = Math.max(0, beside - changes.length)
  const fitting = fittingOutputs(before, rest)
  const isShown = (one: CallOutcome): boolean => isChange(one) || fitting.has(one) || newest.includes(one)
  const calls = listWithin(
    callLines(
      outcomes.filter((one) => !isShown(one)),
      lineNow
    ),
    mostLines,
    (count) => `- and ${count} before that`
  ).text
  const begin = rawBlock("## Done so far", `${introduction}\n\n${calls}`.trimEnd())
  const earlier = callBlocks(
    outcomes.filter((one) => fitting.has(one)),
    rest
  )
  return `${begin}${problems}${changes}${earlier}${last}${end}`.trimEnd()
}
