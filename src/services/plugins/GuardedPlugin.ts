/**
 * A plugin from a package whose calls leave the process as they found it: what a call changed of the things that all code
 * shares is put back when it ends, and the call fails with the name of what it changed.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { type Plugin, PluginTools, type Tool, type Tools } from "./Plugin.ts"
import { watchSharedState } from "./SharedState.ts"

const damage = (plugin: string, what: string): ToolFailure =>
  new ToolFailure({
    type: "internal_error",
    message: `The plugin ${plugin} changed ${what}, which all code in the program shares. It was put back, and what the call gave was left out. This is a fault of the plugin.`
  })

/** Runs code of the plugin, first the part that is no effect. */
const guarded = <A, R>(plugin: string, work: () => Effect.Effect<A, ToolFailure, R>) =>
  Effect.suspend(() => {
    const repair = watchSharedState()
    let found: string | undefined
    const repaired = Effect.sync(() => {
      const name = repair()
      found ??= name
    })
    const begin = Effect.suspend(() => {
      try {
        return work()
      } finally {
        found = repair()
      }
    })
    return Effect.flatMap(Effect.ensuring(begin, repaired), (value) =>
      found === undefined ? Effect.succeed(value) : Effect.fail(damage(plugin, found))
    )
  })

// oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
const guardTool = (plugin: string, tool: Tool<any>): Tool<any> => {
  if (typeof tool?.execute !== "function") return tool
  return { ...tool, execute: (params, granted) => guarded(plugin, () => tool.execute(params, granted)) }
}

/** The same plugin with every call guarded. */
export const guardPlugin = (plugin: Plugin): Plugin => ({
  ...plugin,
  tools: Layer.effect(
    PluginTools,
    Effect.map(PluginTools, (tools): Tools => {
      if (typeof tools !== "object" || tools === null) return tools
      return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, guardTool(plugin.name, tool)]))
    })
  ).pipe(Layer.provide(plugin.tools))
})
