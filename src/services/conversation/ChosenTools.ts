/**
 * Which tools a conversation offers to its model, when a person chose some of them.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import type { ToolInfo } from "../../domain/tools/ToolCall.ts"
import type { ToolRegistry } from "../tools/ToolRegistry.ts"

/** Names among the tools of a conversation that no tool has. */
export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", {
  tools: Schema.Array(Schema.String),
  nearest: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const names = this.tools.map((name) => JSON.stringify(name)).join(", ")
    return `There is no tool ${names}. Nearest: ${this.nearest.join(", ")}. "task-conductor tools list" lists all.`
  }
}

/** Gives the tools with these names, in the order of all tools; all when no names are given. */
export const chosenTools = ({ tools }: Pick<ToolRegistry["Service"], "tools">) =>
  Effect.fnUntraced(function* (
    names: ReadonlyArray<string> | undefined
  ): Effect.fn.Return<ReadonlyArray<ToolInfo>, UnknownTool> {
    if (names === undefined) return tools
    const all = tools.map(({ name }) => name)
    const unknown = names.filter((name) => !all.includes(name))
    if (unknown.length > 0) {
      const near = [...new Set(unknown.flatMap((name) => nearestOrAll(name, all)))]
      return yield* new UnknownTool({ tools: unknown, nearest: near })
    }
    return tools.filter(({ name }) => names.includes(name))
  })
