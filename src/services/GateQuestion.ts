/**
 * One thing that the gate judges, a prepared call or an access of a reference, in the forms that rules, grants and
 * people see.
 */
import * as Effect from "effect/Effect"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { PreparedCall } from "../domain/PreparedCall.ts"
import { accessDetails, accessTarget, type CanonicalAccess } from "../domain/Access.ts"
import { accessRisk } from "../domain/AccessRisk.ts"
import { changePreview } from "../domain/ChangePreview.ts"
import type { Risk } from "../domain/Permission.ts"
import type { ApprovalItem } from "../domain/RunEvent.ts"
import type { Target } from "../domain/TargetPattern.ts"
import type { ToolCall } from "../domain/ToolCall.ts"
import { callHash } from "./CallHash.ts"
import type { Grantable } from "./Grants.ts"
import { builtInOrigin } from "./Plugin.ts"
import type { Workspace } from "./Workspace.ts"

export interface GateQuestion extends Grantable {
  readonly task: string
  readonly risk: Risk
  readonly call?: ToolCall
  readonly origin?: string
}

const previewLines = 40
const previewBytes = 1_048_576

/** The question for one prepared call of a task. */
export const questionOfCall = (task: string, { accesses, call, info, risk }: PreparedCall): GateQuestion => ({
  task,
  risk,
  call,
  tool: info.name,
  arguments: call.arguments,
  accesses,
  ...(info.origin === builtInOrigin ? {} : { origin: info.origin }),
  hash: callHash({ task, tool: info.name, arguments: call.arguments, accesses })
})

const toolOfAccess = {
  ReadFile: "read_file",
  WriteFile: "write_file",
  FetchUrl: "fetch_url",
  LoadPlugin: "load_plugin",
  StartServer: "start_server"
} as const

/** Names that a rule can have although no such tool need be there: references and starts count as these tools. */
export const namesOfReferences: ReadonlyArray<string> = Object.values(toolOfAccess)

/** The question for what a reference or a start touches; it counts as the built-in tool that does the same. */
export const questionOfAccess = (task: string, access: CanonicalAccess): GateQuestion => {
  const tool = toolOfAccess[access._tag]
  return {
    task,
    tool,
    risk: accessRisk(access),
    accesses: [access],
    hash: callHash({ task, tool, accesses: [access] })
  }
}

/** What rules are compared with. */
export const targetOf =
  (path: Path.Path, root: string) =>
  (access: CanonicalAccess): Target =>
    "inside" in access && access.inside
      ? { canonical: access.path, relative: path.relative(root, access.path) }
      : { canonical: accessTarget(access) }

/** What a person is shown, with a diff of every write. */
export const itemOf = Effect.fnUntraced(function* (
  { accesses, call, origin, risk, task, tool }: GateQuestion,
  workspace: Workspace["Service"]
) {
  const previews = yield* Effect.forEach(accesses, (access) =>
    access._tag === "WriteFile" ? Effect.asSome(previewOf(access, workspace)) : Effect.succeedNone
  )
  const preview = previews.flatMap((one) => (one._tag === "Some" ? [one.value] : [])).join("\n")
  const details = accesses.flatMap(accessDetails)
  const item: ApprovalItem = {
    task,
    tool,
    risk,
    targets: accesses.map(accessTarget),
    ...(details.length === 0 ? {} : { details }),
    ...(call === undefined ? {} : { call }),
    ...(origin === undefined ? {} : { origin }),
    ...(preview === "" ? {} : { preview })
  }
  return item
})

const previewOf = Effect.fnUntraced(function* (
  access: CanonicalAccess & { readonly _tag: "WriteFile" },
  workspace: Workspace["Service"]
) {
  const before = yield* Effect.result(workspace.readText(access.path, previewBytes))
  if (Result.isSuccess(before)) return changePreview(access.path, before.success, access.content, previewLines)
  if (before.failure.type === "not_found") return changePreview(access.path, undefined, access.content, previewLines)
  return `(The present content cannot be shown: ${before.failure.message})`
})
