/** Converts a toolkit of effect/ai to a plugin with the same tools. The annotations of a tool decide its risk. */
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { EffectClass, Risk } from "../../domain/tools/Access.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { HostServices } from "./HostServices.ts"
import { definePlugin, type Plugin } from "./Plugin.ts"
import { tool as defineTool, type Tools } from "./Tool.ts"

/** What `toolkitPlugin` needs. */
export interface ToolkitParts<Tools extends Record<string, Tool.Any>> {
  /** The name of the plugin. */
  readonly name: string
  /** The toolkit, with the names and parameters of its tools. */
  readonly toolkit: Toolkit.Toolkit<Tools>
  /** The handlers, as `toolkit.toLayer` returns them. They are built once for each run. */
  readonly layer: Layer.Layer<Tool.HandlersFor<Tools>, ToolFailure, HostServices>
}

type Annotations = typeof import("effect/ai/Tool")

/**
 * The risk of a tool by its annotations. Read-only tools are safe. The program asks about all other tools, with a
 * warning for tools that may be destructive.
 */
const riskOf = ({ annotations }: Tool.Any, { Destructive, Readonly }: Annotations): Risk => {
  if (Context.get(annotations, Readonly)) return "safe"
  return Context.get(annotations, Destructive) ? "high" : "medium"
}

const effectOf = ({ annotations }: Tool.Any, { Idempotent, Readonly }: Annotations): EffectClass => {
  if (Context.get(annotations, Readonly)) return "pure"
  return Context.get(annotations, Idempotent) ? "idempotent" : "once"
}

/** Calls a handler of a toolkit. */
type Handle = (
  name: string,
  params: unknown
) => Effect.Effect<Stream.Stream<Tool.HandlerResult<Tool.Any>, unknown>, unknown>

const failed = (result: unknown): ToolFailure =>
  new ToolFailure({ type: "internal_error", message: typeof result === "string" ? result : JSON.stringify(result) })

/** The last result of a handler. If the handler fails, the call fails. */
const resultOf = (handle: Handle, name: string, params: unknown) =>
  Effect.gen(function* () {
    const last = yield* Stream.runLast(yield* handle(name, params))
    if (Option.isNone(last)) return null
    const { encodedResult, isFailure } = last.value
    return isFailure ? yield* failed(encodedResult) : (encodedResult as Schema.Json)
  }) as Effect.Effect<Schema.Json, ToolFailure>

/**
 * Makes a plugin from a toolkit of effect/ai. Tools annotated as `Readonly` run without a question. The program asks
 * about all other tools. It warns the user, except about tools whose annotation `Destructive` is false. If a handler
 * fails, the call fails with the type `internal_error`.
 */
export const toolkitPlugin = <Kit extends Record<string, Tool.Any>>({
  layer,
  name,
  toolkit
}: ToolkitParts<Kit>): Plugin =>
  definePlugin({
    name,
    tools: Effect.gen(function* () {
      const annotations = yield* Effect.promise(() => import("effect/ai/Tool"))
      const services = yield* Layer.build(layer)
      const kit = yield* Effect.provideContext(toolkit, services)
      const tools = Object.entries<Tool.Any>(kit.tools).map(([key, toolkitTool]) => [
        key,
        defineTool({
          description: annotations.getDescription(toolkitTool) ?? key,
          parameters: Schema.toEncoded(toolkitTool.parametersSchema as Schema.Constraint),
          risk: riskOf(toolkitTool, annotations),
          effect: effectOf(toolkitTool, annotations),
          execute: (params) => resultOf(kit.handle as unknown as Handle, key, params)
        })
      ])
      return Object.fromEntries(tools) as Tools
    })
  })
