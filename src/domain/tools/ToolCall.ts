/** A call of a tool in three stages: as the model wrote it, prepared to run, and with its result. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { type Repair, type Where, makeRepair } from "../findings/Issue.ts"
import type { CanonicalAccess, EffectClass, Risk } from "./Access.ts"
import { ResultFile } from "./ToolOutput.ts"

/** The arguments of a call, by the names of its parameters. */
export const Arguments = Schema.Record(Schema.String, Schema.Json)
export type Arguments = typeof Arguments.Type

export const isArguments = (value: Schema.Json | undefined): value is Arguments => Predicate.isObject(value)

/** `{ "uid": "...", "name": "...", "arguments": { ... } }`. Calls are identified by uid, never by name. */
export const ToolCall = Schema.Struct({ uid: Schema.String, name: Schema.String, arguments: Arguments })
export type ToolCall = typeof ToolCall.Type

/** The kind of a call's failure; `none` on success. */
export const ToolErrorType = Schema.Literals([
  "none",
  "not_found",
  "validation_failed",
  "permission_denied",
  "io_error",
  "parse_error",
  "internal_error",
  "timeout",
  "output_limit"
])
export type ToolErrorType = typeof ToolErrorType.Type

/**
 * A tool could not do its work. `type` becomes `error_type` of the result, and `message` becomes `error_message`.
 *
 * ```ts
 * return yield* new ToolFailure({ type: "not_found", message: "There is no city of this name." })
 * ```
 */
export class ToolFailure extends Schema.TaggedError<ToolFailure>()("ToolFailure", {
  type: ToolErrorType,
  message: Schema.String
}) {}

/** The result of a call, the same for all tools. `data` is null on failure; `error_message` is null on success. */
export const ToolResult = Schema.Struct({
  /** True when the call did its work. */
  success: Schema.Boolean,
  /** The value that the tool returned; null on failure. */
  data: Schema.NullOr(Schema.Json),
  /** Why the call failed; null on success. */
  error_message: Schema.NullOr(Schema.String),
  /** The kind of failure; `none` on success. */
  error_type: ToolErrorType,
  /** Time and size of the call. */
  metadata: Schema.Struct({
    execution_time_ms: Schema.Finite,
    /** The size of `data` as UTF-8 text or JSON, in bytes. */
    data_size_bytes: Schema.Int,
    /** Milliseconds since 1970. */
    timestamp: Schema.Int
  }),
  /** Notes of the tool for the user. Models do not see them. */
  log: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The images and files of the result. Their bytes are stored elsewhere. */
  files: Schema.optionalKey(Schema.Array(ResultFile))
})
export type ToolResult = typeof ToolResult.Type

export const notMeasured: ToolResult["metadata"] = { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0 }

export const CallOutcome = Schema.Struct({ call: ToolCall, result: ToolResult })
export type CallOutcome = typeof CallOutcome.Type

/** How a command ended. `exitCode` is null if it was stopped because it wrote or used too much. */
export interface CommandEnd {
  readonly exitCode: number | null
  readonly output: string
}

/** How the command of a call ended. Undefined if none ran. */
export const commandEnd = ({ data }: ToolResult): CommandEnd | undefined => {
  if (data === null || typeof data !== "object" || !("exit_code" in data) || !("output" in data)) return undefined
  const { exit_code: exitCode, output } = data
  const isCode = exitCode === null || typeof exitCode === "number"
  return isCode && typeof output === "string" ? { exitCode, output } : undefined
}

/** How a command failed, such as `exit code 1`. Its call succeeded, because it ran the command. */
export const badExit = (result: ToolResult): string | undefined => {
  const end = commandEnd(result)
  if (end === undefined || end.exitCode === 0) return undefined
  return end.exitCode === null ? "stopped" : `exit code ${end.exitCode}`
}

export const ranWell = ({ result }: CallOutcome): boolean => result.success && commandEnd(result)?.exitCode === 0

/** The data of a result as text: a string unchanged, other data as indented JSON. */
export const dataText = (data: Schema.Json): string => (typeof data === "string" ? data : JSON.stringify(data, null, 2))

/** Maps other names of parameters to the declared names. */
export type ArgumentAliases = Readonly<Record<string, string>>

/**
 * Gives arguments their declared names. An argument under an alias stays unchanged if the declared name has a value
 * too.
 */
export const withOwnNames = (values: Arguments, aliases: ArgumentAliases = {}): Arguments =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const own = Object.hasOwn(aliases, name) ? aliases[name] : undefined
      return [own === undefined || Object.hasOwn(values, own) ? name : own, value]
    })
  )

/** A repair for each argument that `withOwnNames` renames. */
export const aliasRepairs = (given: Arguments, aliases: ArgumentAliases, where: Where): ReadonlyArray<Repair> => {
  const renamed = withOwnNames(given, aliases)
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(renamed, name))
    .map((name) => makeRepair("argument-renamed", where, `Read the argument "${name}" as "${aliases[name]}".`))
}

/** The origin of built-in tools, which no plugin can have. */
export const builtInOrigin = "built-in"

/** The origin of tools that a calling program defines in code. */
export const programOrigin = "program"

/** For each type of error, a sentence that says when the tool fails with it. */
export type ToolErrors = { readonly [type in ToolErrorType]?: string }

/** The description of a tool, without its code. */
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
  /** SHA-256 of all fields above, in hex. */
  readonly definition: string
  /** Other names of the parameters. Models do not see them. */
  readonly aliases?: ArgumentAliases
}

/** A checked call, with everything that the gate needs. */
export interface PreparedCall {
  readonly call: ToolCall
  readonly info: ToolInfo
  /** The highest risk of the tool and its accesses. */
  readonly risk: Risk
  readonly accesses: ReadonlyArray<CanonicalAccess>
}

/** The tools whose only effect is a change of files. In a task with a working copy, they change only the copy. */
export const fileTools: ReadonlySet<string> = new Set(["edit_file", "move_file", "remove_file", "write_file"])

export const mayChangeFiles = (tools: ReadonlyArray<string>): boolean => tools.some((tool) => fileTools.has(tool))

export const isChange = ({ call }: CallOutcome): boolean => fileTools.has(call.name)

const plainPath = (path: Schema.Json | undefined): string => String(path).replace(/^(?:\.\/)+/, "")

/** The path of a change or a read, without a leading `./`; the old path of a move. */
export const pathOf = (call: ToolCall): string => plainPath(call.arguments["path"])

/** The paths of a change; for a move, the old and the new path. */
export const pathsOf = (call: ToolCall): ReadonlyArray<string> =>
  call.name === "move_file" ? [pathOf(call), plainPath(call.arguments["to"])] : [pathOf(call)]

/** Splits a move into a removal and a write, which a skill can limit separately. */
export const partsOfMove = (call: ToolCall): ReadonlyArray<ToolCall> =>
  call.name === "move_file"
    ? [
        { ...call, name: "remove_file", arguments: { path: call.arguments["path"] ?? "" } },
        { ...call, name: "write_file", arguments: { path: call.arguments["to"] ?? "", content: "" } }
      ]
    : [call]

/** The tools that a skill may use. A skill that may write and remove files may also move them. */
export const withMoves = (tools: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(tools.includes("write_file") && tools.includes("remove_file") ? [...tools, "move_file"] : tools)
