/**
 * The tools of a replay that are not built in: plugins with the descriptions of the journal and without any code.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { RecordedTool } from "../../domain/history/RecordedTool.ts"
import { jsonSchemaParameters } from "../../domain/tools/ToolSchema.ts"
import { definePlugin, type Plugin, tool } from "../tools/Plugin.ts"

/** One plugin for each tool, so that one that cannot be described leaves out only itself. */
export const recordedPlugins = (tools: ReadonlyArray<RecordedTool>): ReadonlyArray<Plugin> =>
  tools.flatMap(({ aliases, description, effect, example, name, origin, parameters, risk }) =>
    Result.match(jsonSchemaParameters(parameters), {
      onFailure: () => [],
      onSuccess: (codec) => [
        definePlugin({
          name: origin,
          tools: Effect.succeed({
            [name]: tool({
              description,
              parameters: codec,
              risk,
              effect,
              example,
              ...(aliases === undefined ? {} : { aliases }),
              execute: () => Effect.die("A replay runs no tools.")
            })
          })
        })
      ]
    })
  )
