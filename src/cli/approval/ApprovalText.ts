/**
 * Writes approval questions for a terminal, whole or shortened to fit the screen. All text from models, files and
 * plugins is made printable. A note tells the size of each hidden part.
 */
import { type DiffRow, numberedRows } from "../../domain/files/ChangePreview.ts"
import { printable, printableLines, unframed } from "../../domain/text/Printable.ts"
import type { Risk } from "../../domain/tools/Access.ts"
import { stepText } from "../../domain/plan/TaskName.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import {
  argumentsOf,
  hasNoCall,
  itemDoes,
  unsaidArguments,
  wordsSayCall
} from "../../domain/permissions/UnsaidArguments.ts"
import { type LineStyle, type QuestionLine, type ScreenSize, framed, keysJoined, rowCount } from "./QuestionLines.ts"
import { counted } from "../../domain/text/Format.ts"

/** Arguments of built-in tools that the question shows elsewhere: in the description, the command, or the change. */
const saidByText = new Set(["path", "url", "argv", "cwd"])
const saidByChange = new Set(["content", "edits", "old_text", "new_text"])

const sourceOf = (text: string): ReadonlyArray<string> =>
  printableLines(text.replace(/\n$/, ""))
    .split("\n")
    .map((line) => line.split("\t").map(unframed).join("\t"))

const sourceLine = (text: string): QuestionLine => ({ text, hang: 2, isSource: true })

const argumentLines = ([name, value]: readonly [string, unknown]): ReadonlyArray<QuestionLine> => {
  const label = unframed(name)
  if (typeof value !== "string") return [sourceLine(`${label}: ${unframed(JSON.stringify(value))}`)]
  const rows = sourceOf(value)
  return rows.length === 1
    ? [sourceLine(`${label}: ${rows[0]}`)]
    : [{ text: `${label}:` }, ...rows.map((text) => sourceLine(`  ${text}`))]
}

const whoseOf = ({ origin }: ApprovalItem): string => (origin === undefined ? "" : ` (plugin ${unframed(origin)})`)

/**
 * The maximum number of characters of a command in a short question. The middle of a longer command is left out, and
 * the pager shows it.
 */
const mostShown = 4000

/** The lines of a command. If its middle is left out, a note says so. */
const commandLines = ({ words }: ApprovalItem, isWhole: boolean): ReadonlyArray<QuestionLine> => {
  if (words?.command === undefined) return []
  const command = unframed(words.command)
  const hiddenCharacters = command.length - mostShown
  if (isWhole || hiddenCharacters <= 0) return [sourceLine(`$ ${command}`)]
  const half = mostShown / 2
  return [
    sourceLine(`$ ${command.slice(0, half)}`),
    { text: `... ${hiddenCharacters} more characters: v shows all. The command ends with`, style: "caution" },
    sourceLine(`  ${command.slice(-half)}`)
  ]
}

const callLines = (item: ApprovalItem): ReadonlyArray<QuestionLine> => {
  const { details = [], words } = item
  const command = words?.command
  return [
    ...unsaidArguments(item).flatMap(argumentLines),
    /* For a plugin or a server, the details name the program to start. */
    ...(command === undefined ? details.map((text) => sourceLine(unframed(text))) : [])
  ]
}

const forms: Readonly<Record<DiffRow["kind"], { readonly sign: string; readonly style?: LineStyle }>> = {
  file: { sign: "", style: "bold" },
  gap: { sign: "", style: "dim" },
  same: { sign: " " },
  added: { sign: "+", style: "added" },
  removed: { sign: "-", style: "removed" },
  note: { sign: "", style: "dim" }
}

const rowLine = ({ kind, number, text }: DiffRow, width: number): QuestionLine => {
  const { sign, style } = forms[kind]
  if (kind === "gap") return { text: `${" ".repeat(width)} ... ${printable(text)}`.trimEnd(), style }
  if (number === undefined) return { text: printable(text), style }
  const before = `${String(number).padStart(width)} ${sign} `
  return { text: before + printableLines(text), hang: before.length, isSource: true, style }
}

/** Hides the carriage returns at line ends, if every line of the old file has one. */
const withoutReturns = (rows: ReadonlyArray<DiffRow>): ReadonlyArray<DiffRow> => {
  let file = 0
  const files = rows.map(({ kind }) => (kind === "file" ? (file += 1) : file))
  const had = new Set(
    rows.flatMap(({ kind, text }, at) =>
      (kind === "same" || kind === "removed") && text.endsWith("\r") ? [files[at]] : []
    )
  )
  const mixed = new Set(
    rows.flatMap(({ number, text }, at) =>
      number === undefined || text.endsWith("\r") || rows[at + 1]?.kind === "note" ? [] : [files[at]]
    )
  )
  return rows.map((row, at) =>
    row.number === undefined || !had.has(files[at]) || mixed.has(files[at])
      ? row
      : { ...row, text: row.text.replace(/\r$/, "") }
  )
}

/** Leaves out unchanged rows. A row marks each gap. */
const withoutContext = (rows: ReadonlyArray<DiffRow>): ReadonlyArray<DiffRow> => {
  const gaps = rows.map((row): DiffRow => (row.kind === "same" ? { kind: "gap", text: "" } : row))
  const firstChange = gaps.findIndex(({ kind }) => kind === "added" || kind === "removed")
  const kept = gaps.filter(
    ({ kind }, index) => kind !== "gap" || (index > firstChange && gaps[index - 1]?.kind !== "gap")
  )
  return kept.at(-1)?.kind === "gap" ? kept.slice(0, -1) : kept
}

/** The rows of a change, with line numbers. File names are shown only if several files change. */
const changeLines = ({ diff, preview = "" }: ApprovalItem, hasContext = true): ReadonlyArray<QuestionLine> => {
  if (diff === undefined && preview !== "" && !preview.includes("\n@@ ")) {
    return sourceOf(preview).map((text) => ({ text, isSource: true }))
  }
  const all = withoutReturns(numberedRows(diff ?? preview))
  const rows = hasContext ? all : withoutContext(all)
  const files = rows.filter(({ kind }) => kind === "file").length
  const width = rows.reduce((most, { number = 0 }) => Math.max(most, String(number).length), 1)
  return rows.filter(({ kind }) => kind !== "file" || files > 1).map((row) => rowLine(row, width))
}

/** The risk in words, for questions that state no consequence. */
const riskText: Readonly<Record<Risk, string>> = { safe: " Low risk.", medium: " Some risk.", high: " High risk." }

/**
 * Lines that the short question leaves out and the whole question shows. They contain further arguments, details of a
 * command, targets, and the tool.
 */
const extentLines = (item: ApprovalItem): ReadonlyArray<QuestionLine> => {
  const { call, details = [], diff, risk, targets, tool, words } = item
  if (hasNoCall(item)) return []
  const rest = wordsSayCall(item)
    ? argumentsOf(item).filter(([name]) => !saidByText.has(name) && (diff === undefined || !saidByChange.has(name)))
    : []
  /* The description already shows the folder, and the consequence already shows the sandbox. */
  const argumentsOfCommand =
    words?.command === undefined ? [] : details.filter((text) => !/^(?:Folder|Sandbox): /.test(text))
  return [
    ...rest.flatMap(argumentLines),
    ...argumentsOfCommand.map((text) => sourceLine(unframed(text))),
    ...(words === undefined || call === undefined
      ? targets.map((text) => sourceLine(`Target: ${unframed(text)}`))
      : []),
    { text: `Tool: ${unframed(tool)}${whoseOf(item)}.${words === undefined ? riskText[risk] : ""}`, style: "dim" }
  ]
}

/** What a question is about: a step, one call or reference, or an interrupted call that may have taken effect. */
export interface Asking {
  readonly scope: "step" | "call" | "doubt"
  /** The heading of the step or the name of the task; may be empty. */
  readonly title: string
  readonly items: ReadonlyArray<ApprovalItem>
  /** Sentences about answers that cover more than one call. */
  readonly notes?: ReadonlyArray<string>
}

const doesOf = (item: ApprovalItem): string => unframed(itemDoes(item))

const headingOf = ({ items, scope, title }: Asking): string => {
  const [first] = items
  const name = title === "" ? [] : [unframed(stepText(title))]
  if (scope === "doubt") return [...name, "did this happen?"].join(" · ")
  const wants =
    items.length === 1 && first !== undefined
      ? hasNoCall(first)
        ? "asks for approval, without a tool call"
        : `wants to ${doesOf(first)}`
      : `wants approval for ${counted(items.length, "call")}`
  return name.length === 0 ? wants.slice(0, 1).toUpperCase() + wants.slice(1) : [...name, wants].join(" · ")
}

const consequenceOf = (item: ApprovalItem): ReadonlyArray<QuestionLine> => {
  const { risk, words } = item
  if (words?.isCalm === true) return [{ text: unframed(words.consequence), style: "dim" }]
  if (words === undefined && (risk !== "high" || hasNoCall(item))) return []
  const text = words?.consequence ?? "This can change or destroy things that task-conductor does not control."
  return [{ text: `Caution: ${unframed(text)}`, style: "caution" }]
}

const indent = (lines: ReadonlyArray<QuestionLine>, isAlone: boolean): ReadonlyArray<QuestionLine> =>
  isAlone ? lines : lines.map((line) => ({ ...line, text: `  ${line.text}`, hang: (line.hang ?? 0) + 2 }))

/** The lines of an item that are always shown: those before and those after its details. */
const partsOf = (item: ApprovalItem, index: number, { items, scope, title }: Asking, isWhole: boolean) => {
  const isAlone = items.length === 1
  const task = item.task === title ? "" : `${unframed(item.task)}: `
  const named: ReadonlyArray<QuestionLine> =
    isAlone && scope !== "doubt"
      ? []
      : [{ text: `${isAlone ? "" : `${index + 1} `}${task}${doesOf(item)}`, style: "bold", hang: 2 }]
  const heading = [...named, ...indent(commandLines(item, isWhole), isAlone)]
  const after: ReadonlyArray<QuestionLine> = [
    ...(item.facts ?? []).map((text): QuestionLine => ({ text: unframed(text), hang: 2 })),
    ...(item.warnings ?? []).map((text): QuestionLine => ({ text: `Warning: ${unframed(text)}`, style: "caution" })),
    ...consequenceOf(item)
  ]
  return { heading, after }
}

/** Cuts lines to fit the screen. A last line gives the number of hidden lines. */
const shortened = (
  lines: ReadonlyArray<QuestionLine>,
  budget: number,
  columns: number
): ReadonlyArray<QuestionLine> => {
  if (rowCount(lines, columns) <= budget) return lines
  let count = 0
  let used = 1
  for (const line of lines) {
    used += rowCount([line], columns)
    if (used > budget) break
    count += 1
  }
  const [first] = lines
  if (count === 0 && first !== undefined) {
    const text = first.text.slice(0, (budget - 1) * (columns - 4 - (first.hang ?? 0)))
    const note = `... ${counted(lines.length, "line")}, the first of ${first.text.length} characters: v shows all`
    return [
      { ...first, text },
      { text: note, style: "dim" }
    ]
  }
  const left = lines.length - count
  return [...lines.slice(0, count), { text: `... ${counted(left, "more line")}: v shows all`, style: "dim" }]
}

/** The details of an item, cut to fit the screen. Unchanged lines of a change are dropped first. */
const shortDetails = (item: ApprovalItem, budget: number, columns: number): ReadonlyArray<QuestionLine> => {
  const all = [...callLines(item), ...changeLines(item)]
  return rowCount(all, columns) <= budget
    ? all
    : shortened([...callLines(item), ...changeLines(item, false)], budget, columns)
}

const minDetailRows = 2

/**
 * The short question. The heading, the calls, the warnings and the keys are always shown. The details get the remaining
 * rows.
 */
export const shortQuestion = (asking: Asking, keys: ReadonlyArray<QuestionLine>, size: ScreenSize): string => {
  const { items, notes = [] } = asking
  const isAlone = items.length === 1
  const heading: ReadonlyArray<QuestionLine> = [{ text: headingOf(asking), style: "bold", hang: 2 }]
  const noteLines = notes.map((text): QuestionLine => ({ text: keysJoined(unframed(text)), hang: 4 }))
  const parts = items.map((item, index) => {
    const { after, heading } = partsOf(item, index, asking, false)
    return { after, own: heading, item }
  })
  const fixed = [...heading, ...keys, ...parts.flatMap(({ after, own }) => own.concat(after))]
  /* Two rows stay free: above the question, and for the answer. */
  const available = size.rows - 2 - rowCount(fixed, size.columns)
  const withNotes = available - rowCount(noteLines, size.columns)
  /* The notes about the keys of a step may be left out, because `?` also shows them. */
  const hasNotes = isAlone || withNotes >= minDetailRows * items.length
  let remaining = hasNotes ? withNotes : available
  const body = parts.flatMap(({ after, item, own: summary }, index) => {
    const share = Math.max(minDetailRows, Math.floor(remaining / (parts.length - index)))
    const shown = shortDetails(item, share, size.columns - (isAlone ? 0 : 2))
    remaining -= rowCount(shown, size.columns)
    return summary.concat(indent(shown.concat(after), isAlone))
  })
  return `\n${framed([...heading, ...body, ...(hasNotes ? noteLines : [])], keys, size).join("\n")}\n`
}

export const wholeQuestion = (asking: Asking, keys: ReadonlyArray<QuestionLine>, size: ScreenSize): string => {
  const { items } = asking
  const isAlone = items.length === 1
  const body = items.flatMap((item, index) => {
    const { after, heading } = partsOf(item, index, asking, true)
    const lines = callLines(item).concat(changeLines(item), extentLines(item), after)
    return heading.concat(indent(lines, isAlone))
  })
  const heading: QuestionLine = { text: headingOf(asking), style: "bold", hang: 2 }
  return `${framed([heading, ...body], keys, size).join("\n")}\n`
}
