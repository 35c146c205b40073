/**
 * The questions of the gate as text for a terminal. Everything that comes from a model, a file or a plugin is made
 * printable; the middle of a long text is replaced by a note of how much is missing.
 */
import { printable, printableLines } from "../text/Printable.ts"
import type { ApprovalItem } from "./ApprovalItem.ts"

const shownHead = 1500
const shownTail = 500

const shorten = (text: string): string => {
  if (text.length <= shownHead + shownTail) return text
  const missing = text.length - shownHead - shownTail
  return `${text.slice(0, shownHead)} ... (${missing} of ${text.length} characters not shown) ... ${text.slice(-shownTail)}`
}

const toolLine = ({ origin, risk, tool }: ApprovalItem): string =>
  `${printable(tool)}${origin === undefined ? "" : ` (plugin ${printable(origin)})`}   Risk: ${risk.toUpperCase()}`

const detailLines = ({ call, details = [], preview, targets, warnings = [] }: ApprovalItem): ReadonlyArray<string> => [
  ...(call === undefined ? [] : [`Arguments: ${printable(shorten(JSON.stringify(call.arguments)))}`]),
  ...targets.map((target) => `Target: ${printable(target)}`),
  ...details.map(printable),
  ...(preview === undefined || preview === "" ? [] : [printableLines(preview)]),
  ...warnings.map((text) => `Warning: ${printable(text)}`)
]

const indented = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => line.split("\n")).map((line) => `   ${line}`)

const warning = "Warning: high risk. This can change or destroy things outside the control of this program."

/** What the longer lasting answers cover, and the numbers of all answers. */
const callAnswerLines = ({ offers: { remember, session } = {} }: ApprovalItem): ReadonlyArray<string> => [
  ...(session === undefined ? [] : [`Session allows ${printable(session)}.`]),
  ...(remember === undefined ? [] : [`Remember allows ${printable(remember)}, in every run of every project.`]),
  [
    "[1] Allow once",
    ...(session === undefined ? [] : ["[2] Session"]),
    ...(remember === undefined ? [] : ["[3] Remember"]),
    "[4] Deny"
  ].join("  ")
]

/** One call or reference, with its numbered answers. */
export const callQuestion = (item: ApprovalItem): string =>
  [
    "",
    "Permission request",
    `Tool: ${toolLine(item)}`,
    ...detailLines(item),
    `Task: ${printable(item.task)}`,
    ...(item.risk === "high" ? [warning] : []),
    ...callAnswerLines(item),
    ""
  ].join("\n")

/** A call in doubt, with its numbered answers. */
export const doubtQuestion = (item: ApprovalItem): string =>
  [
    "",
    "Did this happen?",
    `Tool: ${toolLine(item)}`,
    ...detailLines(item),
    `Task: ${printable(item.task)}`,
    "[1] Run it  [2] It happened, continue without it  [3] Stop the run",
    ""
  ].join("\n")

/** All calls of a step that need approval, with the numbered answers. */
export const stepQuestion = (title: string, items: ReadonlyArray<ApprovalItem>): string =>
  [
    "",
    `Approval request: ${printable(title)}`,
    ...items.flatMap((item, index) => [
      `${index + 1}. Task: ${printable(item.task)}`,
      ...indented(item.call === undefined ? ["No tool call."] : [`Tool: ${toolLine(item)}`, ...detailLines(item)])
    ]),
    ...(items.some((item) => item.risk === "high") ? [warning] : []),
    [
      "[1] This step",
      "[2] All remaining steps of this round",
      "[3] Deny",
      ...(items.some(({ call }) => call !== undefined) ? ["[4] Choose single calls"] : [])
    ].join("  "),
    ""
  ].join("\n")

/** The question for the numbers of single calls. */
export const chooseQuestion = "The numbers of the calls that may run, such as 1,3. The others are denied.\n"
