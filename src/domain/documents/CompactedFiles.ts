/**
 * Shows changed files in the summary that replaces old turns: the changed functions, and the places that failing checks
 * and failed changes name.
 */
import { type CheckOutcome, isFine, passes } from "../checks/CheckOutcome.ts"
import { packLines } from "../excerpts/Packing.ts"
import { fileName } from "../files/PathList.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { isSecretLike } from "../files/SensitivePath.ts"
import { fenced, rawBlock } from "../markdown/PromptBlock.ts"
import { isRead } from "../models/CallLine.ts"
import { gapText, numbersOf } from "../models/OutputCut.ts"
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"
import { type CallOutcome, isChange, pathOf, pathsOf } from "../tools/ToolCall.ts"
import { changesSoFar, fileDiff } from "./ChangedFiles.ts"
import { changedFunctions, changedLines } from "./ChangedFunctions.ts"
import { latestCalls } from "./CompactedOutputs.ts"
import type { TurnFacts } from "./TurnFacts.ts"

const mostImports = 12

/** The minimum number of characters for the diffs. */
export const leastDiff = 600

/** The maximum length, in characters, of a shown diff of a file that the last answer did not change. */
const smallDiff = 400

/** How many lines around a place are shown. The program tries these numbers in order until the budget is used up. */
const radii = [1, 3, 8, 20, 40]

interface FunctionParts extends Pick<TurnFacts, "checks" | "open" | "budget"> {
  readonly fails: boolean
  /** The calls of the last answer (`newest`), and the text that shows their outputs (`last`). */
  readonly newest: ReadonlyArray<CallOutcome>
  readonly last: string
}

/** Line numbers of a file in the outputs of failing checks. Tools write `a.ts:12`, `a.ts(12` or `"a.py", line 12`. */
const namedByChecks = ({ path }: ProposedFile, checks: ReadonlyArray<CheckOutcome>) => {
  const name = fileName(path).replaceAll(/[^\w]/g, String.raw`\$&`)
  const place = new RegExp(String.raw`(?<![\w-])${name}"?(?:, line |:|\()(\d+)`, "g")
  const failing = checks.filter((check) => !passes(check))
  return [
    ...failing
      .map(({ text }) => text)
      .join("\n")
      .matchAll(place)
  ]
}

/** The lines of a file that failing checks or failed changes name. */
const namedPlaces = (
  file: ProposedFile,
  { checks, open }: Pick<TurnFacts, "checks" | "open">
): ReadonlyArray<LineRange> => {
  const reasons = open.filter((one) => pathOf(one.call) === file.path).map(({ result }) => result.error_message)
  const failed = [...reasons.join("\n").matchAll(/\b[Ll]ines? (\d+)/g)]
  return [...namedByChecks(file, checks), ...failed].map(([, line]) => ({ from: Number(line), to: Number(line) }))
}

/**
 * The lines of a file that failing checks or failed changes name, and its changed lines. If only a failed change names
 * lines, the changed lines are right, and left out.
 */
const placesIn = (
  file: ProposedFile,
  { checks, open }: Pick<TurnFacts, "checks" | "open">
): ReadonlyArray<LineRange> => {
  const named = namedPlaces(file, { checks, open })
  if (named.length > 0 && checks.every(isFine)) return named
  return [...named, ...changedLines(fileDiff(file)).map((line) => ({ from: line, to: line }))]
}

const importsOf = (lines: ReadonlyArray<string>): ReadonlyArray<LineRange> =>
  lines.flatMap((line, index) =>
    /^(?:import|from|use|using|#include)\b|^const\b.*\brequire\(/.test(line) ? [{ from: index + 1, to: index + 1 }] : []
  )

/** The current text of a file around these places, with its imports if a check fails. */
const currentText = (
  { path, text }: ProposedFile,
  {
    budget,
    fails,
    places
  }: { readonly places: ReadonlyArray<LineRange>; readonly fails: boolean; readonly budget: number }
): string => {
  const source = (text ?? "").replace(/\n$/, "").split("\n")
  const lines = numberLines(source, 1)
  const imports = fails ? importsOf(source).slice(0, mostImports) : []
  const packed = packLines(lines, budget - path.length - 30, gapText, (choice) => {
    const add = ({ from, to }: LineRange, radius: number): boolean => {
      const first = Math.max(0, from - 1 - radius)
      return choice.add(
        Array.from({ length: Math.min(lines.length, to + radius) - first }, (_, index) => first + index)
      )
    }
    for (const radius of radii) {
      const areAllShown = places.filter((place) => !add(place, radius)).length === 0
      if (radius === radii[0] && areAllShown) for (const line of imports) add(line, 0)
    }
  })
  return packed.isEmpty ? "" : `### ${path}\n\n${fenced(packed.text, "text")}\n\n`
}

/** True for a file whose current text may be shown. False for a new file: its diff already shows its whole text. */
const isShownWhole = ({ base, path, text }: ProposedFile): boolean =>
  base !== null && text !== null && !isSecretLike(path)

/** The lines of a file that are already visible in the outputs of the last answer. */
const shownLines = (path: string, { last, newest }: FunctionParts): ReadonlyArray<LineRange> =>
  newest
    .filter((one) => isRead(one) && pathOf(one.call) === path)
    .flatMap(({ call }) => {
      const [, block = ""] = last.split(`(${call.uid})\n`)
      const numbers = numbersOf((block.split("\n### Tool call ", 1)[0] ?? "").split("\n"))
      return numbers === undefined ? [] : [{ from: numbers[0], to: numbers[1] }]
    })

/** The functions around the places of each file. The files share the budget. A file whose functions do not fit is left out. */
const functionsWithin = (
  files: ReadonlyArray<ProposedFile>,
  parts: FunctionParts
): ReadonlyMap<ProposedFile, string> => {
  const texts = new Map<ProposedFile, string>()
  for (const [index, file] of files.entries()) {
    const places = placesIn(file, parts)
    const text = changedFunctions(file, {
      places,
      shownLines: shownLines(file.path, parts),
      beside: parts.fails ? importsOf((file.text ?? "").split("\n")).slice(0, mostImports) : [],
      budget: (parts.budget - [...texts.values()].join("").length) / (files.length - index)
    })
    if (text !== undefined && places.length > 0) texts.set(file, text)
  }
  return texts
}

/**
 * The changed files that the model must probably correct: a failing check or a failed change names them. If new failures
 * name no changed file, all changed files count. Of other files, a summary shows a diff or only the name.
 */
const filesToCorrect = ({
  checks,
  files,
  open
}: Pick<TurnFacts, "checks" | "files" | "open">): ReadonlyArray<ProposedFile> => {
  const named = new Set(files.filter((file) => namedPlaces(file, { checks, open }).length > 0))
  const isUnclear = named.size === 0 && checks.some((check) => !isFine(check))
  return files.filter((file) => isUnclear || named.has(file))
}

/** The functions of the files to correct, whole. */
export const functionsText = (turns: Pick<TurnFacts, "checks" | "files" | "open">): string => {
  const parts = { ...turns, fails: false, newest: [], last: "", budget: Number.MAX_SAFE_INTEGER }
  return [...functionsWithin(filesToCorrect(turns).filter(isShownWhole), parts).values()].join("")
}

/**
 * The changes so far in about `beside.budget` characters, and the current text of the files to correct: the
 * functions around their places or, if these do not fit, lines around them.
 */
export const changedFilesText = (
  { budget, checks, files, open, outcomes }: TurnFacts,
  beside: Pick<FunctionParts, "budget" | "last" | "newest">
): string => {
  const fails = checks.some((check) => !passes(check))
  const toCorrect = filesToCorrect({ checks, files, open }).filter(isShownWhole)
  const functions = functionsWithin(toCorrect, { ...beside, checks, open, fails })
  const whole = [...functions.values()].join("")
  const latest = new Set(
    latestCalls(outcomes)
      .filter(isChange)
      .flatMap(({ call }) => pathsOf(call))
  )
  const suspected = checks.every(isFine) ? [] : toCorrect
  const isSummarized = (file: ProposedFile): boolean =>
    suspected.includes(file) ? functions.has(file) : !latest.has(file.path) && fileDiff(file).length > smallDiff
  const changes = changesSoFar(
    files,
    Math.max((beside.budget - whole.length) / 2, budget / 4, leastDiff),
    new Set(files.filter(isSummarized))
  )
  const others = toCorrect
    .filter((file) => !functions.has(file))
    .map((file) => ({ file, places: placesIn(file, { checks, open }) }))
    .filter(({ places }) => places.length > 0)
  const budgetLeft = Math.max(0, beside.budget - changes.length - whole.length)
  const each = budgetLeft / Math.max(1, others.length)
  const texts = others.map(({ file, places }) => currentText(file, { places, fails, budget: each })).join("")
  return changes + rawBlock("## The changed places as they are now", whole + texts)
}
