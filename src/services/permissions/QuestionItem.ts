/**
 * What every interface shows about a question of the gate: its targets, a diff for each write, warnings, and what each
 * answer would cover.
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
import type { CallIntent } from "../../domain/journal/JournalRecord.ts"
import { changePreview, scriptsChange, wholeChange } from "../../domain/files/ChangePreview.ts"
import { ruleText } from "../../domain/permissions/Permission.ts"
import { definedFields } from "../../domain/text/DefinedFields.ts"
import { sizeText } from "../../domain/text/Format.ts"
import { printable } from "../../domain/text/Printable.ts"
import { approvalSummary, type SeenChange } from "../../domain/permissions/ApprovalSummary.ts"
import { canRemember, sessionScopes } from "../../domain/permissions/PolicyFormat.ts"
import type { ApprovalItem } from "../../domain/permissions/ApprovalItem.ts"
import type { GateContext } from "./GateDecision.ts"
import { type GateQuestion, isForUser } from "./GateQuestion.ts"
import { repairedFiles } from "./RunAnswers.ts"
import { lapseWarnings } from "./Policy.ts"

const previewLines = 40
const previewBytes = 1_048_576

/** What the user sees of one write. `change` is absent if the file cannot be read. */
interface ShownWrite {
  readonly preview: string
  readonly change?: SeenChange
  readonly warnings?: ReadonlyArray<string>
}

/** The diff of one write, with warnings about effects that it does not show. */
const showWrite = Effect.fnUntraced(function* (
  write: WriteAccess,
  { policy, workspace }: GateContext
): Effect.fn.Return<ShownWrite> {
  const { folder, from, holds, path } = write
  if (from !== undefined || folder !== undefined) return { preview: "" }
  const name = printable(policy.nameOf(path))
  if (holds?.leads !== undefined && write.removes === true) {
    const change = { ...wholeChange(name, holds.leads, undefined), isNew: false }
    return { preview: changePreview(path, holds.leads, undefined, previewLines), change }
  }
  const present = yield* Effect.result(workspace.readText(path, previewBytes))
  if (Result.isFailure(present) && present.failure.type !== "not_found") {
    return { preview: `(The present content cannot be shown: ${present.failure.message})` }
  }
  const before = Result.isSuccess(present) ? present.success : undefined
  const after = writtenText(write) ?? undefined
  return {
    preview: changePreview(path, before, after, previewLines),
    change: { ...wholeChange(name, before, after), isNew: before === undefined },
    warnings:
      path.endsWith("/package.json") && scriptsChange(before, after) ? ["It changes scripts that npm runs."] : []
  }
})

/** The files that a call moves or removes together with their folder, one per line. */
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

/** Warns about a host with non-ASCII letters, which may look like a known host. */
const hostWarning = (access: CanonicalAccess): ReadonlyArray<string> => {
  const fetched = access._tag === "FetchUrl" ? (URL.parse(access.url)?.hostname ?? "") : ""
  const host = access._tag === "Host" ? access.host : fetched
  const written = domainToUnicode(host)
  if (written === "" || written === host) return []
  return [`The host ${host} is written ${written} and may look like another one.`]
}

const rememberText = ({ accesses, tool }: GateQuestion): string =>
  accesses.length === 0
    ? `${tool} with any arguments, while it is defined as now`
    : `${tool} for ${accesses.map(accessTarget).join(", ")}`

/** What a yes can allow beyond this call: calls in this session, calls in later runs, or repairs. */
const offersOf = (question: GateQuestion, isAlone: boolean, { options, policy }: GateContext) => {
  const scopes = isAlone ? sessionScopes(question) : undefined
  const rules = isAlone || question.risk !== "safe" ? policy.offers(question).map(ruleText) : []
  const repaired = options.askFirst === true ? repairedFiles(question).map(({ path }) => policy.nameOf(path)) : []
  return definedFields({
    session: scopes?.map(({ covers }) => covers).join("; "),
    remember: isAlone && canRemember(question) ? rememberText(question) : undefined,
    always: rules.length === 0 ? undefined : rules,
    repairs: repaired.length === 0 ? undefined : `later changes of ${repaired.join(", ")} by this task`
  })
}

/** How an item is shown: alone, or with the other items of its step. */
export interface ItemPlace {
  readonly isAlone: boolean
  /** Why the call is impossible. The answer then allows nothing. */
  readonly problem?: string | undefined
  /** Warnings about the targets of the call, by path. */
  readonly warnings?: ReadonlyMap<string, string>
}

const nonEmpty = <A extends string | ReadonlyArray<unknown>>(value: A): A | undefined =>
  value.length === 0 ? undefined : value

export const makeItem = Effect.fnUntraced(function* (
  question: GateQuestion,
  { isAlone, problem, warnings = new Map() }: ItemPlace,
  context: GateContext
): Effect.fn.Return<ApprovalItem> {
  const { answers, policy } = context
  const { accesses, part, pin, prepared, risk, task, tool } = question
  const writes = writesIn(accesses)
  const shownWrites = yield* Effect.forEach(writes, (write) => showWrite(write, context))
  const changes = new Map(writes.map(({ path }, index) => [path, shownWrites[index]?.change]))
  const previews = [...shownWrites.map(({ preview }) => preview), filesText(writes, policy.nameOf)]
  const targets = shownTargets(accesses)
  const changedSince = answers.grants.changedSince(question).map(policy.nameOf)
  const allWarnings = [
    ...(problem === undefined ? [] : [`This call cannot be made now, and will fail. ${problem.split("\n")[0]}`]),
    ...targets.flatMap((target) => warnings.get(target) ?? []),
    ...changedSince.map((name) => `You allowed a change of ${name} before, and the file has changed since.`),
    ...accesses.flatMap((access) => [eachTimeReason(access) ?? [], ...hostWarning(access)].flat()),
    ...shownWrites.flatMap(({ warnings: effects = [] }) => effects),
    ...lapseWarnings(yield* policy.lapses(question), question)
  ]
  const offers = offersOf(question, isAlone, context)
  return definedFields({
    task,
    tool,
    risk,
    targets,
    details: nonEmpty([...accesses.flatMap(accessDetails), ...(part === undefined ? [] : [`Runs now only: ${part}`])]),
    call: prepared?.call,
    origin: pin?.origin,
    preview: nonEmpty(previews.filter((text) => text !== "").join("\n")),
    diff: nonEmpty(shownWrites.map(({ change }) => change?.diff ?? "").join("")),
    words: approvalSummary(question, { nameOf: policy.nameOf, changeOf: (path) => changes.get(path) }),
    personOnly: isForUser(question) ? true : undefined,
    warnings: nonEmpty(allWarnings),
    offers: problem === undefined && (isAlone || Object.keys(offers).length > 0) ? offers : undefined
  })
})

/** The item that asks the user about an uncertain call. A command is shown as the user would type it. */
export const uncertainItem = (
  { call, files, targets, task }: CallIntent,
  { options, policy }: GateContext
): ApprovalItem => {
  const names = targets.map(policy.nameOf)
  const [command] = call.name === "run_command" ? names : []
  const on = names.length === 0 ? "" : ` on ${names.join(", ")}`
  return {
    task,
    words: {
      ...(command === undefined ? { does: `use ${call.name}${on}` } : { does: "run a command", command }),
      consequence: "When it happened, running it again does it a second time.",
      isCalm: false
    },
    tool: call.name,
    call,
    risk: "high",
    targets,
    warnings: [
      "The run broke off during this call, so it is unknown whether the call happened.",
      ...(files.length === 0
        ? []
        : ["A file that it writes is neither as it was before the call nor as the call would leave it."]),
      ...(options.uncertainNote === undefined ? [] : [options.uncertainNote])
    ]
  }
}
