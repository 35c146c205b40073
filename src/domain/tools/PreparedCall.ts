/**
 * What is known of a tool and of a call that has been checked, as the registry says it and the gate judges it.
 */
import type * as Schema from "effect/Schema"
import type { CanonicalAccess } from "./Access.ts"
import type { EffectClass, Risk } from "./Risk.ts"
import type { Arguments, ToolCall, ToolErrorType } from "./ToolCall.ts"

/** The origin of all tools of this package; no plugin may have this name. */
export const builtInOrigin = "built-in"

/** By type, when a tool fails with it; one sentence each. */
export type ToolErrors = { readonly [type in ToolErrorType]?: string }

/** What is known of a tool, without the means to run it. */
export interface ToolInfo {
  readonly name: string
  /** `built-in` or the name of the plugin. */
  readonly origin: string
  readonly description: string
  readonly risk: Risk
  readonly effect: EffectClass
  /** JSON schema of the parameters. */
  readonly parameters: Schema.Json
  readonly example: Arguments
  readonly errors?: ToolErrors
  /** SHA-256, in hex, of all of the above: it changes when what the model or the gate sees of the tool changes. */
  readonly definition: string
}

/** A checked call with all that the gate needs to judge it. */
export interface PreparedCall {
  readonly call: ToolCall
  readonly info: ToolInfo
  /** At least the tool's risk; higher when a canonical target demands it. */
  readonly risk: Risk
  readonly accesses: ReadonlyArray<CanonicalAccess>
}
