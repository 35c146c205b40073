/**
 * What a server's tool returned, as the data of a tool result: texts joined, structured content as JSON, and type and
 * size of everything that a model cannot read.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { canonicalJson, isNestedTooDeep, maxNesting, textNestedTooDeep } from "../text/Json.ts"
import { ToolFailure } from "../tools/ToolCall.ts"

/** One part of a result. Sizes are bytes. */
export type McpPart =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Binary"; readonly kind: "image" | "audio"; readonly type: string; readonly size: number }
  | { readonly _tag: "Link"; readonly uri: string; readonly name: string }
  | { readonly _tag: "Resource"; readonly uri: string; readonly text: string }
  | { readonly _tag: "Blob"; readonly uri: string; readonly type: string; readonly size: number }

/** The result of a call, independent of the protocol. */
export interface McpResult {
  readonly parts: ReadonlyArray<McpPart>
  readonly structured: Schema.Json | undefined
  readonly isError: boolean
}

const maxErrorLength = 2000

const partText = (part: McpPart): string => {
  switch (part._tag) {
    case "Text":
      return part.text
    case "Binary":
      return `[${part.kind} ${part.type}, ${part.size} bytes, not shown]`
    case "Link":
      return `[link ${part.name}: ${part.uri}]`
    case "Resource":
      return `[resource ${part.uri}]\n${part.text}`
    case "Blob":
      return `[resource ${part.uri}, ${part.type}, ${part.size} bytes, not shown]`
  }
}

/** Servers repeat structured content as text for old clients; the model needs it once. */
const repeats = (text: string, structured: Schema.Json): boolean => {
  if (textNestedTooDeep(text)) return false
  const parsed = Result.try(() => JSON.parse(text) as Schema.Json)
  return Result.isSuccess(parsed) && canonicalJson(parsed.success) === canonicalJson(structured)
}

/** The data of a result. A failure that the server reports becomes a `ToolFailure` with its message. */
export const mcpData = (tool: string, result: McpResult): Result.Result<Schema.Json, ToolFailure> => {
  const { isError, parts, structured } = result
  const text = parts.map(partText).join("\n")
  if (isError) {
    const reason = text.trim() === "" ? "it gave no reason." : text.trim().slice(0, maxErrorLength)
    return Result.fail(new ToolFailure({ type: "internal_error", message: `The tool ${tool} failed: ${reason}` }))
  }
  if (structured === undefined) return Result.succeed(text)
  if (isNestedTooDeep(structured)) {
    const message = `The tool ${tool} gave a result that is nested more than ${maxNesting} levels deep; all of it was left out.`
    return Result.fail(new ToolFailure({ type: "output_limit", message }))
  }
  if (text.trim() === "" || repeats(text, structured)) return Result.succeed(structured)
  return Result.succeed({ text, structured })
}
