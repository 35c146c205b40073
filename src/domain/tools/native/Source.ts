/** The text in which the readers of native calls search, and what a reader returns. */

import * as Result from "effect/Result"
import type { IssueCode } from "../../findings/Issue.ts"
import { readBlock } from "../ToolCallJson.ts"
import type { SyntaxCode } from "./CallSyntaxes.ts"

/** True for the name of a tool, or of a foreign tool that is mapped to one. */
export type IsTool = (name: string) => boolean

/** What a reader found: the JSON of calls, or text that stands for a file change or an answer. */
export interface NativeRead {
  readonly calls: ReadonlyArray<string>
  /** The syntax of the call. Readers of only one syntax omit it, and their caller adds it. */
  readonly syntax?: SyntaxCode
  /** The index after the text that was read. */
  readonly end: number
  readonly text?: string
  /** Why a text that begins like a call is no call. */
  readonly torn?: { readonly code: TornCode; readonly what: string }
}

type TornCode = Extract<IssueCode, "tool-call-json" | "tool-call-truncated" | "tool-call-key-duplicate">

/** Writes a call as JSON. `given` is valid JSON of the arguments, and copied unchanged. */
export const callJson = (name: string, given: string): string =>
  `{"name": ${JSON.stringify(name)}, "arguments": ${given}}`

/** The result for a broken call, which takes the whole remaining text because its end is unknown. */
export const tornRead = ({ text }: Source, what: string, code: TornCode = "tool-call-json"): NativeRead => ({
  calls: [],
  torn: { code, what },
  end: text.length
})

/** A text that can be searched in linear time, because it remembers strings that it does not contain. */
export class Source {
  readonly text: string
  private readonly missing = new Set<string>()

  constructor(text: string) {
    this.text = text
  }

  /** The index of the first `sign` at or after `from`. Undefined if there is none. */
  find(sign: string, from: number): number | undefined {
    if (this.missing.has(sign)) return undefined
    const found = this.text.indexOf(sign, from)
    if (found >= 0) return found
    this.missing.add(sign)
    return undefined
  }

  match(pattern: RegExp, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at
    return pattern.exec(this.text) ?? undefined
  }

  /** The index after repeated matches of a sticky pattern. */
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

/** The index after the JSON value that begins at `at`. Undefined if not all of its brackets are closed. */
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

/** True for a single JSON object, also with syntax errors that can be repaired later. */
export const isObject = (text: string): boolean => {
  const read = readBlock(text)
  if (Result.isFailure(read)) return false
  const [value, ...others] = read.success.values
  return others.length === 0 && typeof value === "object" && value !== null && !Array.isArray(value)
}

const reply =
  /^\s*(?:(?:#+ *)?\**(?:observation|(?:tool )?(?:output|result|response))\**\s*:|`{3,}tool_outputs?\b|\[TOOL_RESULT\]|<tool_(?:response|result)>|<function_results?>|\[TOOL_RESULTS\]|<[|｜]tool[▁_ ]outputs?[▁_ ]|<\|im_start\|>(?:user|tool)|<\|start\|>(?:functions|user))/i

/** True for text that begins with a tool result, which the model invented. */
export const isMadeUpReply = (text: string): boolean => reply.test(text)
