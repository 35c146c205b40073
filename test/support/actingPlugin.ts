import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Access, EffectClass, Risk } from "../../src/domain/tools/Access.ts"
import { ToolFailure } from "../../src/domain/tools/ToolCall.ts"
import type { CallContext } from "../../src/services/tools/CallContext.ts"
import { definePlugin, tool } from "../../src/services/tools/Plugin.ts"

interface Given {
  readonly access?: ReadonlyArray<Access>
  readonly effect?: EffectClass
  readonly parameters?: Schema.Struct<Schema.Struct.Fields>
  readonly resources?: Effect.Effect<unknown, never, Scope.Scope>
  readonly risk?: Risk
  /** The name of the tool. */
  readonly name?: string
}

/** A plugin with one tool as JavaScript writes it, which nobody checks. */
export const acting = <Params>(act: (params: Params, call: CallContext) => unknown, given: Given = {}) => {
  const { access = [], effect = "pure", name = "act", parameters = Schema.Struct({}), risk = "safe" } = given
  return definePlugin({
    name: "acting",
    tools: Effect.as(given.resources ?? Effect.void, {
      [name]: tool({
        description: "Acts.",
        parameters: parameters as Schema.Struct<{}>,
        risk,
        effect,
        access: () => access,
        execute: act as (params: unknown, call: CallContext) => Effect.Effect<Schema.Json, ToolFailure>
      })
    })
  })
}
