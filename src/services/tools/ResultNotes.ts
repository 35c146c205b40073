/** Records which texts of a call the model reads, so that the gate can ask about a URL that contains such a text. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { builtInOrigin, type ToolCall, type ToolInfo, type ToolResult } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { type ReadSource, ReadTexts } from "../permissions/ReadTexts.ts"

const stringsIn = (value: Schema.Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [String(value)]
}

/**
 * Returns a function that records which texts the model read in the result of a call. `info` is absent for a tool that
 * does not exist.
 */
export const makeResultNotes = Effect.gen(function* () {
  const { noteRead } = yield* ReadTexts
  const workspace = yield* Workspace

  /**
   * Where the result of a call comes from. A tool with high risk may have run commands, so its result counts as output
   * of a command.
   */
  const sourceOf = Effect.fnUntraced(function* (
    { arguments: { path }, name }: ToolCall,
    info: ToolInfo | undefined
  ): Effect.fn.Return<ReadSource> {
    if (name === "fetch_url") return "page"
    const isForeign = info?.origin !== builtInOrigin
    if (info === undefined || name === "run_command" || (isForeign && info.risk === "high")) return "command"
    if (isForeign) return "outside"
    if (name !== "read_file" || typeof path !== "string") return "project"
    const place = yield* Effect.option(Effect.flatMap(workspace.meant(path), workspace.canonical))
    return Option.match(place, { onNone: () => "project" as const, onSome: ({ path: file }) => ({ file }) })
  })

  return Effect.fnUntraced(function* (call: ToolCall, info: ToolInfo | undefined, result: ToolResult) {
    const text = [...stringsIn(result.data), result.error_message ?? ""].join("\n")
    yield* noteRead(text, yield* sourceOf(call, info))
  })
})
