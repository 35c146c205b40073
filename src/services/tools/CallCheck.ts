/**
 * Checks a call of a model before anything runs, and decodes its arguments when it is about to run.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { modelText } from "../../domain/text/SchemaText.ts"
import { checkArguments, repairArguments } from "../../domain/tools/ArgumentCheck.ts"
import { withOwnNames } from "../../domain/tools/ArgumentAliases.ts"
import type { Issue, Repair, Where } from "../../domain/findings/Issue.ts"
import { type IssueCode, makeIssue, makeRepair } from "../../domain/findings/IssueCode.ts"
import { meantTool } from "../../domain/tools/ArgumentNames.ts"
import { nearest, nearestOrAll } from "../../domain/text/Nearest.ts"
import { type ToolCall, ToolFailure } from "../../domain/tools/ToolCall.ts"
import type { LoadedTool } from "../plugins/PluginLoader.ts"

/** A call with harmless deviations repaired, what is wrong with it, and what was repaired. */
export interface CheckedCall {
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

interface CheckWorld {
  readonly tools: ReadonlyMap<string, LoadedTool>
  readonly allowed: ReadonlySet<string>
  readonly task: string | undefined
}

const oneOf = (names: ReadonlyArray<string>): string => names.map((name) => `\`${name}\``).join(", ")

const howToName = (name: string, allowed: ReadonlyArray<string>): string => {
  if (allowed.length === 0) return "The skill may use no tools: remove the call."
  return `Use one of: ${oneOf(nearestOrAll(name, allowed))}.`
}

interface WrongName {
  readonly code: IssueCode
  readonly what: string
  readonly how: string
}

const findWrongName = (name: string, { allowed, tools }: CheckWorld): WrongName | undefined => {
  const usable = [...allowed].filter((one) => tools.has(one))
  if (name === "") {
    return { code: "tool-call-name", what: "The tool call has no name.", how: howToName(name, usable) }
  }
  if (!tools.has(name)) {
    return { code: "tool-unknown", what: `There is no tool ${JSON.stringify(name)}.`, how: howToName(name, usable) }
  }
  if (allowed.has(name)) return undefined
  return { code: "tool-not-allowed", what: `The skill may not use the tool ${name}.`, how: howToName(name, usable) }
}

/** The call under the name of the tool that alone can be meant. A tool that the skill may not use is never meant. */
const nameTool = (call: ToolCall, { allowed, tools }: CheckWorld, where: Where) => {
  const meant = tools.has(call.name) ? undefined : meantTool(call.name, [...tools.keys()])
  if (meant === undefined || !allowed.has(meant)) return { call, repairs: [] }
  const message = `Read the tool ${JSON.stringify(call.name)} as "${meant}".`
  return { call: { ...call, name: meant }, repairs: [makeRepair("tool-renamed", where, message)] }
}

/** Checks name, permission of the skill, and arguments. Arguments are checked only for a tool that may be used. */
export const checkCall = (written: ToolCall, world: CheckWorld): CheckedCall => {
  const where: Where = { section: "Tool Calls", ...(world.task === undefined ? {} : { task: world.task }) }
  const { call, repairs } = nameTool(written, world, where)
  const quote = JSON.stringify(call)
  const wrongName = findWrongName(call.name, world)
  const found = world.tools.get(call.name)
  if (wrongName !== undefined || found === undefined) {
    const issues = wrongName === undefined ? [] : [makeIssue(wrongName.code, where, { ...wrongName, quote })]
    return { call, issues, repairs: [] }
  }
  const repaired = repairArguments(call, found.parameters, where)
  return {
    call: repaired.call,
    repairs: [...repairs, ...repaired.repairs],
    issues: checkArguments(repaired.call, found.parameters, { where, quote })
  }
}

/** The tool and its decoded parameters. Fails with `not_found` or `validation_failed`. */
export const decodeCall = Effect.fnUntraced(function* (call: ToolCall, tools: ReadonlyMap<string, LoadedTool>) {
  const found = tools.get(call.name)
  if (found === undefined) {
    const near = nearest(call.name, [...tools.keys()])
    const message = `There is no tool ${JSON.stringify(call.name)}.${near.length > 0 ? ` Nearest: ${near.join(", ")}.` : ""}`
    return yield* new ToolFailure({ type: "not_found", message })
  }
  const decode = Schema.decodeUnknownEffect(found.parameters.codec)
  const given = withOwnNames(call.arguments, found.parameters.aliases)
  const params: unknown = yield* decode(given, { errors: "all", onExcessProperty: "error" }).pipe(
    Effect.mapError((error) => {
      const message = `The arguments of ${call.name} do not fit: ${modelText(error, given)}`
      return new ToolFailure({ type: "validation_failed", message })
    })
  )
  return { found, params }
})
