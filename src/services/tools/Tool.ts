/** One tool as its author defines it. */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Access, EffectClass, Risk } from "../../domain/tools/Access.ts"
import type { SchemaSource, ValueOf } from "../../domain/tools/SchemaSource.ts"
import type { ArgumentAliases, Arguments, ToolErrors, ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { ToolOutput } from "../../domain/tools/ToolOutput.ts"
import type { CallContext } from "./CallContext.ts"
import type { HostServices } from "./HostServices.ts"

/** What is run by a call: an effect is run, and a promise is awaited. */
type ToolWork =
  | Effect.Effect<Schema.Json | ToolOutput, ToolFailure, HostServices>
  | PromiseLike<Schema.Json | ToolOutput>

/** One tool without its parameters, which `Params` are once they are decoded. */
interface ToolParts<Params, Config> {
  /** Says what the tool does and when to use it; the model reads it. */
  readonly description: string
  /** Other names under which a call may give parameters; the model is not shown them. */
  readonly aliases?: ArgumentAliases
  readonly risk: Risk
  readonly effect: EffectClass
  /** Example arguments, shown to the model; made from the required parameters when absent. */
  readonly example?: Arguments
  /** When the tool fails with each type, one sentence each; for people, not for the model. */
  readonly errors?: ToolErrors
  /** Identifies the whole definition at its source, such as a server; permissions end when it changes. */
  readonly revision?: string
  /** What a call with these parameters accesses; nothing when absent. */
  readonly access?: (params: Params) => ReadonlyArray<Access>
  /**
   * Does the work, and returns a string, JSON, or a `ToolOutput` with images or files. It is an async function or returns an effect. What it throws or fails with is the
   * failure of the call; throw a `ToolFailure` to say of which type.
   */
  readonly execute: (params: Params, call: CallContext<Config>) => ToolWork
}

/** One tool. */
export interface Tool<Params, Source = SchemaSource, Config = unknown> extends ToolParts<Params, Config> {
  /** The schema of an object whose descriptions are prompt text: of Effect, by the Standard Schema, or a JSON schema. */
  readonly parameters: Source
}

/**
 * Defines a tool; `access` and `execute` get what its `parameters` decode to. A tool that uses the configuration of its plugin says of
 * which type that is: `execute: async (params, { config }: CallContext<Config>) => ...`.
 */
export const tool = <const Source extends SchemaSource, Config = unknown>(
  definition: Tool<ValueOf<Source>, Source, Config>
): Tool<ValueOf<Source>, Source, Config> => definition

/** Tools by name; names are lower-case ASCII words joined by underscores. */
// oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
export type Tools = Readonly<Record<string, Tool<any, SchemaSource, any>>>
