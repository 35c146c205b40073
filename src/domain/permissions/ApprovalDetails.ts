/**
 * The details of one item of a question as lines: the command as one would type it, arguments without JSON where they are
 * text, the change with the numbers of its lines, and what the answers rest on.
 */
import { type DiffRow, numberedRows } from "../files/NumberedDiff.ts"
import { printable, printableLines } from "../text/Printable.ts"
import type { Risk } from "../tools/Risk.ts"
import type { ApprovalItem } from "./ApprovalItem.ts"
import type { LineStyle, QuestionLine } from "./QuestionLines.ts"

/** The arguments of built-in tools that the words and the command say already, and those that the change says. */
const saidByWords = new Set(["path", "url", "argv", "cwd"])
const saidByChange = new Set(["content", "edits", "old_text", "new_text"])

const sourceOf = (text: string): ReadonlyArray<string> => printableLines(text.replace(/\n$/, "")).split("\n")

/** One argument; a text of several lines below its name. */
const argumentLines = ([name, value]: readonly [string, unknown]): ReadonlyArray<QuestionLine> => {
  const label = printable(name)
  if (typeof value !== "string")
    return [{ text: `${label}: ${printable(JSON.stringify(value))}`, hang: 2, isSource: true }]
  const rows = sourceOf(value)
  return rows.length === 1
    ? [{ text: `${label}: ${rows[0]}`, hang: 2, isSource: true }]
    : [{ text: `${label}:` }, ...rows.map((text): QuestionLine => ({ text: `  ${text}`, hang: 2, isSource: true }))]
}

/** True when the words say what a call does; what a tool of a plugin does is in its arguments only. */
const isSaid = ({ origin, targets, words }: ApprovalItem): boolean =>
  words !== undefined && origin === undefined && targets.length > 0

const argumentsOf = (item: ApprovalItem): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(item.call?.arguments ?? {})

/** The command, or the arguments of a tool that is not built in. */
export const callLines = (item: ApprovalItem): ReadonlyArray<QuestionLine> => {
  const { details = [], words } = item
  const command = words?.command
  return [
    ...(command === undefined ? [] : [{ text: `$ ${printable(command)}`, hang: 2, isSource: true }]),
    ...(isSaid(item) ? [] : argumentsOf(item).flatMap(argumentLines)),
    /* What a plugin or a server would start. */
    ...(command === undefined
      ? details.map((text): QuestionLine => ({ text: printable(text), hang: 2, isSource: true }))
      : [])
  ]
}

const styles: Readonly<Record<DiffRow["kind"], LineStyle | undefined>> = {
  file: "bold",
  gap: "dim",
  same: undefined,
  added: "added",
  removed: "removed",
  note: "dim"
}

const signs: Readonly<Record<DiffRow["kind"], string>> = {
  file: "",
  gap: "",
  same: " ",
  added: "+",
  removed: "-",
  note: ""
}

const styled = (style: LineStyle | undefined): Pick<QuestionLine, "style"> => (style === undefined ? {} : { style })

const rowLine = ({ kind, number, text }: DiffRow, width: number): QuestionLine => {
  if (kind === "gap") return { text: `${" ".repeat(width)} ...`, style: "dim" }
  if (number === undefined) return { text: printable(text), ...styled(styles[kind]) }
  const before = `${String(number).padStart(width)} ${signs[kind]} `
  return { text: before + printableLines(text), hang: before.length, isSource: true, ...styled(styles[kind]) }
}

/** Rows without those that do not change, of which a gap is left. */
const withoutContext = (rows: ReadonlyArray<DiffRow>): ReadonlyArray<DiffRow> => {
  const gaps = rows.map((row): DiffRow => (row.kind === "same" ? { kind: "gap", text: "" } : row))
  const firstChange = gaps.findIndex(({ kind }) => kind === "added" || kind === "removed")
  const shown = gaps.filter(
    ({ kind }, index) => kind !== "gap" || (index > firstChange && gaps[index - 1]?.kind !== "gap")
  )
  return shown.at(-1)?.kind === "gap" ? shown.slice(0, -1) : shown
}

/** The change with the numbers of its lines; the names of files only where there are several. */
export const changeLines = ({ diff, preview = "" }: ApprovalItem, hasContext = true): ReadonlyArray<QuestionLine> => {
  if (diff === undefined && preview !== "" && !preview.includes("\n@@ ")) {
    return sourceOf(preview).map((text) => ({ text, isSource: true }))
  }
  const all = numberedRows(diff ?? preview)
  const rows = hasContext ? all : withoutContext(all)
  const files = rows.filter(({ kind }) => kind === "file").length
  const width = rows.reduce((most, { number = 0 }) => Math.max(most, String(number).length), 1)
  return rows.filter(({ kind }) => kind !== "file" || files > 1).map((row) => rowLine(row, width))
}

/** The consequence in the words of a question says how much is at risk; where there are none, this does. */
const riskText: Readonly<Record<Risk, string>> = {
  safe: " Low risk.",
  medium: " Some risk.",
  high: " High risk."
}

/** What the short question leaves out: the tool, the remaining arguments, and a command word by word. */
export const extentLines = (item: ApprovalItem): ReadonlyArray<QuestionLine> => {
  const { details = [], diff, origin, risk, targets, tool, words } = item
  if (item.call === undefined && targets.length === 0) return []
  const whose = origin === undefined ? "" : ` (plugin ${printable(origin)})`
  const rest = isSaid(item)
    ? argumentsOf(item).filter(([name]) => !saidByWords.has(name) && (diff === undefined || !saidByChange.has(name)))
    : []
  /* The folder stands in the words, relative to the project; the sandbox in the consequence. */
  const argumentsOfCommand =
    words?.command === undefined ? [] : details.filter((text) => !/^(?:Folder|Sandbox): /.test(text))
  return [
    ...rest.flatMap(argumentLines),
    ...argumentsOfCommand.map((text): QuestionLine => ({ text: printable(text), hang: 2, isSource: true })),
    ...(words === undefined || item.call === undefined
      ? targets.map((text): QuestionLine => ({ text: `Target: ${printable(text)}`, hang: 2, isSource: true }))
      : []),
    { text: `Tool: ${printable(tool)}${whose}.${words === undefined ? riskText[risk] : ""}`, style: "dim" }
  ]
}
