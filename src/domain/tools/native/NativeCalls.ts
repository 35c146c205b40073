/**
 * Reads tool calls in the syntaxes of model families and other programs. Each call becomes `<tool_call>` with JSON on
 * the line where it began. An incomplete call becomes an issue. File changes, comments and code blocks stay unchanged.
 */
import { afterBlock, fenceAt, readFence, readOpen } from "../../files/ChangeMarks.ts"
import { addIssue, addRepair, type Findings, makeRepair, noFindings } from "../../findings/Issue.ts"
import { foreignTool } from "../ForeignTools.ts"
import { readAction } from "./ActionLines.ts"
import type { SyntaxCode } from "./CallSyntaxes.ts"
import { jsonCalls, readGemma, readMarkedJson, readOwnJson } from "./JsonCalls.ts"
import { pythonCalls, readCallingTool, readCodeTag, readPythonLine, readPythonList } from "./PythonCalls.ts"
import { withPlainTokens } from "./ModelTokens.ts"
import { callJson, isMadeUpReply, type IsTool, type NativeRead, Source } from "./Source.ts"
import { afterCalls, readTagged } from "./TaggedCalls.ts"

/** An answer whose calls were rewritten into the form that the readers know. */
export interface NativeText extends Findings {
  readonly text: string
  /** The original answer without thoughts. The user sees it if the answer only talks about calls. */
  readonly answer: string
}

/** The default if there is no list of tools: accepts every tool name of this or another program. */
const isUsual: IsTool = (name) => foreignTool(name) !== undefined

/** A line with only a tag around calls, which carries no information. */
const callsTag = /^\s*<(?:antml:)?(?:tool|function)_calls?>\s*$/
const pythonTag = /<\|(?:python_tag|python_start|tool_call_start)\|>\s*/y

/** Reads a call at the beginning of a line, or after a sentence. */
const readAt = (source: Source, at: number, isLineStart: boolean, isTool: IsTool): NativeRead | undefined => {
  const start = isLineStart ? source.skip(pythonTag, at) : at
  const marked =
    (isLineStart ? readPythonList(source, start, isTool) : undefined) ??
    readMarkedJson(source, at, isLineStart) ??
    readGemma(source, at, isTool) ??
    readTagged(source, at, isTool) ??
    readCallingTool(source, at, isTool)
  if (marked !== undefined || !isLineStart) return marked
  return (
    readPythonLine(source, start, isTool) ??
    readOwnJson(source, at, isTool) ??
    readCodeTag(source, at, isTool) ??
    readAction(source, at, isTool)
  )
}

const readAll = (source: Source, at: number, isLineStart: boolean, isTool: IsTool): NativeRead | undefined => {
  const first = readAt(source, at, isLineStart, isTool)
  if (first === undefined || first.torn !== undefined || first.text !== undefined) return first
  const { syntax } = first
  const calls = [...first.calls]
  for (let end = source.skip(afterCalls, first.end); ;) {
    const next = source.skip(/[ \t;,]+/y, end)
    const isEnd = next >= source.text.length || source.text[next] === "\n"
    const nextRead = isEnd ? undefined : readAt(source, next, true, isTool)
    if (nextRead === undefined || nextRead.text !== undefined)
      return { ...(syntax === undefined ? {} : { syntax }), calls, end }
    if (nextRead.torn !== undefined) return nextRead
    calls.push(...nextRead.calls)
    end = source.skip(afterCalls, nextRead.end)
  }
}

/** Matches the places after a sentence where the mark of a call can begin. */
const midLine =
  /(?<=[.!?:…)][ \t]*)(?=\[TOOL_|<[|｜]tool|<\|(?:start|channel|python_tag)|<tool_call>|<function=|<invoke|<)/g

const codeEnd = /^[ \t]*<(?:end_code|\/code)>[ \t]*$/
/** The label before code that the model wants to run. */
const codeLabel = /^\s*\**code\**:\**\s*$/i
const isRun = /^tool_code$/i
const unclosed = "The code block with the call has no end."
const notRun = "The code would have to be run: only calls with literal values are read."

const harmony =
  /<\|channel\|>(analysis|commentary|final)(?![^<]*to=)[^<]*<\|message\|>([^]*?)(?=<\|(?:end|return|call|start|channel)\|>|$(?![^]))/g
const harmonyMarks = /<\|(?:start\|>assistant|end\|>|return\|>)/g
/** Text of gpt-oss that lost the marks of its channels. */
const leaked = /^analysis(?=\S)([^]*?)assistant(final|commentary(?= to=))/

/** Removes thoughts in a separate channel. */
const withoutChannels = (answer: string, findings: Findings): string => {
  const note = () =>
    addRepair(findings, "thinking-removed", { line: 1 }, "Removed the model's thoughts before its answer.")
  if (answer.includes("<|channel|>")) {
    return answer
      .replace(harmony, (_, channel: string, inside: string) => {
        if (channel === "analysis") note()
        return channel === "analysis" ? "" : `${inside}\n`
      })
      .replace(harmonyMarks, "\n")
      .trim()
  }
  if (!leaked.test(answer)) return answer
  note()
  return answer.replace(leaked, (_, _thought, channel: string) => (channel === "final" ? "" : "commentary"))
}

const callFence = /^(?:|xml|tool_code|tool_calls?|json|py|python)$/i

type HeldCalls = Pick<NativeRead, "calls" | "syntax">

class Reader {
  readonly findings: Findings = noFindings()
  private readonly out: Array<string> = []
  private readonly source: Source
  private readonly lines: ReadonlyArray<string>
  private readonly starts: ReadonlyArray<number>
  private readonly isTool: IsTool
  /** The line with `Code:` above the code to run. Code blocks before it are thoughts. */
  private readonly codeAt: number
  private isOfInputs = false

  /** `answer` must not contain the thoughts that some models write in a separate channel. */
  constructor(answer: string, isTool: IsTool) {
    const text = answer.replace(/^(`{3,})(<end_code>)/gm, "$1\n$2")
    this.source = new Source(text)
    this.lines = text.split("\n")
    let end = 0
    this.starts = this.lines.map(({ length }) => (end += length + 1) - length - 1)
    this.codeAt = this.lines.findIndex(
      (line, index) => codeLabel.test(line) && readFence(this.lines[index + 1] ?? "") !== undefined
    )
    this.isTool = isTool
  }

  read(): string {
    for (let at = 0; at < this.lines.length;) at = this.readLine(at)
    return this.out.join("\n")
  }

  private line(at: number): string {
    return this.lines[at] ?? ""
  }

  private copy(from: number, end: number): number {
    this.out.push(...this.lines.slice(from, end))
    return end
  }

  private readLine(at: number): number {
    const line = this.line(at)
    if (/^#{1,6}\s/.test(line)) this.isOfInputs = /\binputs?\b/i.test(line)
    const block = afterBlock(this.lines, at)
    if (block !== undefined) return this.copy(at, block)
    const comment = line.lastIndexOf("<!--")
    if (comment > line.lastIndexOf("-->")) {
      const end = this.lines.findIndex((one, index) => index > at && one.includes("-->"))
      return this.copy(at, end === -1 ? this.lines.length : end + 1)
    }
    const fence = fenceAt(this.lines, at)
    if (fence !== undefined) return this.readFence(at, fence)
    const start = (this.starts[at] ?? 0) + (/^ {0,3}/.exec(line)?.[0].length ?? 0)
    // Below the heading "Inputs", a label with a value is never a call.
    const isTool: IsTool = this.isOfInputs ? () => false : this.isTool
    const found = line.trim() === "" ? undefined : readAll(this.source, start, true, isTool)
    if (found !== undefined) return this.put(at, "", found, line)
    if (line.includes("[TOOL_") || line.includes("<")) {
      midLine.lastIndex = 0
      for (let mark = midLine.exec(line); mark !== null; mark = midLine.exec(line)) {
        const place = mark.index
        const later = readAll(this.source, (this.starts[at] ?? 0) + place, false, this.isTool)
        if (later !== undefined) return this.put(at, line.slice(0, place), later, line.slice(place))
        midLine.lastIndex = place + 1
      }
    }
    return this.copy(at, at + 1)
  }

  /** Reads a fence that contains only calls, and copies any other fence. */
  private readFence(at: number, { end, info }: { readonly end: number; readonly info: string }): number {
    const next = Math.min(end + 1, this.lines.length)
    if (shell.test(info)) return this.readShell(at, end)
    const isCode = isRun.test(info) || codeEnd.test(this.line(next))
    if (at < this.codeAt && /^(?:|py|python)$/i.test(info)) {
      this.out.push(...this.lines.slice(at, next).map(() => ""))
      return next
    }
    if (!isCode && !callFence.test(info)) return this.copy(at, next)
    // Code between sentences is an example, even if it contains only calls.
    const rest = this.lines.slice(next).join("\n")
    if (!isCode && /^py(?:thon)?$/i.test(info) && rest.trim() !== "" && !isMadeUpReply(rest)) return this.copy(at, next)
    const inside = this.lines.slice(at + 1, end).join("\n")
    const held = callsOf(inside, info, this.isTool, isCode)
    const isCut = end === this.lines.length
    if (isCode && (held === undefined || isCut)) {
      const [code, what] = isCut ? (["tool-call-truncated", unclosed] as const) : (["tool-call-json", notRun] as const)
      addIssue(this.findings, code, { line: at + 1 }, { what, quote: inside })
      return this.lines.length
    }
    if (held === undefined || isCut) return this.copy(at, next)
    if (!isCode) return this.emit(at, next, "", held, this.line(at + 1), "```")
    if (codeLabel.test(this.out.at(-1) ?? "")) this.out.splice(-1, 1, "")
    const after = codeEnd.test(this.line(next)) ? next + 1 : next
    return this.emit(at, after, "", held, this.line(at + 1))
  }

  /** Reads a shell block as commands to run. The block must end the answer, and only running text may precede it. */
  private readShell(at: number, end: number): number {
    const next = Math.min(end + 1, this.lines.length)
    const others = [...this.lines.slice(0, at), ...this.lines.slice(next)]
    const isOnly =
      this.lines.slice(next).every((line) => line.trim() === "") &&
      !others.some((line) => readOpen(line) !== undefined || readFence(line) !== undefined || /^#{1,6}\s/.test(line))
    const calls = commandCalls(this.lines.slice(at + 1, end).join("\n"))
    const isMeant = isOnly && end < this.lines.length && calls.length > 0 && this.isTool("run_command")
    return isMeant
      ? this.emit(at, next, "", { syntax: "shell-block", calls }, this.line(at + 1), "```")
      : this.copy(at, next)
  }

  private put(at: number, before: string, read: NativeRead, quote: string): number {
    const { end, text, torn } = read
    const lastLine = this.lineOf(end, at)
    const rest = this.source.text.slice(end, (this.starts[lastLine] ?? 0) + this.line(lastLine).length)
    if (torn !== undefined) {
      addIssue(this.findings, torn.code, { line: at + 1 }, { what: torn.what, quote: quote.trim() })
      this.out.push(before)
      return this.lines.length
    }
    if (text !== undefined) {
      if (before.trim() !== "") this.out.push(before)
      this.out.push(text)
      return lastLine + 1
    }
    const next = this.emit(at, lastLine + 1, before, read, quote)
    if (rest.trim() !== "") this.out.push(rest)
    return next
  }

  /** Writes the calls. Those of a code block stay inside its `fence`, because they may be an example. */
  private emit(
    at: number,
    next: number,
    before: string,
    { calls, syntax }: HeldCalls,
    quote: string,
    fence = ""
  ): number {
    const sign = quote.trim().slice(0, 40)
    const message = `Read "${sign}" and what follows it as a tool call.`
    const repair = makeRepair("tool-call-syntax", { line: at + 1 }, message)
    this.findings.repairs.push(syntax === undefined ? repair : { ...repair, syntax })
    const marks = fence === "" ? [] : [fence]
    if (callsTag.test(this.out.at(-1) ?? "")) this.out.splice(-1, 1, "")
    const tagged = calls.map((call) => `<tool_call>${call}</tool_call>`)
    const written = [...(before.trim() === "" ? [] : [before]), ...marks, ...tagged, ...marks]
    this.out.push(...written, ...Array.from({ length: Math.max(0, next - at - written.length) }, () => ""))
    const isMadeUp = isMadeUpReply(this.lines.slice(next, next + 5).join("\n"))
    if (!isMadeUp) return next
    const leftOut = "Left out what follows the call: a reply that the model made up."
    addRepair(this.findings, "text-ignored", { line: next + 1 }, leftOut)
    return this.lines.length
  }

  private lineOf(position: number, from: number): number {
    let at = from
    while (at + 1 < this.starts.length && (this.starts[at + 1] ?? 0) < position) at += 1
    return at
  }
}

const onlyCalls = (text: string, isTool: IsTool): HeldCalls | undefined => {
  const enveloped = jsonCalls(text, isTool)
  if (enveloped !== undefined) return { syntax: "json-envelope", calls: enveloped }
  const source = new Source(text.trim())
  const calls: Array<string> = []
  let syntax: SyntaxCode | undefined
  let at = 0
  while (at < source.text.length) {
    const read = readAt(source, at, true, isTool)
    if (read === undefined || read.torn !== undefined || read.text !== undefined) return undefined
    calls.push(...read.calls)
    syntax ??= read.syntax
    at = source.skip(/\s+|<\/?(?:tool_calls?|function_calls?)>/y, read.end)
  }
  return syntax === undefined ? undefined : { syntax, calls }
}

const shell = /^(?:bash|sh|shell|zsh|console|terminal)$/i

const commandCalls = (inside: string): ReadonlyArray<string> =>
  inside
    .split("\n")
    .map((line) => line.replace(/^\s*\$ /, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((command) => callJson("run_command", JSON.stringify({ command })))

const callsOf = (inside: string, info: string, isTool: IsTool, endsCode: boolean): HeldCalls | undefined => {
  if (!endsCode && !/^(?:tool_code|py|python)$/i.test(info)) return onlyCalls(inside, isTool)
  const calls = pythonCalls(inside)
  return calls?.every(({ name }) => isTool(name)) === true
    ? { syntax: isRun.test(info) || !endsCode ? "python-block" : "code-agent", calls: calls.map(({ json }) => json) }
    : undefined
}

/** A quick test for calls in one of these syntaxes. */
const sign =
  /\[TOOL_|\[(?:tool_calls?\]|calling|tool[ _]call)|<tools>|^call:|^functions\.|^\s*\{\s*["']\w+["']\s*:|\[ARGS\]|<[|｜]|<\|?tool_call|<\/(?:tool|function)_call>|<(?:antml:)?(?:function|invoke|tool|action|start_function_call|TOOLCALL|[a-z_]+>\s*<)|<arg_key>|\bto=|>>>|functools\[|```|~~~|^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?[*_`]*(?:tool|action|function|name)\b|^[ \t]*\[?[\w.]+\(|\*\*\* Begin Patch|^analysis\S/im

const lineSign =
  /^\s{0,3}(?:\[TOOL_(?:CALLS|REQUEST)\]|[\w.-]+\[ARGS\]|<[|｜]\w|<\|?tool_call|<(?:antml:)?(?:tool_calls?|function_calls?|function=|invoke\s|tool_use|TOOLCALL|start_function_call)|[\w.-]+<arg_key>|(?:assistant)?commentary to=|<[a-z]+_[a-z_]+>\s*$)/

/** True for a line that may begin a call in a syntax that `readNative` converts. */
export const beginsNative = (line: string): boolean => lineSign.test(line)

/**
 * Rewrites calls in other syntaxes as this program expects them. `isTool` accepts the names of tools, and of foreign
 * tools that stand for a tool.
 */
export const readNative = (answer: string, isTool: IsTool = isUsual): NativeText => {
  const findings = noFindings()
  const plain = withoutChannels(withPlainTokens(answer), findings)
  if (!sign.test(plain)) return { text: plain, answer: plain, ...findings }
  const reader = new Reader(plain, (name) => isTool(name) || (name.includes("_") && isUsual(name)))
  const text = reader.read()
  findings.issues.push(...reader.findings.issues)
  findings.repairs.push(...reader.findings.repairs)
  const isRead = reader.findings.repairs.some(({ code }) => code === "tool-call-syntax")
  return { text, answer: isRead ? plain : text, ...findings }
}
