/**
 * What the registry says about a tool and about a checked call, for the decision of the gate.
 */
import type * as Schema from "effect/Schema"
import type { CanonicalAccess } from "./Access.ts"
import type { ArgumentAliases } from "./ArgumentAliases.ts"
import type { EffectClass, Risk } from "./Risk.ts"
import type { Arguments, ToolCall, ToolErrorType } from "./ToolCall.ts"

/** The origin of the built-in tools; no other plugin may have this name. */
export const builtInOrigin = "built-in"

/** When a tool fails with each type, one sentence each. */
export type ToolErrors = { readonly [type in ToolErrorType]?: string }

/** The description of a tool, without the code that runs it. */
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
  /** SHA-256 of all of the above, in hex. */
  readonly definition: string
  /** Other names of its parameters, which no model is told of. */
  readonly aliases?: ArgumentAliases
}

/** A checked call with all that the gate needs to decide about it. */
export interface PreparedCall {
  readonly call: ToolCall
  readonly info: ToolInfo
  /** At least the risk of the tool; higher when an access has a higher risk. */
  readonly risk: Risk
  readonly accesses: ReadonlyArray<CanonicalAccess>
}
