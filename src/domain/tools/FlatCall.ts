/**
 * Calls whose arguments stand beside the name of the tool: `{ "tool": "read_file", "path": "a.ts" }`.
 */
import type * as Schema from "effect/Schema"
import type { Where } from "../findings/Issue.ts"
import { addRepair, type Findings } from "../findings/IssueCode.ts"
import { isCallKey, named, otherKeys, readUid, remarks } from "./CallKeys.ts"

type JsonObject = Readonly<Record<string, Schema.Json>>

/** What uids look like that a server or this program gives; other ids may be meant for the tool. */
const ofHost = /^(?:call|tool|toolu|chatcmpl|function)[-_]?/i
const isWordOfProtocol = (key: string, value: Schema.Json | undefined): boolean =>
  key === "type" && typeof value === "string" && /^(?:function|tool)(?:_call)?$/.test(value)

/** True for a key that may be another part of the call as well as an argument. */
const isUnclear = (key: string, value: Schema.Json | undefined): boolean =>
  !remarks.has(key) && isCallKey(key) && !(otherKeys.uid.some((one) => one === key) && ofHost.test(readUid(value)))

/**
 * `{ "tool": "read_file", "path": "a.ts" }` with its arguments put together; nothing when a key stands there that may be
 * another part of the call.
 */
export const gatherArguments = (
  call: JsonObject,
  { name: nameKey, uid: uidKey }: { readonly name: string; readonly uid: string | undefined },
  where: Where,
  findings: Findings
): JsonObject | undefined => {
  const others = Object.entries(call).filter(([key]) => key !== nameKey && key !== "uid")
  const uid = others.find(([key]) => key === uidKey)
  const given = others.filter((one) => one !== uid && !isWordOfProtocol(...one))
  if (!given.some(([key]) => !remarks.has(key))) return undefined
  if ([...given, ...(uid === undefined ? [] : [uid])].some((one) => isUnclear(...one))) return undefined
  const names = given.map(([key]) => key)
  addRepair(findings, "tool-call-flat", where, `Read ${named(names)} beside the name as arguments.`)
  const own: JsonObject = uidKey === undefined ? {} : { uid: call[uidKey] ?? null }
  return { ...own, name: call[nameKey] ?? null, arguments: Object.fromEntries(given) }
}
