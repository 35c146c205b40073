/**
 * What a person is shown about one question of the gate: targets, a diff of every write, warnings, and what each answer
 * would cover.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { domainToUnicode } from "node:url"
import { accessDetails, accessTarget, type CanonicalAccess } from "../../domain/tools/Access.ts"
import { eachTimeReason } from "../../domain/tools/Risk.ts"
import { changePreview, scriptsChange } from "../../domain/files/ChangePreview.ts"
import type { RememberedRule } from "../../domain/permissions/PolicyFormat.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import { canRemember, sessionScopes } from "../../domain/permissions/SessionScope.ts"
import type { GateQuestion } from "./GateQuestion.ts"
import type { Workspace } from "../files/Workspace.ts"

type Writing = CanonicalAccess & { readonly _tag: "WriteFile" }

const previewLines = 40
const previewBytes = 1_048_576

/** The diff of one write, and effects that a diff does not show. */
const showWrite = Effect.fnUntraced(function* ({ content, path }: Writing, workspace: Workspace["Service"]) {
  const found = yield* Effect.result(workspace.readText(path, previewBytes))
  if (Result.isFailure(found) && found.failure.type !== "not_found") {
    return { preview: `(The present content cannot be shown: ${found.failure.message})`, warnings: [] }
  }
  const before = Result.isSuccess(found) ? found.success : undefined
  return {
    preview: changePreview(path, before, content, previewLines),
    warnings:
      path.endsWith("/package.json") && scriptsChange(before, content) ? ["It changes scripts that npm runs."] : []
  }
})

/** A host with letters outside ASCII may look like a host that the person knows. */
const hostWarning = (access: CanonicalAccess): ReadonlyArray<string> => {
  const host = access._tag === "FetchUrl" ? (URL.parse(access.url)?.hostname ?? "") : ""
  const written = domainToUnicode(host)
  if (written === "" || written === host) return []
  return [`The host ${host} is written ${written} and may look like another one.`]
}

const changedWarning = ({ rememberedAt }: RememberedRule): string =>
  `The tool has changed since it was allowed${rememberedAt === undefined ? "" : ` on ${rememberedAt.slice(0, 10)}`}.`

const rememberText = ({ accesses, tool }: GateQuestion): string =>
  accesses.length === 0
    ? `${tool} with any arguments, while it is defined as now`
    : `${tool} for ${accesses.map(accessTarget).join(", ")}`

/**
 * One item of a question. `outdated` is a remembered rule that was made for another definition of the tool; `more` are
 * further warnings.
 */
export const itemOf = Effect.fnUntraced(function* (
  question: GateQuestion,
  workspace: Workspace["Service"],
  outdated: RememberedRule | undefined,
  more: ReadonlyArray<string> = []
) {
  const { accesses, call, pin, risk, task, tool } = question
  const writes = yield* Effect.forEach(
    accesses.filter((access) => access._tag === "WriteFile"),
    (access) => showWrite(access, workspace)
  )
  const preview = writes.flatMap((one) => (one.preview === "" ? [] : [one.preview])).join("\n")
  const details = accesses.flatMap(accessDetails)
  const warnings = [
    ...accesses.flatMap((access) => [eachTimeReason(access) ?? [], ...hostWarning(access)].flat()),
    ...writes.flatMap((one) => one.warnings),
    ...more,
    ...(outdated === undefined ? [] : [changedWarning(outdated)])
  ]
  const item: ApprovalItem = {
    task,
    tool,
    risk,
    targets: accesses.map(accessTarget),
    ...(details.length === 0 ? {} : { details }),
    ...(call === undefined ? {} : { call }),
    ...(pin === undefined ? {} : { origin: pin.origin }),
    ...(preview === "" ? {} : { preview }),
    ...(warnings.length === 0 ? {} : { warnings })
  }
  return item
})

/** An item of a question about a single call, with what its longer lasting answers would cover. */
export const withOffers = (item: ApprovalItem, question: GateQuestion): ApprovalItem => {
  const scopes = sessionScopes(question)
  return {
    ...item,
    offers: {
      ...(scopes === undefined ? {} : { session: scopes.map(({ covers }) => covers).join("; ") }),
      ...(canRemember(question) ? { remember: rememberText(question) } : {})
    }
  }
}
