/** The definition of a tool. */
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { Access, EffectClass, Risk } from "../../domain/tools/Access.ts"
import type { SchemaSource, ValueOf } from "../../domain/tools/SchemaSource.ts"
import type { ArgumentAliases, Arguments, ToolErrors, ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { ToolOutput } from "../../domain/tools/ToolOutput.ts"
import type { CallContext } from "./CallContext.ts"
import type { HostServices } from "./HostServices.ts"

type ToolWork =
  | Effect.Effect<Schema.Json | ToolOutput, ToolFailure, HostServices>
  | PromiseLike<Schema.Json | ToolOutput>

/** The parts of a tool besides its parameters. `Params` is the decoded type of the parameters. */
interface ToolParts<Params, Config> {
  /** What the tool does, and when to use it. The model reads this text. */
  readonly description: string
  /** Other names that calls may use for parameters. The model does not see them. */
  readonly aliases?: ArgumentAliases
  /** How risky a call is. Only `safe` calls run without a question to the user. */
  readonly risk: Risk
  /**
   * Whether an interrupted call may be made again. `pure` and `idempotent` calls may. For a `once` call, the program
   * asks the user.
   */
  readonly effect: EffectClass
  /** Arguments of an example call, for the model. If absent, they are made from the required parameters. */
  readonly example?: Arguments
  /** Explains to users when the tool fails: a sentence for each type of error. */
  readonly errors?: ToolErrors
  /**
   * Identifies the definition of the tool at its source, such as a server. If this value changes, permissions for the
   * tool end.
   */
  readonly revision?: string
  /** Returns the accesses of a call. Without this function, calls have none. */
  readonly access?: (params: Params) => ReadonlyArray<Access>
  /**
   * Does the work, as an async function or as one that returns an effect. Returns a string, JSON, or a `ToolOutput`
   * with images or files. Any error fails the call; throw a `ToolFailure` to set its type.
   */
  readonly execute: (params: Params, call: CallContext<Config>) => ToolWork
}

/** A tool with its parameters. */
export interface Tool<Params, Source = SchemaSource, Config = unknown> extends ToolParts<Params, Config> {
  /**
   * The schema of the parameters, which form an object: an Effect schema, a Standard Schema, or a JSON schema. Its
   * descriptions become part of the prompt.
   */
  readonly parameters: Source
}

/**
 * Defines a tool. `access` and `execute` receive the decoded parameters. A tool that uses the configuration of its
 * plugin declares its type: `execute: async (params, { config }: CallContext<Config>) => ...`.
 *
 * @example
 * ```ts
 * import { ask, tool } from "task-conductor"
 *
 * const find_orders = tool({
 *   description: "Lists the open orders of a customer.",
 *   parameters: { type: "object", properties: { customer: { type: "integer" } }, required: ["customer"] },
 *   risk: "safe",
 *   effect: "pure",
 *   execute: async ({ customer }) => [{ customer, id: 4 }]
 * })
 * await ask({ prompt: "Which orders of customer 17 are open?", tools: { find_orders } }).report
 * ```
 */
export const tool = <const Source extends SchemaSource, Config = unknown>(
  definition: Tool<ValueOf<Source>, Source, Config>
): Tool<ValueOf<Source>, Source, Config> => definition

/** Tools by name. Names are lower-case ASCII words joined by underscores. */
// oxlint-disable-next-line typescript/no-explicit-any -- each tool has parameters of its own
export type Tools = Readonly<Record<string, Tool<any, SchemaSource, any>>>
