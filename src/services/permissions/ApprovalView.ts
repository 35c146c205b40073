/**
 * What a person is shown about one question of the gate: targets, a diff of every write, warnings, and what each answer
 * would cover.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { domainToUnicode } from "node:url"
import {
  accessDetails,
  accessTarget,
  type CanonicalAccess,
  eachTimeReason,
  shownTargets,
  type WriteAccess,
  writesIn,
  writtenText
} from "../../domain/tools/Access.ts"
import { changePreview, scriptsChange, wholeChange } from "../../domain/files/ChangePreview.ts"
import { ruleText, type Rule } from "../../domain/permissions/Permission.ts"
import { sizeText } from "../../domain/text/Format.ts"
import { printable } from "../../domain/text/Printable.ts"
import { approvalSummary, needsPerson, type SeenChange } from "../../domain/permissions/ApprovalSummary.ts"
import { canRemember, sessionScopes } from "../../domain/permissions/PolicyFormat.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import type { GateQuestion } from "./GateQuestion.ts"
import { lapsedText, type PolicyEvaluator, scriptWarnings } from "./PolicyEvaluator.ts"
import type { Workspace } from "../files/Workspace.ts"

/** The project, and what rules say about a question. */
export interface ViewContext {
  readonly workspace: Workspace["Service"]
  readonly evaluator: PolicyEvaluator
}

const previewLines = 40
const previewBytes = 1_048_576

/** What is shown of one write; without a change where the present content cannot be read. */
interface ShownWrite {
  readonly path: string
  readonly preview: string
  readonly change?: SeenChange
  readonly warnings: ReadonlyArray<string>
}

/** The diff of one write, and effects that a diff does not show. */
const showWrite = Effect.fnUntraced(function* (
  write: WriteAccess,
  { evaluator, workspace }: ViewContext
): Effect.fn.Return<ShownWrite> {
  const { folder, from, holds, kind, path } = write
  if (from !== undefined || folder !== undefined) return { path, preview: "", warnings: [] }
  const name = printable(evaluator.nameOf(path))
  if (holds?.leads !== undefined && write.removes === true) {
    const change = { ...wholeChange(name, holds.leads, undefined), isNew: false, isGone: true }
    return { path, preview: changePreview(path, holds.leads, undefined, previewLines), change, warnings: [] }
  }
  const after = writtenText(write) ?? undefined
  const becomes = kind === undefined ? {} : { becomes: kind }
  const found = yield* Effect.result(workspace.readText(path, previewBytes))
  if (Result.isFailure(found) && found.failure.type !== "not_found") {
    return { path, preview: `(The present content cannot be shown: ${found.failure.message})`, warnings: [] }
  }
  const before = Result.isSuccess(found) ? found.success : undefined
  return {
    path,
    preview: changePreview(path, before, after, previewLines),
    change: {
      ...wholeChange(name, before, after),
      ...becomes,
      isNew: before === undefined,
      isGone: after === undefined
    },
    warnings:
      path.endsWith("/package.json") && scriptsChange(before, after) ? ["It changes scripts that npm runs."] : []
  }
})

/** The files that go with a folder, or are moved with it, a line each. */
const filesText = (writes: ReadonlyArray<WriteAccess>, nameOf: (path: string) => string): string => {
  const lines = writes
    .filter(({ folder, removes }) => folder !== undefined && removes === true)
    .map(
      ({ holds, path }) =>
        `${printable(nameOf(path))} (${holds?.leads === undefined ? sizeText(holds?.size ?? 0) : "a link"})`
    )
  const left = lines.length - previewLines
  return left > 0
    ? [...lines.slice(0, previewLines), `(${left} more files are not shown)`].join("\n")
    : lines.join("\n")
}

/** A host with letters outside ASCII may look like a host that the person knows. */
const hostWarning = (access: CanonicalAccess): ReadonlyArray<string> => {
  const host = access._tag === "FetchUrl" ? (URL.parse(access.url)?.hostname ?? "") : ""
  const written = domainToUnicode(host)
  if (written === "" || written === host) return []
  return [`The host ${host} is written ${written} and may look like another one.`]
}

const rememberText = ({ accesses, tool }: GateQuestion): string =>
  accesses.length === 0
    ? `${tool} with any arguments, while it is defined as now`
    : `${tool} for ${accesses.map(accessTarget).join(", ")}`

/** True when neither a flag nor a yes to later steps covers it. */
export const isForPerson = (question: GateQuestion): boolean =>
  question.accesses.some(needsPerson) || sessionScopes(question) === undefined

/** One item of a question. */
export const itemOf = Effect.fnUntraced(function* (question: GateQuestion, context: ViewContext) {
  const { evaluator } = context
  const outdated = yield* evaluator.outdated(question)
  const { accesses, call, part, pin, risk, task, tool } = question
  const writes = yield* Effect.forEach(writesIn(accesses), (access) => showWrite(access, context))
  const changes = new Map(writes.map((one) => [one.path, one.change]))
  const diff = writes.map(({ change }) => change?.diff ?? "").join("")
  const files = filesText(writesIn(accesses), evaluator.nameOf)
  const preview = [...writes.map((one) => one.preview), files].filter((text) => text !== "").join("\n")
  const details = [...accesses.flatMap(accessDetails), ...(part === undefined ? [] : [`Runs now only: ${part}`])]
  const warnings = [
    ...accesses.flatMap((access) => [eachTimeReason(access) ?? [], ...hostWarning(access)].flat()),
    ...writes.flatMap((one) => one.warnings),
    ...scriptWarnings(yield* evaluator.changedScripts(question)),
    ...(outdated === undefined ? [] : [`${lapsedText(outdated, question)}.`])
  ]
  const item: ApprovalItem = {
    task,
    tool,
    risk,
    targets: shownTargets(accesses),
    ...(details.length === 0 ? {} : { details }),
    ...(call === undefined ? {} : { call }),
    ...(pin === undefined ? {} : { origin: pin.origin }),
    ...(preview === "" ? {} : { preview }),
    ...(diff === "" ? {} : { diff }),
    words: approvalSummary(question, { nameOf: evaluator.nameOf, changeOf: (path) => changes.get(path) }),
    ...(isForPerson(question) ? { personOnly: true } : {}),
    ...(warnings.length === 0 ? {} : { warnings })
  }
  return item
})

/** The rules that are offered for this project, by their text; nothing when there is none. */
export const alwaysOffers = (offered: ReadonlyArray<Rule>): Pick<NonNullable<ApprovalItem["offers"]>, "always"> =>
  offered.length === 0 ? {} : { always: offered.map(ruleText) }

/** An item of a question about a single call, with what its longer lasting answers would cover. */
export const withOffers = (item: ApprovalItem, question: GateQuestion, offered: ReadonlyArray<Rule>): ApprovalItem => {
  const scopes = sessionScopes(question)
  return {
    ...item,
    offers: {
      ...(scopes === undefined ? {} : { session: scopes.map(({ covers }) => covers).join("; ") }),
      ...(canRemember(question) ? { remember: rememberText(question) } : {}),
      ...alwaysOffers(offered)
    }
  }
}
