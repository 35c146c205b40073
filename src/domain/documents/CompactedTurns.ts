/**
 * Replaces old turns that no longer fit the window by the facts that the program knows about them. The request stays
 * before these facts.
 */
import { type CheckOutcome, isFine, passes } from "../checks/CheckOutcome.ts"
import { isSecretLike } from "../files/SensitivePath.ts"
import { fileName } from "../files/PathList.ts"
import { editText } from "../files/TextEdit.ts"
import { type Issue, issuesMarkdown } from "../findings/Issue.ts"
import { fenced, nowBlock, rawBlock } from "../markdown/PromptBlock.ts"
import { callLines, isRead, linesOfRead } from "../models/CallLine.ts"
import { callBlocks, callFrame, outputsSize } from "../models/ExecutionBlocks.ts"
import { gapText, numbersOf } from "../models/OutputCut.ts"
import { outcomeText } from "../models/OutputText.ts"
import { listWithin, shares, shorten } from "../text/Excerpt.ts"
import { packLines } from "../excerpts/Packing.ts"
import { holdsRange, type LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"
import { newTextsOf } from "../tools/OpenChanges.ts"
import { badExit, type CallOutcome, isChange, pathOf, pathsOf } from "../tools/ToolCall.ts"
import { turnOf } from "../tools/ToolCallFormat.ts"
import type { ProposedFile } from "../files/ProposedFile.ts"
import { changesSoFar, fileDiff } from "./ChangedFiles.ts"
import { changedFunctions, changedLines } from "./ChangedFunctions.ts"
import { callSign } from "./TaskOutcome.ts"
import { newestShare } from "./TurnBudgets.ts"
import { checksBlock, notChanged } from "./TurnReply.ts"

interface Folded {
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** Failed changes that the model has not yet made in another way. */
  readonly open: ReadonlyArray<CallOutcome>
  readonly files: ReadonlyArray<ProposedFile>
  /** The prompt before the compacted turns. */
  readonly above: string
  readonly checks: ReadonlyArray<CheckOutcome>
  /** The issues of the last answer. */
  readonly issues: ReadonlyArray<Issue>
  /** What the model must do in its next answer. */
  readonly now: string
  readonly budget: number
  /** The number of output lines that the last reply of the program promised to the model. */
  readonly lines?: number | undefined
}

/** A shortened output keeps at least this many characters. */
const leastPart = 1000

/** The minimum number of characters for the diffs. */
const leastDiff = 600

/** The minimum number of characters for the outputs of checks. */
const leastChecks = 700

/** If the model no longer works on a file, only a diff of at most this many characters is shown. */
const smallDiff = 400

/** The characters that are reserved for headings and fences. */
const headings = 120

const mostImports = 12

/** How many lines around a place are shown. The program tries these numbers in order until the budget is used up. */
const radii = [1, 3, 8, 20, 40]

/** True if the later read shows all lines of the earlier read. */
const showsLinesOf = (later: CallOutcome, earlier: CallOutcome): boolean => {
  const [outer, inner] = [linesOfRead(later), linesOfRead(earlier)]
  return outer !== undefined && inner !== undefined && holdsRange(outer, inner)
}

/**
 * True if the call would still return this output, and no later output replaces it. A search replaces the searches of
 * earlier answers.
 */
const isCurrent = (outcome: CallOutcome, later: ReadonlyArray<CallOutcome>): boolean => {
  if (isChange(outcome) || !outcome.result.success) return false
  if (outcome.call.name === "search_files") {
    const matches = outcomeText(outcome)
    return later.every((next) =>
      isChange(next)
        ? !matches.includes(`${pathOf(next.call)}:`)
        : next.call.name !== "search_files" || turnOf(next) === turnOf(outcome)
    )
  }
  if (later.some(({ call }) => callSign(call) === callSign(outcome.call))) return false
  if (!isRead(outcome)) return true
  return later.every(
    (one) =>
      pathOf(one.call) !== pathOf(outcome.call) ||
      (isChange(one) ? !one.result.success : !isRead(one) || !showsLinesOf(one, outcome))
  )
}

/**
 * The outcome of a failed change. The reason why the change fails is computed again from the current text of the file.
 */
const reasonNow = (outcome: CallOutcome, files: ReadonlyArray<ProposedFile>): CallOutcome => {
  // The reason of a denied call must reveal nothing about the file. The reason therefore stays unchanged.
  if (outcome.result.error_type !== "validation_failed") return outcome
  const { new_text: newText, old_text: oldText } = outcome.call.arguments
  const file = files.find(({ path }) => path === pathOf(outcome.call))
  if (typeof oldText !== "string" || typeof newText !== "string" || typeof file?.text !== "string") return outcome
  const edited = { path: file.path, text: file.text, mayQuote: !isSecretLike(file.path) }
  const found = editText(edited, [{ oldText, newText }])
  const said = found._tag === "Failure" ? found.failure : "It fits now: send it again, if it is still needed."
  return { ...outcome, result: { ...outcome.result, error_message: `Nothing was changed. ${said}` } }
}

/**
 * Finds line numbers of a file in the outputs of failing checks. Compilers and test runners write `a.ts:12`, `a.ts(12`
 * or `"a.py", line 12`. The first group of each match is the number.
 */
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

/** The lines of a file that are named by failing checks, or by the reasons of failed changes. */
const namedPlaces = (
  file: ProposedFile,
  { checks, open }: Pick<Folded, "checks" | "open">
): ReadonlyArray<LineRange> => {
  const reasons = open.filter((one) => pathOf(one.call) === file.path).map(({ result }) => result.error_message)
  const failed = [...reasons.join("\n").matchAll(/\b[Ll]ines? (\d+)/g)]
  return [...namedByChecks(file, checks), ...failed].map(([, line]) => ({ from: Number(line), to: Number(line) }))
}

/** The lines that `namedPlaces` finds, and the changed parts of the file. */
const placesIn = (file: ProposedFile, listed: Pick<Folded, "checks" | "open">): ReadonlyArray<LineRange> => [
  ...namedPlaces(file, listed),
  ...[...fileDiff(file).matchAll(/^@@ -\S+ \+(\d+)(?:,(\d+))? @@/gm)].map(([, from, count = "1"]) => ({
    from: Number(from),
    to: Number(from) + Math.max(1, Number(count)) - 1
  }))
]

/** The import lines at the beginning of a file. */
const importsOf = (lines: ReadonlyArray<string>): ReadonlyArray<LineRange> =>
  lines.flatMap((line, index) =>
    /^(?:import|from|use|using|#include)\b|^const\b.*\brequire\(/.test(line) ? [{ from: index + 1, to: index + 1 }] : []
  )

/** The current text of a file around these places. If a check fails, the imports of the file are added. */
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

/**
 * True for a file whose current text may be shown. A new file is excluded, because its diff already shows the whole
 * text.
 */
const isShownWhole = ({ base, path, text }: ProposedFile): boolean =>
  base !== null && text !== null && !isSecretLike(path)

interface FunctionParts extends Pick<Folded, "checks" | "open" | "budget"> {
  readonly fails: boolean
  /** The calls of the last answer (`newest`), and the text that shows their outputs (`last`). */
  readonly newest: ReadonlyArray<CallOutcome>
  readonly last: string
}

/** The lines of a file that are already visible in the outputs of the last answer. */
const shownLines = (path: string, { last, newest }: FunctionParts): ReadonlyArray<LineRange> =>
  newest
    .filter((one) => isRead(one) && pathOf(one.call) === path)
    .flatMap(({ call }) => {
      const [, block = ""] = last.split(`(${call.uid})\n`)
      const numbers = numbersOf((block.split("\n### Tool call ", 1)[0] ?? "").split("\n"))
      return numbers === undefined ? [] : [{ from: numbers[0], to: numbers[1] }]
    })

/**
 * The changed functions of each file, and the places that `namedPlaces` finds. The files share the budget. A file is
 * left out if its functions do not fit whole.
 */
const functionsWithin = (
  files: ReadonlyArray<ProposedFile>,
  parts: FunctionParts
): ReadonlyMap<ProposedFile, string> => {
  const texts = new Map<ProposedFile, string>()
  for (const [index, file] of files.entries()) {
    const changed = changedLines(fileDiff(file)).map((line) => ({ from: line, to: line }))
    const text = changedFunctions(file, {
      places: [...changed, ...namedPlaces(file, parts)],
      shownLines: shownLines(file.path, parts),
      beside: parts.fails ? importsOf((file.text ?? "").split("\n")).slice(0, mostImports) : [],
      budget: (parts.budget - [...texts.values()].join("").length) / (files.length - index)
    })
    if (text !== undefined && changed.length > 0) texts.set(file, text)
  }
  return texts
}

/**
 * The outputs worth showing.
 * - `newest`: the outputs of the last answer.
 * - `before`: the outputs of earlier answers. The last failed command comes first, together with the reads of files
 *   whose change failed. All other outputs follow, the newest first.
 */
const outputsOf = ({ open, outcomes }: Folded) => {
  const current = outcomes.filter((outcome, index) => isCurrent(outcome, outcomes.slice(index + 1)))
  const last = outcomes.at(-1)
  const newest = current.filter((one) => last !== undefined && turnOf(one) === turnOf(last))
  const before = current.filter((one) => !newest.includes(one))
  const failed = new Set(open.map(({ call }) => pathOf(call)))
  const lastFailed = before.findLast(({ result }) => badExit(result) !== undefined)
  const isNeeded = (one: CallOutcome): boolean => one === lastFailed || (isRead(one) && failed.has(pathOf(one.call)))
  return { newest, before: [...before.filter(isNeeded), ...before.filter((one) => !isNeeded(one)).toReversed()] }
}

/**
 * The outputs that fit, taken in this order. At most one of them is cut, because fragments of many outputs would be
 * useless.
 */
const fittingOutputs = (ordered: ReadonlyArray<CallOutcome>, most: number): ReadonlySet<CallOutcome> => {
  const chosen = new Set<CallOutcome>()
  let budgetLeft = most
  for (const outcome of ordered) {
    const size = callFrame([outcome]) + outcomeText(outcome).length
    if (size > budgetLeft && budgetLeft < leastPart) continue
    chosen.add(outcome)
    budgetLeft -= size
  }
  return chosen
}

/** The issues of the last answer, and the reasons of failed changes before it. */
const openBlocks = ({ budget, issues, open }: Pick<Folded, "budget" | "issues" | "open">): string => {
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

/**
 * The first line of a text and as many of its last lines as fit. The last lines matter, because a failing test prints
 * the expected value there.
 */
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

/**
 * The block with the outcomes of the checks. Long outputs are cut, so that all outputs together have about `most`
 * characters.
 */
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

/** True if the prompt already shows the file, either as a reference or as the file that the user has open. */
export const showsFile = (prompt: string, path: string): boolean =>
  prompt.split("\n").some((line) => /^(?:The contents of|Path:) /.test(line) && line.includes(path))

/** The calls of the last answer. */
const latestCalls = (outcomes: ReadonlyArray<CallOutcome>): ReadonlyArray<CallOutcome> => {
  const last = outcomes.at(-1)
  return outcomes.filter((one) => last !== undefined && turnOf(one) === turnOf(last))
}

/** The lines that the changes of the last answer wrote. Their indentation is removed. */
const latestLines = (outcomes: ReadonlyArray<CallOutcome>): ReadonlySet<string> => {
  const lines = latestCalls(outcomes)
    .filter(isChange)
    .flatMap(({ call }) => newTextsOf(call.arguments))
    .flatMap((text) => text.split("\n"))
  return new Set(lines.map((line) => line.trim()).filter((line) => line !== ""))
}

/**
 * The changed files that the model probably works on: the last answer changed or read them, or a failing check or a
 * failed change names them. If new failures name no changed file, all changed files count. A summary shows these
 * files. It shows the other changed files only if their diffs are small, and otherwise only names them.
 */
const filesAtWork = ({
  checks,
  files,
  open,
  outcomes
}: Pick<Folded, "checks" | "files" | "open" | "outcomes">): ReadonlyArray<ProposedFile> => {
  const latest = new Set(latestCalls(outcomes).flatMap(({ call }) => pathsOf(call)))
  const named = new Set(files.filter((file) => namedPlaces(file, { checks, open }).length > 0))
  const isUnclear = named.size === 0 && checks.some((check) => !isFine(check))
  return files.filter((file) => isUnclear || named.has(file) || latest.has(file.path))
}

/** The length of what every summary shows besides outputs: changed functions and open problems. */
export const factsLength = (
  turns: Pick<Folded, "budget" | "checks" | "files" | "issues" | "open" | "outcomes">
): number => {
  const parts = { checks: [], open: [], fails: false, newest: [], last: "", budget: Number.MAX_SAFE_INTEGER }
  const functions = functionsWithin(filesAtWork(turns).filter(isShownWhole), parts)
  return [...functions.values()].join("").length + openBlocks(turns).length
}

const isSmall = (file: ProposedFile): boolean => fileDiff(file).length <= smallDiff

/** Returns a function which tells whether a line that a search found is still in its file. */
const lookUpLines = (files: ReadonlyArray<ProposedFile>): ((path: string, line: string) => boolean) => {
  const linesNow = new Map(files.map(({ path, text }) => [path, new Set(text?.split("\n"))]))
  return (path, line) => linesNow.get(path)?.has(line) ?? true
}

/** All known facts of the turns, in about `budget` characters. Unsolved problems are always included. */
export const compactedText = (turns: Folded): string => {
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
  const isAsFound = files.length === 0 ? undefined : lookUpLines(files)
  const unseen = callLines(
    outcomes.filter((one) => !isChange(one) && !newest.includes(one)),
    isAsFound
  )
  const mostLines = Math.min(Math.max(350, budget / 6), unseen.join("\n").length)
  const workBudget = Math.max(0, budget - introduction.length - headings - mostLines - problems.length - end.length)
  const isAlone = files.length === 0 && open.length === 0
  const promised = lines === undefined ? 0 : outputsSize(newest, lines) + callFrame(newest)
  const most = isAlone ? workBudget : Math.max(workBudget * newestShare, Math.min(promised, workBudget - leastDiff))
  const last = callBlocks(newest, Math.floor(most) - callFrame(newest), lines)
  const beside = Math.max(0, workBudget - last.length)
  const fails = checks.some((check) => !passes(check))
  const atWork = filesAtWork({ ...turns, open })
  const around = atWork.filter(isShownWhole)
  const functions = functionsWithin(around, { checks, open, fails, last, newest, budget: beside })
  const whole = [...functions.values()].join("")
  const changes = changesSoFar(files, Math.max((beside - whole.length) / 2, budget / 4, leastDiff), {
    summarized: new Set(files.filter((file) => functions.has(file) || (!atWork.includes(file) && !isSmall(file)))),
    latest: latestLines(outcomes)
  })
  const budgetLeft = Math.max(0, beside - changes.length - whole.length)
  const others = around
    .filter((file) => !functions.has(file))
    .map((file) => ({ file, places: placesIn(file, { checks, open }) }))
    .filter(({ places }) => places.length > 0)
  const each = budgetLeft / Math.max(1, others.length)
  const texts = others.map(({ file, places }) => currentText(file, { places, fails, budget: each })).join("")
  const current = rawBlock("## The changed places as they are now", whole + texts)
  const rest = budgetLeft - texts.length
  const fitting = fittingOutputs(before, rest)
  const isShown = (one: CallOutcome): boolean => isChange(one) || fitting.has(one) || newest.includes(one)
  const calls = listWithin(
    callLines(
      outcomes.filter((one) => !isShown(one)),
      isAsFound
    ),
    mostLines,
    (count) => `- and ${count} before that`
  ).text
  const begin = rawBlock("## Done so far", `${introduction}\n\n${calls}`.trimEnd())
  const earlier = callBlocks(
    outcomes.filter((one) => fitting.has(one)),
    rest
  )
  return `${begin}${problems}${changes}${current}${earlier}${last}${end}`.trimEnd()
}
