/**
 * Reads an answer in a conversation: its calls and changes, or the answer to the user. Calls that the model quotes,
 * explains or repeats do not run: otherwise a quoted file could decide which calls run.
 */
import * as Option from "effect/Option"
import { type TurnContent, noCalls, nothingAsked, removalSaid, withCoveredFiles } from "../documents/TurnFormat.ts"
import { repeatedText, withoutRepeats } from "../documents/RepeatedParagraphs.ts"
import { noEnd, onlyPromises, unwrapped } from "../documents/NoEnd.ts"
import { readTaskReportText } from "../documents/RefinementFormat.ts"
import { readChanges } from "../files/ChangeBlocks.ts"
import type { ProjectPaths } from "../files/ChangePath.ts"
import { beginsChangeObject } from "../files/ChangeObject.ts"
import { looseMark, readOpen } from "../files/ChangeMarks.ts"
import { type Issue, makeIssue, makeRepair } from "../findings/Issue.ts"
import { readLines } from "../markdown/Line.ts"
import { readMarkdown } from "../markdown/Markdown.ts"
import { textOfLines } from "../markdown/Sections.ts"
import { turnHeadings } from "../markdown/MarkdownHeadings.ts"
import { fencedBlocks, outline, proseLines } from "../markdown/Outline.ts"
import { plainTask } from "../plan/Task.ts"
import { meantTool } from "../tools/ArgumentCheck.ts"
import { leakedCall } from "../documents/LeakedCalls.ts"
import { withPlainTokens } from "../tools/native/ModelTokens.ts"
import { readNative } from "../tools/native/NativeCalls.ts"
import { hasMarkedLine, markedParts } from "../tools/MarkedCalls.ts"
import { holdsCall } from "../tools/ToolCallTraces.ts"

/** The calls of an answer in order, and the text before them. */
interface OwnBlocks {
  readonly blocks: ReadonlyArray<string>
  readonly rest: string
}

const none: OwnBlocks = { blocks: [], rest: "" }

/** Languages of code blocks whose calls count. In other blocks, a call is an example. */
const callLanguages = new Set(["", "json", "jsonc", "json5", "xml", "tool", "tool_call", "tool_calls", "tool_code"])

const isOwn = (language: string): boolean => callLanguages.has(language.toLowerCase())

/** The code blocks of a text. Empty if it contains anything else. */
const loneFences = (text: string): ReadonlyArray<string> => {
  if (!/(?:`{3,}|~{3,})$/.test(text)) return []
  const fences = fencedBlocks(text)
  const isAlone = proseLines(text).every((line) => line.text.trim() === "")
  return isAlone && fences.every(({ language }) => isOwn(language)) ? fences.map((fence) => fence.text) : []
}

const fenceLine = /^ {0,3}(?:`{3,}|~{3,})/gm
const openThought = /<(think|thinking|thought|reasoning)>(?![^]*<\/\1>)/i
const intention = /\b(?:I(?:['’]ll| will| am going to|['’]m going to| need to| want to)|let me|let['’]s)\b/i
const example =
  /\b(?:examples?|e\.g\.|syntax|formats?|looks? like|shows?|says?|contains?|reads|quotes?|written|writes)\b/i

/** A line that announces a call in the form that agents use. */
const callLabel = /^\s*(?:#{1,6}\s*)?\**(?:action|tool call|code)\**:?\**$/i

/** The beginning of an unclosed element: quoted text, data, verbatim text, or another speaker's turn. */
const openElement =
  /<(details|blockquote|pre|code|script|style|template|textarea|document|file|quote|tool_response)\b[^<>]*>(?![^]*<\/\1)|<!\[CDATA\[(?![^]*\]\]>)|\\begin\{(\w+)\}(?![^]*\\end\{\2\})|<\|(?:im_start|start_header_id)\|>\s*(?:user|tool|system)/i
const frontMatter = /^-{3,}\n[^]*\n-{3,}$/
/** Matches a sentence that rejects a call, or that reports what a text or another person demands. */
const rejects =
  /(?:\bnot|\bnever|n['’]t|\brefuse to|\bavoid)\s+(?:\w+\s+)?(?:run|send|call|execute|use)\b|\b(?:page|file|document|comment|text|readme|site|website|result|output|author|attacker|note)\b[^.!?]*\b(?:wants?|asks?|tells?|told|instructs?|orders?|demands?)\b/i

/** True if a code block, comment, thought, element or quotation is still open at the end. */
const leavesOpen = (before: string): boolean =>
  (before.match(fenceLine) ?? []).length % 2 === 1 ||
  before.lastIndexOf("<!--") > before.lastIndexOf("-->") ||
  openThought.test(before) ||
  openElement.test(before) ||
  frontMatter.test(before.trim()) ||
  ((before.split(/\n[ \t]*\n/).at(-1) ?? "").match(/"/g) ?? []).length % 2 === 1

/** True if `before` ends in a quotation or a list, or announces an example. */
const leadsToQuote = (before: string): boolean => {
  const last = before.slice(before.lastIndexOf("\n") + 1).trim()
  const sentence = last.split(/[.!?]\s+/).at(-1) ?? ""
  const isInside =
    /^(?:>|[-*+]\s|\d+[.)]\s|\||\[[^\]]+\]:|#{1,6}\s.*\b(?:contents?|excerpt|output|quote)\b)/i.test(last) ||
    /(?:<[a-z][^<>]*>|["'“‘«`(])$/i.test(last)
  const announces =
    /[:—–]$/.test(last) &&
    !callLabel.test(last) &&
    !onlyPromises(sentence) &&
    !(intention.test(sentence) && !example.test(sentence.replace(intention, "")))
  return leavesOpen(before) || isInside || announces || rejects.test(sentence)
}

/** The calls at the end of a text. Each must begin a line. */
const lastCalls = (text: string): OwnBlocks => {
  const parts = markedParts(text)
  const [first] = parts
  const before = first?.kind === "text" ? first.text : ""
  const blocks = parts.flatMap((part) => (part.kind === "call" ? [part.json] : []))
  return parts.length > blocks.length + (before === "" ? 0 : 1) || leadsToQuote(before)
    ? none
    : { blocks, rest: before }
}

/**
 * Returns the code block at the end of an answer. Undefined if there is another block, or if the sentence before it
 * announces no call.
 */
const lastFence = (text: string): OwnBlocks | undefined => {
  const fences = fencedBlocks(text)
  const [only] = fences
  if (only === undefined || fences.length > 1 || !/\n {0,3}(?:`{3,}|~{3,})$/.test(text)) return undefined
  const before = proseLines(text)
    .map((line) => line.text)
    .join("\n")
    .trim()
  const sentence = before.split(/[.!?:]\s+/).at(-1) ?? ""
  const isLabelled = callLabel.test(before.split("\n").at(-1) ?? "")
  const isAnnounced = isLabelled || (intention.test(sentence) && !example.test(sentence.replace(intention, "")))
  return isAnnounced && isOwn(only.language) && !leadsToQuote(before)
    ? { blocks: [only.text], rest: before }
    : undefined
}

/** The calls that the answer itself makes: the whole text, or the calls at its end. All other calls are only text. */
const ownBlocks = (text: string): OwnBlocks => {
  const trimmed = text.trim()
  if (/^(?:`{3,}|~{3,})/.test(trimmed)) return { blocks: loneFences(trimmed), rest: "" }
  const last = lastFence(trimmed)
  if (last !== undefined) return last
  if (hasMarkedLine(trimmed)) return lastCalls(trimmed)
  return /^[{[][^]*[}\]]$/.test(trimmed) ? { blocks: [trimmed], rest: "" } : none
}

/** A conversation has no task, but the readers of calls expect one. */
const noTask = plainTask("ask", "ask", "", "")

const isHeadingOfCalls = (heading: string): boolean => {
  const known = turnHeadings(heading)
  return known?.exact === true && /^(?:tool-calls|look-first)$/.test(known.key)
}

/**
 * The calls under the answer's own heading of calls. A heading in a quotation, or in a code block around the whole
 * answer, does not count.
 */
const headedCalls = (answer: string): string | undefined => {
  const heading = outline(answer).sections.find((section) => isHeadingOfCalls(section.heading))
  const before = answer.split("\n").slice(0, (heading?.line ?? 1) - 1)
  if (heading === undefined || leavesOpen(before.join("\n"))) return undefined
  const document = readMarkdown(answer, { knownHeadings: turnHeadings })
  const section = document.sections.find(
    ({ knownHeading }) => knownHeading?.exact === true && /^(?:tool-calls|look-first)$/.test(knownHeading.key)
  )
  const part = section === undefined ? "" : textOfLines(document, section.line - 1)
  return holdsCall(part) || fencedBlocks(part).some(({ text }) => holdsCall(text)) ? part : undefined
}

/**
 * Reads the calls below the heading for calls. If there is no such heading, reads calls that make up the whole answer
 * or stand at its end.
 */
const readCalls = (answer: string, isTool: (name: string) => boolean, isNative: boolean): TurnContent | undefined => {
  const headed = headedCalls(answer)
  const { blocks } = headed === undefined ? ownBlocks(answer) : none
  const fenced = blocks.map((block) => `\`\`\`\`\`json\n${block}\n\`\`\`\`\``)
  const part = headed ?? (blocks.length === 0 ? undefined : `## Tool Calls\n\n${fenced.join("\n\n")}`)
  if (part === undefined) return undefined
  const { issues, repairs, value } = readTaskReportText(part, { task: noTask })
  const asked = Option.getOrUndefined(value)
  const calls = [...(asked?.looks ?? []), ...(asked?.calls ?? [])]
  if (headed !== undefined) return { calls, changes: [], issues, repairs }
  if (calls.length === 0 || issues.length > 0) return undefined
  // JSON that names an unknown tool may be the answer to the user. Text in a model's call syntax (`isNative`) is
  // certainly a call. If its tool is unknown, the model gets the list of tools.
  if (!isNative && calls.some(({ name }) => !isTool(name))) return undefined
  const number = calls.length === 1 ? "a tool call" : `${calls.length} tool calls`
  const found = makeRepair("tool-call-repaired", {}, `Read ${number} out of the text of the answer.`)
  return { calls, changes: [], issues, repairs: [...repairs, found] }
}

/** True for a line that begins a change of a file, but not for a conflict mark of git. */
const beginsChange = (line: string): boolean =>
  readOpen(line) !== undefined || looseMark.test(line) || beginsChangeObject(line)

const withoutThinking = (answer: string): string =>
  answer.replace(/^\s*<(think|thinking|thought|reasoning)>[^]*?<\/\1>/i, "")

/** Thoughts without end, which contain the whole answer. */
const endless = /^\s*<(think|thinking|thought|reasoning)>(?![^]*<\/\1>)/i

/** Lines that can be part of a call: JSON, tags, headings, labels with values. */
const partOfCall = /^\s*(?:[<{}[\]"]|&lt;|#{1,6}\s|(?:[-*+]\s+)?[*_`]*\w+[*_`]*:)/

/**
 * The text that the model meant as a call. Undefined if the answer contains other text, except for the announcement of
 * a next step.
 */
const meantCall = (answer: string, isTool: (name: string) => boolean): string | undefined => {
  const quote = leakedCall(answer, isTool)
  const before = answer
    .slice(0, answer.indexOf(quote ?? ""))
    .replace(/(?:^|\n)[ \t]*(?:(?:`{3,}|~{3,})\w*|(?:tool_)?calls:)\s*$/, "")
  if (quote === undefined || leadsToQuote(before.trimEnd())) return undefined
  const others = proseLines(answer).filter(({ text }) => !partOfCall.test(text) && text.trim() !== quote)
  const isMeant =
    fencedBlocks(answer).every(({ language }) => isOwn(language) || /^ya?ml$/i.test(language)) &&
    onlyPromises(others.map(({ text }) => text).join("\n"))
  return isMeant ? quote : undefined
}

const leakedIssue = (quote: string): Issue =>
  makeIssue(
    "tool-call-json",
    {},
    {
      what: endless.test(quote)
        ? "The answer is a thought without an end: nothing in it was done."
        : "The answer holds what looks like a tool call, but not where and how one is read: it was not made.",
      how: `Write a call alone at the end of the answer, as {"name": "<tool>", "arguments": {"<argument>": "<value>"}} in a code block. Put what you only quote into a code block or backquotes.`,
      quote
    }
  )

/** What an answer may request. `paths` are the project files whose paths the answer names. */
interface MessageOptions {
  readonly mayChange: boolean
  readonly tools: ReadonlySet<string>
  readonly paths?: ProjectPaths
}

/** Reads an answer. Without calls and changes, it is the report for the user. */
export const readMessageTurn = (answer: string, { mayChange, paths, tools }: MessageOptions): TurnContent => {
  const isTool = (name: string): boolean => meantTool(name, [...tools]) !== undefined
  const covered = withCoveredFiles(answer, paths)
  const read = readNative(withoutThinking(withPlainTokens(covered.text)), isTool)
  const native = { ...read, text: covered.restore(read.text), answer: covered.restore(read.answer) }
  const { text } = native
  const isPatch = proseLines(answer).some((line) => line.text.trim() === "*** Begin Patch")
  const written = mayChange && (isPatch || text.split("\n").some(beginsChange)) ? readChanges(text, paths) : undefined
  const readTurn =
    readCalls(
      written?.rest ?? text,
      isTool,
      native.repairs.some(({ code }) => code === "tool-call-syntax")
    ) ?? nothingAsked
  const issues = [...native.issues, ...(written?.issues ?? []), ...readTurn.issues]
  const repairs = [...native.repairs, ...(written?.repairs ?? []), ...readTurn.repairs]
  const changes = written?.changes ?? []
  if (readTurn.calls.length + changes.length + issues.length > 0)
    return { calls: readTurn.calls, changes, issues, repairs, ...removalSaid(written?.rest ?? text) }
  if (answer.trim() === "") {
    return { ...nothingAsked, issues: [makeIssue("answer-empty", {}, { what: "The answer was empty." })] }
  }
  const message = unwrapped(native.answer) ?? native.answer.trim()
  const leaked = tools.size === 0 ? undefined : (endless.exec(message)?.[0] ?? meantCall(message, isTool))
  if (leaked !== undefined) return { ...nothingAsked, issues: [leakedIssue(leaked)] }
  const end = tools.size === 0 ? undefined : noEnd(message, { isRead: true })
  if (end !== undefined) {
    const what = `The answer is none. ${end.what}`
    return { ...nothingAsked, issues: [makeIssue("answer-unfinished", {}, { what, how: end.how, quote: message })] }
  }
  const isEmptyCalls = readLines(answer).every(
    ({ hashes, isBlank, isHeading }) => isBlank || (isHeading && isHeadingOfCalls(hashes?.text ?? ""))
  )
  if (isEmptyCalls) return { ...nothingAsked, issues: [noCalls("the answer to the user")] }
  const { dropped, text: report } = withoutRepeats(message)
  const repeats = dropped === 0 ? [] : [makeRepair("answer-repeats", {}, repeatedText(dropped))]
  return { ...nothingAsked, report, repairs: [...native.repairs, ...repeats] }
}
