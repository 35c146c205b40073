/** A text in which calls are looked for, and what is read out of it. */

import * as Result from "effect/Result"
import type { IssueCode } from "../../findings/Issue.ts"
import { readBlock } from "../ToolCallJson.ts"
import type { SyntaxCode } from "./CallSyntaxes.ts"

/** True for the name of a tool, or of one that a tool here stands for. */
export type IsTool = (name: string) => boolean

/** What was read at a place: calls, as JSON each, or text that stands for a change or an answer. */
export interface NativeRead {
  readonly calls: ReadonlyArray<string>
  /** Absent where the reader knows only one, which its caller adds. */
  readonly syntax?: SyntaxCode
  /** The index after what was read. */
  readonly end: number
  readonly text?: string
  /** Why what begins as a call is none. */
  readonly torn?: { readonly code: TornCode; readonly what: string }
}

type TornCode = Extract<IssueCode, "tool-call-json" | "tool-call-truncated" | "tool-call-key-duplicate">

/** The JSON of a call; `given` is the JSON of its arguments. */
export const callJson = (name: string, given: string): string =>
  `{"name": ${JSON.stringify(name)}, "arguments": ${given}}`

/** What begins as a call and is none: nothing after it can be told from it. */
export const tornRead = ({ text }: Source, what: string, code: TornCode = "tool-call-json"): NativeRead => ({
  calls: [],
  torn: { code, what },
  end: text.length
})

/** A text with searches that cost at most its length for each sign. */
export class Source {
  readonly text: string
  private readonly missing = new Set<string>()

  constructor(text: string) {
    this.text = text
  }

  /** The index of a sign at or after a place. */
  find(sign: string, from: number): number | undefined {
    if (this.missing.has(sign)) return undefined
    const found = this.text.indexOf(sign, from)
    if (found >= 0) return found
    this.missing.add(sign)
    return undefined
  }

  /** What a sticky pattern matches at a place. */
  match(pattern: RegExp, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.text) ?? undefined
  }

  /** The index after everything that a sticky pattern matches, once or several times. */
  skip(pattern: RegExp, at: number): number {
    let end = at
    for (
      let match = this.match(pattern, end);
      match !== undefined && match[0] !== "";
      match = this.match(pattern, end)
    ) {
      end += match[0].length
    }
    return end
  }
}

const jsonToken = /"(?:[^"\\]|\\[^])*"|[{}[\]]/g

/** The index after the JSON value that begins at a place; nothing when its brackets are not closed. */
export const endOfJson = (text: string, at: number): number | undefined => {
  jsonToken.lastIndex = at
  let depth = 0
  for (let found = jsonToken.exec(text); found !== null; found = jsonToken.exec(text)) {
    const [sign] = found
    if (sign === "{" || sign === "[") depth += 1
    if (sign === "}" || sign === "]") depth -= 1
    if (depth === 0) return jsonToken.lastIndex
  }
  return undefined
}

/** True for a text that is one JSON object, be it with slips that are repaired later. */
export const isObject = (text: string): boolean => {
  const read = readBlock(text)
  if (Result.isFailure(read)) return false
  const [value, ...others] = read.success.values
  return others.length === 0 && typeof value === "object" && value !== null && !Array.isArray(value)
}

const reply =
  /^\s*(?:(?:#+ *)?\**(?:observation|(?:tool )?(?:output|result|response))\**\s*:|`{3,}tool_outputs?\b|\[TOOL_RESULT\]|<tool_(?:response|result)>|<function_results?>|\[TOOL_RESULTS\]|<[|｜]tool[▁_ ]outputs?[▁_ ]|<\|im_start\|>(?:user|tool)|<\|start\|>(?:functions|user))/i

/** True for text that begins with a reply of the host, which the model makes up after its call. */
export const isMadeUpReply = (text: string): boolean => reply.test(text)
