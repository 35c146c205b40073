/**
 * Prepares the calls of a model before anything runs: checks them, decodes their arguments, makes declared accesses
 * canonical, and finds calls that would fail.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { modelText } from "../../domain/text/SchemaText.ts"
import { checkArguments, repairArguments, meantTool } from "../../domain/tools/ArgumentCheck.ts"
import {
  builtInOrigin,
  withOwnNames,
  type ToolCall,
  ToolFailure,
  type ToolErrorType
} from "../../domain/tools/ToolCall.ts"
import {
  type Issue,
  type Repair,
  type Where,
  type IssueCode,
  makeIssue,
  makeRepair
} from "../../domain/findings/Issue.ts"
import { nearest, nearestOrAll } from "../../domain/text/Nearest.ts"
import { ownCall } from "../../domain/tools/ForeignTools.ts"
import type { LoadedTool } from "./PluginLoader.ts"
import { Access, type CanonicalAccess } from "../../domain/tools/Access.ts"
import { isFileAt, type Workspace } from "../files/Workspace.ts"
import { type AccessContext, canonicalAccess } from "./FileAccess.ts"
import { shellProblem } from "../../domain/commands/ShellWords.ts"
import { runIsolated } from "./ForeignCode.ts"
import * as Result from "effect/Result"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"

/** The corrected call, its issues, and the repairs of harmless deviations. */
export interface CheckedCall {
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

interface CheckContext {
  readonly tools: ReadonlyMap<string, LoadedTool>
  readonly allowed: ReadonlySet<string>
  readonly task: string | undefined
}

const howToName = (name: string, allowed: ReadonlyArray<string>): string => {
  const near = nearestOrAll(name, allowed).map((one) => `\`${one}\``)
  return allowed.length === 0 ? "The skill may use no tools: remove the call." : `Use one of: ${near.join(", ")}.`
}

/** Finds the tool of a call, or says what is wrong with the name. */
const findTool = (name: string, { allowed, tools }: CheckContext): LoadedTool | [code: IssueCode, what: string] => {
  const tool = tools.get(name)
  if (name === "") return ["tool-call-name", "The tool call has no name."]
  if (tool === undefined) return ["tool-unknown", `There is no tool ${JSON.stringify(name)}.`]
  return allowed.has(name) ? tool : ["tool-not-allowed", `The skill may not use the tool ${name}.`]
}

/** Corrects the name of a call if it can only mean one tool that the skill allows. */
const nameTool = (call: ToolCall, { allowed, tools }: CheckContext, where: Where) => {
  if (tools.has(call.name)) return { call, repairs: [] }
  const ownTool = ownCall(call, (name) => tools.has(name))
  const meant = ownTool?.name ?? meantTool(call.name, [...tools.keys()])
  if (meant === undefined || !allowed.has(meant)) return { call, repairs: [] }
  const message = `Read the tool ${JSON.stringify(call.name)} as "${meant}".`
  return { call: { ...call, ...ownTool, name: meant }, repairs: [makeRepair("tool-renamed", where, message)] }
}

/** Checks the name of a call and whether the skill allows the tool. If so, checks the arguments. */
export const checkCall = (written: ToolCall, context: CheckContext): CheckedCall => {
  const where: Where = { section: "Tool Calls", ...(context.task === undefined ? {} : { task: context.task }) }
  const { call, repairs } = nameTool(written, context, where)
  const quote = JSON.stringify(call)
  const tool = findTool(call.name, context)
  if (Array.isArray(tool)) {
    const [code, what] = tool
    const how = howToName(
      call.name,
      [...context.allowed].filter((one) => context.tools.has(one))
    )
    return { call, issues: [makeIssue(code, where, { what, how, quote })], repairs: [] }
  }
  const repaired = repairArguments(call, tool.parameters, where)
  return {
    call: repaired.call,
    repairs: [...repairs, ...repaired.repairs],
    issues: checkArguments(repaired.call, tool.parameters, { where, quote })
  }
}

const invalid = (message: string) => new ToolFailure({ type: "validation_failed", message })

/** Returns the tool of a call and the decoded parameters. Fails with `not_found` or `validation_failed`. */
export const decodeCall = Effect.fnUntraced(function* (call: ToolCall, tools: ReadonlyMap<string, LoadedTool>) {
  const tool = tools.get(call.name)
  if (tool === undefined) {
    const near = nearest(call.name, [...tools.keys()])
    const hint = near.length > 0 ? ` Nearest: ${near.join(", ")}.` : ""
    return yield* new ToolFailure({
      type: "not_found",
      message: `There is no tool ${JSON.stringify(call.name)}.${hint}`
    })
  }
  const decode = Schema.decodeUnknownEffect(tool.parameters.codec)
  const given = withOwnNames(call.arguments, tool.parameters.aliases)
  const params: unknown = yield* decode(given, { errors: "all", onExcessProperty: "error" }).pipe(
    Effect.mapError((error) => invalid(`The arguments of ${call.name} do not fit: ${modelText(error, given)}`))
  )
  return { found: tool, params }
})

const isAccesses = Schema.is(Schema.Array(Access))

/**
 * What a call accesses, in canonical form and in the order in which the tool declares it. Fails if the declaration is
 * invalid, or if the path or program of an access cannot be resolved.
 */
export const canonicalAccesses = Effect.fnUntraced(function* (
  { info, tool }: LoadedTool,
  params: unknown,
  context: AccessContext
) {
  const declared: unknown = tool.access?.(params) ?? []
  if (!isAccesses(declared)) {
    const message = `The tool ${info.name} declares what it accesses in an invalid form. This is a fault of the tool.`
    return yield* new ToolFailure({ type: "internal_error", message })
  }
  const command = declared.find((access) => access._tag === "RunCommand")
  const isOwn = info.name === "run_command" && info.origin === builtInOrigin
  const problem = isOwn && command !== undefined ? shellProblem(command.argv) : undefined
  if (problem !== undefined) return yield* new ToolFailure({ type: "not_found", message: problem })
  const accesses = yield* Effect.forEach(declared, (access) => canonicalAccess(access, context))
  return Object.freeze(accesses.flat().map((access) => Object.freeze(access)))
})

/** Failures that the model can avoid with other arguments. */
const avoidable: ReadonlySet<ToolErrorType> = new Set([
  "not_found",
  "validation_failed",
  "io_error",
  "parse_error",
  "output_limit"
])

/** True if a command failed because its program is missing. The task cannot correct this, and can only report it. */
const lacksProgram = (declared: unknown, { type }: ToolFailure): boolean => {
  if (type !== "not_found" || !isAccesses(declared)) return false
  const command = declared.find((access) => access._tag === "RunCommand")
  // A single word with blanks is a malformed command, not a missing program.
  return command !== undefined && (command.argv.length > 1 || !/\s/.test(command.argv[0].trim()))
}

/** Fails for a write to a path at which a file cannot exist. */
const checkTarget = Effect.fnUntraced(function* (access: CanonicalAccess, workspace: Workspace["Service"]) {
  if (access._tag !== "WriteFile" || !access.inside || access.base !== undefined) return
  const readable = yield* Effect.result(workspace.readText(access.path, 0))
  if (Result.isSuccess(readable) || readable.failure.type !== "io_error") return
  // A file that cannot be read can still be replaced.
  if (!(yield* isFileAt(workspace, access.path))) return yield* readable.failure
})

/** Why a call would fail, as far as the project shows this without running it. Undefined if it may succeed. */
export const inspectCall = Effect.fnUntraced(function* (
  call: ToolCall,
  tools: ReadonlyMap<string, LoadedTool>,
  context: AccessContext
): Effect.fn.Return<ToolFailure | undefined> {
  let declared: unknown = []
  const prepare = Effect.gen(function* () {
    const { found, params } = yield* decodeCall(call, tools)
    declared = found.tool.access?.(params) ?? []
    const accesses = yield* canonicalAccesses(found, params, context)
    yield* Effect.forEach(accesses, (access) => checkTarget(access, context.workspace), { discard: true })
  })
  const exit = yield* runIsolated(prepare)
  if (Exit.isSuccess(exit)) return undefined
  const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (failure === undefined || !avoidable.has(failure.type) || lacksProgram(declared, failure)) return undefined
  return failure
})
