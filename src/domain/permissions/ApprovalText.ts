/**
 * The questions of the gate as text for a terminal: short, so that it fits a screen, and whole. Everything that comes from a
 * model, a file or a plugin is made printable. What is not shown is said with its size.
 */
import { stepWords } from "../plan/TaskName.ts"
import { printable } from "../text/Printable.ts"
import type { ApprovalItem } from "./ApprovalItem.ts"
import { changeLines, callLines, extentLines } from "./ApprovalDetails.ts"
import type { QuestionLine, ScreenSize } from "./QuestionLines.ts"
import { framed, keysJoined, rowCount } from "./QuestionLines.ts"

/** What is asked about: a step, one call or reference, or a call of which nobody knows whether it happened. */
export interface Asking {
  readonly scope: "step" | "call" | "doubt"
  /** The heading of the step, or the name of the task; empty where there is none. */
  readonly title: string
  readonly items: ReadonlyArray<ApprovalItem>
  /** What the longer lasting answers cover. */
  readonly notes?: ReadonlyArray<string>
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`

/** What an item does, for a heading. */
const doesOf = ({ call, origin, targets, tool, words }: ApprovalItem): string => {
  if (words !== undefined) return printable(words.does)
  if (call === undefined && targets.length === 0) return "no tool call"
  const whose = origin === undefined ? "" : ` (plugin ${printable(origin)})`
  return `use ${printable(tool)}${whose}${targets.length === 0 ? "" : ` on ${targets.map(printable).join(", ")}`}`
}

const headingOf = ({ items, scope, title }: Asking): string => {
  const [first] = items
  const name = title === "" ? [] : [stepWords(title)]
  if (scope === "doubt") return [...name, "did this happen?"].join(" · ")
  const wants =
    items.length === 1 && first !== undefined
      ? first.call === undefined && first.targets.length === 0
        ? "asks for approval, without a tool call"
        : `wants to ${doesOf(first)}`
      : `wants approval for ${counted(items.length, "call")}`
  return name.length === 0 ? wants.slice(0, 1).toUpperCase() + wants.slice(1) : [...name, wants].join(" · ")
}

const consequenceOf = ({ call, risk, targets, words }: ApprovalItem): ReadonlyArray<QuestionLine> => {
  if (words?.isCalm === true) return [{ text: printable(words.consequence), style: "dim" }]
  if (words === undefined && (risk !== "high" || (call === undefined && targets.length === 0))) return []
  const text = words?.consequence ?? "This can change or destroy things outside the control of this program."
  return [{ text: `Caution: ${printable(text)}`, style: "caution" }]
}

/** What is always shown of an item, around its details. */
const partsOf = (item: ApprovalItem, index: number, { items, scope, title }: Asking) => {
  const isAlone = items.length === 1
  const task = item.task === title ? "" : `${printable(item.task)}: `
  const heading: ReadonlyArray<QuestionLine> =
    isAlone && scope !== "doubt"
      ? []
      : [{ text: `${isAlone ? "" : `${index + 1} `}${task}${doesOf(item)}`, style: "bold", hang: 2 }]
  const after: ReadonlyArray<QuestionLine> = [
    ...(item.warnings ?? []).map((text): QuestionLine => ({ text: `Warning: ${printable(text)}`, style: "caution" })),
    ...consequenceOf(item)
  ]
  return { heading, after }
}

const indent = (lines: ReadonlyArray<QuestionLine>, isAlone: boolean): ReadonlyArray<QuestionLine> =>
  isAlone ? lines : lines.map((line) => ({ ...line, text: `  ${line.text}`, hang: (line.hang ?? 0) + 2 }))

/** As many of the lines as have room, and how many are left out. */
const shortened = (lines: ReadonlyArray<QuestionLine>, room: number, columns: number): ReadonlyArray<QuestionLine> => {
  if (rowCount(lines, columns) <= room) return lines
  let taken = 0
  let used = 1
  for (const line of lines) {
    used += rowCount([line], columns)
    if (used > room) break
    taken += 1
  }
  const [first] = lines
  if (taken === 0 && first !== undefined) {
    const text = first.text.slice(0, (room - 1) * (columns - 4 - (first.hang ?? 0)))
    const note = `... ${counted(lines.length, "line")}, the first of ${first.text.length} characters: v shows all`
    return [
      { ...first, text },
      { text: note, style: "dim" }
    ]
  }
  const left = lines.length - taken
  return [...lines.slice(0, taken), { text: `... ${counted(left, "more line")}: v shows all`, style: "dim" }]
}

/** The details that have room; what does not change goes first. */
const shortDetails = (item: ApprovalItem, room: number, columns: number): ReadonlyArray<QuestionLine> => {
  const all = [...callLines(item), ...changeLines(item)]
  return rowCount(all, columns) <= room
    ? all
    : shortened([...callLines(item), ...changeLines(item, false)], room, columns)
}

/** The least room for the details of one item. */
const leastRoom = 2

/**
 * The question as it is asked. Its heading, every call, every warning and the keys are always shown; the details have the room
 * that is left on the screen.
 */
export const shortQuestion = (asking: Asking, keys: ReadonlyArray<QuestionLine>, size: ScreenSize): string => {
  const { items, notes = [] } = asking
  const isAlone = items.length === 1
  const heading: ReadonlyArray<QuestionLine> = [{ text: headingOf(asking), style: "bold", hang: 2 }]
  const noteLines = notes.map((text): QuestionLine => ({ text: keysJoined(printable(text)), hang: 4 }))
  const parts = items.map((item, index) => {
    const { after, heading: own } = partsOf(item, index, asking)
    return { after, own, item }
  })
  const fixed = [...heading, ...keys, ...parts.flatMap(({ after, own }) => own.concat(after))]
  /* One row above the question, one for the answer. */
  const all = size.rows - 2 - rowCount(fixed, size.columns)
  const withNotes = all - rowCount(noteLines, size.columns)
  /* What the keys of a step cover is explained on request, too. */
  const hasNotes = isAlone || withNotes >= leastRoom * items.length
  let room = hasNotes ? withNotes : all
  const body = parts.flatMap(({ after, item, own }, index) => {
    const share = Math.max(leastRoom, Math.floor(room / (parts.length - index)))
    const shown = shortDetails(item, share, size.columns - (isAlone ? 0 : 2))
    room -= rowCount(shown, size.columns)
    return own.concat(indent(shown.concat(after), isAlone))
  })
  return `\n${framed([...heading, ...body, ...(hasNotes ? noteLines : [])], keys, size).join("\n")}\n`
}

/** Everything about the question, for a pager. */
export const wholeQuestion = (asking: Asking, keys: ReadonlyArray<QuestionLine>, size: ScreenSize): string => {
  const { items } = asking
  const isAlone = items.length === 1
  const body = items.flatMap((item, index) => {
    const { after, heading } = partsOf(item, index, asking)
    const lines = callLines(item).concat(changeLines(item), extentLines(item), after)
    return heading.concat(indent(lines, isAlone))
  })
  const heading: QuestionLine = { text: headingOf(asking), style: "bold", hang: 2 }
  return `${framed([heading, ...body], keys, size).join("\n")}\n`
}
