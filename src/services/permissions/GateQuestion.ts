/**
 * One question that the gate decides, about a prepared call or about an access of a reference, in the forms that rules
 * and grants are compared with.
 */
import type * as Path from "effect/Path"
import { accessTarget, type CanonicalAccess, plainAccess } from "../../domain/tools/Access.ts"
import { accessRisk } from "../../domain/tools/Risk.ts"
import { type PreparedCall, builtInOrigin } from "../../domain/tools/PreparedCall.ts"
import type { ToolPin } from "../../domain/permissions/PolicyFormat.ts"
import type { Target } from "../../domain/permissions/TargetPattern.ts"
import type { Arguments, ToolCall } from "../../domain/tools/ToolCall.ts"
import { hashOf, textHash } from "../files/Hash.ts"
import type { Grantable } from "./Grants.ts"
import { PermissionDenied } from "./PermissionDenied.ts"
import type { QuestionScope } from "./QuestionScope.ts"

export interface GateQuestion extends Grantable, QuestionScope {
  readonly call?: ToolCall
  /** True for a tool that may change what it does not declare. */
  readonly mayChange?: boolean
}

/** The hash of one call or access of a task, without the uid, which makes no difference to the question. */
const callHash = (asked: {
  readonly task: string
  readonly tool: string
  readonly arguments?: Arguments
  readonly accesses: ReadonlyArray<CanonicalAccess>
  readonly pin?: ToolPin
}): string =>
  hashOf([
    asked.task,
    asked.tool,
    asked.arguments ?? null,
    asked.accesses.map((access) => ({ ...plainAccess(access) })),
    ...(asked.pin === undefined ? [] : [{ ...asked.pin }])
  ])

export const questionOfCall = (
  { place, task }: QuestionScope,
  { accesses, call, info, risk }: PreparedCall
): GateQuestion => {
  const pin = info.origin === builtInOrigin ? undefined : { origin: info.origin, definition: info.definition }
  const asked = {
    task,
    tool: info.name,
    arguments: call.arguments,
    accesses,
    ...(pin === undefined ? {} : { pin, mayChange: info.effect !== "pure" })
  }
  return { ...asked, place, risk, call, hash: callHash(asked) }
}

/** The question as it will be when these were answered with yes and their files were written: its scripts are others. */
export const afterWrites = (question: GateQuestion, all: ReadonlyArray<GateQuestion>): GateQuestion => {
  const writes = all.flatMap(({ accesses }) => accesses.filter((access) => access._tag === "WriteFile"))
  const contents = new Map(writes.map(({ content, path }) => [path, textHash(content)]))
  const accesses = question.accesses.map((access) => {
    if (access._tag !== "RunCommand" || access.scripts === undefined) return access
    const scripts = access.scripts.map(({ hash, path }) => ({ path, hash: contents.get(path) ?? hash }))
    return { ...access, scripts }
  })
  return { ...question, accesses, hash: callHash({ ...question, accesses }) }
}

const toolOfAccess = {
  ReadFile: "read_file",
  WriteFile: "write_file",
  FetchUrl: "fetch_url",
  RunCommand: "run_command",
  LoadPlugin: "load_plugin",
  StartServer: "start_server"
} as const

/** Tool names that rules may use even when there is no such tool: references and starts count as these tools. */
export const namesOfReferences: ReadonlyArray<string> = Object.values(toolOfAccess)

/** The question about the access of a reference or a start, which counts as the built-in tool that does the same. */
export const questionOfAccess = ({ place, task }: QuestionScope, access: CanonicalAccess): GateQuestion => {
  const tool = toolOfAccess[access._tag]
  const asked = { task, tool, accesses: [access] }
  let hash: string | undefined
  return {
    ...asked,
    place,
    risk: accessRisk(access),
    /* Most files that a run looks at are decided by rules alone. */
    get hash() {
      return (hash ??= callHash(asked))
    }
  }
}

/** The built-in tools with the effect of an access. A change also shows what stood in the file: its result is a diff. */
const effectsOf = ({ _tag }: CanonicalAccess): ReadonlyArray<string> =>
  _tag === "WriteFile" ? ["write_file", "edit_file", "read_file"] : [toolOfAccess[_tag]]

/** What rules are compared with. */
export const targetOf =
  (path: Path.Path, root: string) =>
  (access: CanonicalAccess): Target => {
    const canonical = accessTarget(access)
    const effects = effectsOf(access)
    if ("inside" in access) {
      const relative = access.inside ? { relative: path.relative(root, access.path) } : {}
      return { kind: "file", canonical, effects, ...relative }
    }
    if (access._tag === "RunCommand") {
      const { sandboxed } = access
      const place = { folder: path.relative(root, access.cwd) || ".", sandboxed }
      return { kind: sandboxed ? "other" : "start", canonical, effects, place }
    }
    const kind = access._tag === "LoadPlugin" || access._tag === "StartServer" ? "start" : "other"
    return { kind, canonical, effects }
  }

/** The denial of a question. */
export const deniedOf = (
  question: GateQuestion,
  by: PermissionDenied["by"],
  more: Pick<PermissionDenied, "instead" | "leftOut" | "patterns" | "reason" | "times"> = {}
) => new PermissionDenied({ tool: question.tool, targets: question.accesses.map(accessTarget), by, ...more })
