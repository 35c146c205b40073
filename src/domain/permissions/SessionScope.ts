/**
 * What the answer "session" covers: the question it was given to, and those that a person would consider the same.
 */
import type * as Schema from "effect/Schema"
import { accessTarget, plainAccess, type CanonicalAccess } from "../tools/Access.ts"
import { accessRisk, eachTimeReason, type Risk } from "../tools/Risk.ts"
import type { Arguments } from "../tools/ToolCall.ts"
import type { ToolPin } from "./PolicyFormat.ts"

/** What is asked about, as far as it matters for a longer lasting answer. */
export interface Asked {
  readonly tool: string
  readonly risk: Risk
  readonly arguments?: Arguments
  readonly accesses: ReadonlyArray<CanonicalAccess>
  /** The tool as it is now; absent for what is built in. */
  readonly pin?: ToolPin
}

/** Equal keys are one grant; `covers` describes it. */
export interface SessionScope {
  readonly key: Schema.Json
  readonly covers: string
}

const plain = (accesses: ReadonlyArray<CanonicalAccess>): Schema.Json =>
  accesses.map((access) => ({ ...plainAccess(access) }))

const accessScope = (tool: string, access: CanonicalAccess): SessionScope => {
  if (access._tag === "ReadFile" && accessRisk(access) === "safe") {
    return { key: [tool, "files"], covers: `${tool} for every file of the project that does not look like a secret` }
  }
  const url = access._tag === "FetchUrl" ? URL.parse(access.url) : null
  if (url?.protocol === "https:") return { key: [tool, "host", url.origin], covers: `${tool} for ${url.origin}` }
  const target = accessTarget(access)
  return { key: [tool, access._tag, target], covers: `${tool} for ${target}` }
}

/**
 * The scopes that must all be granted for the call to need no question; undefined when it is asked about each time. A call
 * of high risk is granted only exactly as it is. A tool that declares no access is granted as a whole.
 */
export const sessionScopes = (asked: Asked): ReadonlyArray<SessionScope> | undefined => {
  const { accesses, pin, risk, tool } = asked
  const definition = pin === undefined ? [] : [pin.definition]
  if (accesses.some((access) => eachTimeReason(access) !== undefined)) return undefined
  const given = asked.arguments ?? null
  if (risk === "high")
    return [{ key: [tool, "exact", given, plain(accesses), ...definition], covers: "exactly this call" }]
  if (accesses.length === 0) return [{ key: [tool, "calls", ...definition], covers: `${tool} with any arguments` }]
  const scopes = accesses.map((access) => accessScope(tool, access))
  return scopes.filter(({ covers }, index) => scopes.findIndex((one) => one.covers === covers) === index)
}

/** True when an answer may be remembered permanently. */
export const canRemember = ({ accesses, risk }: Asked): boolean =>
  risk !== "high" && accesses.every((access) => eachTimeReason(access) === undefined)
