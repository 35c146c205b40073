/**
 * Reads one answer in the turns of a task: tool calls, changes of files, or the report that ends the task. A report
 * beside calls or changes is ignored, because the model wrote it without their results.
 */
import * as Option from "effect/Option"
import { saysRemoval } from "../files/NewText.ts"
import { proseLines } from "../markdown/Outline.ts"
import { changeParts, withCoveredParts } from "../files/AnswerParts.ts"
import { type Change, readChanges } from "../files/ChangeBlocks.ts"
import { pathInProject, pathOfLine, type ProjectPaths } from "../files/ChangePath.ts"
import { type Issue, makeIssue, makeRepair, noFindings, type Repair } from "../findings/Issue.ts"
import { type MarkdownDocument, readMarkdown } from "../markdown/Markdown.ts"
import { textOfLines } from "../markdown/Sections.ts"
import { turnHeadings, resultHeadings } from "../markdown/MarkdownHeadings.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import type { Task } from "../plan/Task.ts"
import type { SkillInput } from "../skills/Skill.ts"
import type { ToolCall } from "../tools/ToolCall.ts"
import { withPlainTokens } from "../tools/native/ModelTokens.ts"
import { beginsNative, readNative } from "../tools/native/NativeCalls.ts"
import { readCallBlock } from "../tools/ToolCallFormat.ts"
import { holdsCall, mentionsCall } from "../tools/ToolCallTraces.ts"
import { readInputs } from "./InputFormat.ts"
import type { InputValue } from "./TaskOutcome.ts"
import { readTaskReportText } from "./RefinementFormat.ts"
import { readResult } from "./ResultFormat.ts"

/** What the program knows about the task before the answer. */
interface TurnOptions {
  readonly task: Task
  readonly inputs: ReadonlyArray<SkillInput>
  readonly kept: ReadonlyArray<InputValue>
  /** False for a task that may change no file. */
  readonly mayChange: boolean
  /** The project files at the paths that the answer names. Absent if they were not looked up. */
  readonly paths?: ProjectPaths
  /** True for the name of a tool or one of its aliases. Absent while the tools are unknown. */
  readonly isTool?: (name: string) => boolean
}

/** The requests of an answer, or its report. */
export interface TurnContent {
  readonly calls: ReadonlyArray<ToolCall>
  readonly changes: ReadonlyArray<Change>
  /** The report; absent if the answer requests something or has none. */
  readonly report?: string
  /** True for an answer that made progress despite its issues, and so is not useless. */
  readonly hasUse?: boolean
  /** True if the answer says in words that it removes text. */
  readonly saysRemoval?: boolean
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** The field `saysRemoval`, if the answer says that its changes remove text. */
export const removalSaid = (answer: string): Pick<TurnContent, "saysRemoval"> => {
  const words = proseLines(answer).filter(({ text }) => !/^\s*(?:<tool_call>|\{)/.test(text))
  return saysRemoval(words.map(({ text }) => text).join("\n")) ? { saysRemoval: true } : {}
}

export const nothingAsked: TurnContent = { calls: [], changes: [], issues: [], repairs: [] }

/** A parsed answer of one turn. */
export interface Turn extends TurnContent {
  /** The task, with the changes that the answer makes to it. */
  readonly task: Task
  readonly inputs: ReadonlyArray<InputValue>
}

/** Reads a native call; `uid` identifies it within the turn. */
export const readAskedCall = (askedCall: AskedCall, uid: string) => {
  const findings = noFindings()
  const text = JSON.stringify({ uid, name: askedCall.name, arguments: askedCall.arguments })
  const [call] = readCallBlock(text, {}, findings)
  const read: ToolCall = call === undefined ? { uid, name: askedCall.name, arguments: {} } : { ...call, uid }
  return { asked: askedCall, call: read, ...findings }
}

/** Masks file contents in an answer, so that the reader neither cleans them nor finds calls in them. */
export const withCoveredFiles = (answer: string, paths: ProjectPaths = new Map()) => {
  const namesFile = (line: string): boolean => (pathInProject(line, paths) ?? pathOfLine(line)) !== undefined
  return withCoveredParts(answer, changeParts(answer, { namesFile, beginsCall: beginsNative }))
}

const readActing = (text: string): MarkdownDocument => readMarkdown(text, { knownHeadings: turnHeadings })

/** The keys of headings for calls, and for sections that belong to calls. */
const actingKeys: ReadonlySet<string> = new Set(["tool-calls", "look-first", "inputs", "task", "references"])

/** Splits an answer at the heading of its report. Headings in quoted files do not count. */
const partsOf = (
  answer: string,
  paths: ProjectPaths | undefined
): { readonly acting: string; readonly report: string | undefined } => {
  const { restore, text } = withCoveredFiles(answer, paths)
  const { lines, sections } = readMarkdown(text, { knownHeadings: (heading) => resultHeadings(heading) })
  const at = sections.find(({ knownHeading }) => knownHeading?.key === "result-summary")
  if (at === undefined) return { acting: answer, report: undefined }
  const calls = sections.find(
    ({ heading, line }) => line > at.line && /^(?:tool-calls|look-first)$/.test(turnHeadings(heading)?.key ?? "")
  )
  const textOf = (from: number, to: number) => restore(textOfLines({ lines }, from, to))
  const end = calls === undefined ? lines.length : calls.line - 1
  return { acting: `${textOf(0, at.line - 1)}\n${textOf(end, lines.length)}`, report: textOf(at.line - 1, end) }
}

/**
 * The part of an answer that contains calls. A heading for calls is added if it is missing. Undefined if there are no
 * calls.
 */
const callsPart = (acting: string, { fences, sections }: MarkdownDocument, hasReport: boolean): string | undefined => {
  const keys = new Set(sections.map(({ knownHeading }) => knownHeading?.key ?? ""))
  const holdsCalls = [...new Set(fences.values())].some((fence) => holdsCall(fence.text))
  if ([...actingKeys].some((key) => keys.has(key))) {
    const hasNone = hasReport && !holdsCalls && !keys.has("tool-calls") && !keys.has("look-first")
    return hasNone ? `${acting}\n\n## Tool Calls\n` : acting
  }
  if (!holdsCalls && (hasReport || !mentionsCall(acting))) return undefined
  return `## Tool Calls\n\n${acting}`
}

/** The issue of a section for calls without a call. */
export const noCalls = (end: string): Issue =>
  makeIssue(
    "section-empty",
    { section: "Tool Calls" },
    {
      what: "There is no call under the heading of calls.",
      how: `Write each call into a code block of its own, such as { "uid": "call-1", "name": "<tool>", "arguments": { "<argument>": "<value>" } }. If no call is needed, leave the heading out and write ${end}.`
    }
  )

const hasCallHeading = (acting: string): boolean =>
  readMarkdown(acting, { knownHeadings: turnHeadings }).sections.some(({ knownHeading }) =>
    /^(?:tool-calls|look-first)$/.test(knownHeading?.key ?? "")
  )

/** The issues of required inputs without a value. */
const missingInputs = ({ inputs, kept, task }: TurnOptions): ReadonlyArray<Issue> => {
  const findings = noFindings()
  readInputs([], { section: "Inputs", task: task.name }, inputs, kept, findings)
  return findings.issues
}

/** Reads an answer. An answer that has neither calls nor changes nor a report gets issues. */
export const readTurn = (answer: string, options: TurnOptions): Turn => {
  const { inputs, kept, mayChange, paths, task } = options
  const covered = withCoveredFiles(answer, paths)
  const native = readNative(readActing(withPlainTokens(covered.text)).text, options.isTool)
  const clean = covered.restore(native.text)
  const written = mayChange ? readChanges(clean, paths) : undefined
  const { acting, report } = partsOf(written?.rest ?? clean, paths)
  const document = readActing(acting)
  const part = callsPart(acting, document, report !== undefined || (written?.changes.length ?? 0) > 0)
  const read = part === undefined ? undefined : readTaskReportText(part, { task, inputs, kept })
  const taskReport = Option.getOrUndefined(read?.value ?? Option.none())
  const calls = [...(taskReport?.looks ?? []), ...(taskReport?.calls ?? [])]
  const changes = written?.changes ?? []
  const issues = [...native.issues, ...(written?.issues ?? []), ...(read?.issues ?? [])]
  const repairs = [...native.repairs, ...(written?.repairs ?? []), ...(read?.repairs ?? [])]
  const turn = {
    ...removalSaid(written?.rest ?? clean),
    task: taskReport?.task ?? task,
    inputs: taskReport?.inputs ?? kept,
    calls,
    changes
  }
  if (calls.length > 0 || issues.length > 0) {
    const early =
      report === undefined
        ? []
        : [
            makeRepair(
              "report-early",
              { section: "Result summary" },
              "Left out the report: it is written after the reply."
            )
          ]
    return { ...turn, issues, repairs: [...repairs, ...early] }
  }
  if (changes.length === 0 && report === undefined && hasCallHeading(acting)) {
    return { ...turn, issues: [noCalls('the report ("## Result summary")')], repairs }
  }
  const missing = part === undefined ? missingInputs(options) : []
  if (changes.length > 0 || part !== undefined) {
    return { ...turn, ...(report === undefined ? {} : { report }), issues: [...issues, ...missing], repairs }
  }
  const result = readResult(report ?? acting)
  return {
    ...turn,
    issues: [...issues, ...result.issues, ...missing],
    repairs: [...repairs, ...result.repairs],
    ...(Option.isSome(result.value) && result.issues.length === 0 ? { report: result.value.value.document } : {})
  }
}
