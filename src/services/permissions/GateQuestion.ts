/** What is asked of the gate, with the hash that an answer is bound to, and what a denial says. */
import { beforeRunTask } from "../../domain/permissions/ApprovalItem.ts"
import { type Asked, sessionScopes } from "../../domain/permissions/PolicyFormat.ts"
import {
  type CanonicalAccess,
  accessRisk,
  needsUser,
  type OtherAccess,
  plainAccess,
  shownTargets,
  writesIn
} from "../../domain/tools/Access.ts"
import { type PreparedCall, builtInOrigin } from "../../domain/tools/ToolCall.ts"
import { hashOf, textHash } from "../files/Hash.ts"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { DeniedFact } from "../../domain/checks/Facts.ts"
import { definedFields } from "../../domain/text/DefinedFields.ts"
import { withoutProject } from "../../domain/text/Format.ts"
import { exactPattern } from "../../domain/permissions/TargetPattern.ts"
import { AnsweredBy } from "../../domain/permissions/Answer.ts"

/**
 * Where in a run something is asked for, so that an answer that is persisted counts for this question and for no later one
 * with the same words.
 */
export interface QuestionScope {
  readonly task: string
  /**
   * The name of the activity that asks, or the round and stage outside of one. Empty where no answer is persisted: before
   * the first round, and outside of runs.
   */
  readonly place: string
  /** The reply of the model that the call is from. After a no to one of its calls the others are not asked about. */
  readonly reply?: string | undefined
  /** For a check of the host: the part of the command that runs now, when it is not the whole one. */
  readonly part?: string
}

/** Where plugins and servers are started, and given files are read: no event reports it, and no outcome holds a denial. */
export const beforeRun: QuestionScope = { task: beforeRunTask, place: "" }

export interface GateQuestion extends Asked, QuestionScope {
  readonly hash: string
  /** The call, for what is no access of the program itself. */
  readonly prepared?: PreparedCall
  /** True for a tool that may change what it does not declare. */
  readonly mayChange?: boolean
  /** True for changes of the working copy of a task: nobody is asked, and what can never be approved is denied. */
  readonly isProposal?: boolean
  /** The tool of a change that would tell what the file holds which this question reads. */
  readonly toldBy?: string
}

/** The hash of one call or access of a task, without the uid, which makes no difference to the question. */
const callHash = ({ accesses, arguments: values, pin, task, tool }: Omit<GateQuestion, "hash" | "place" | "risk">) =>
  hashOf([
    task,
    tool,
    values ?? null,
    accesses.map((access) => ({ ...plainAccess(access) })),
    ...(pin === undefined ? [] : [{ ...pin }])
  ])

export const questionOfCall = (scope: QuestionScope, prepared: PreparedCall): GateQuestion => {
  const { accesses, call, info, risk } = prepared
  const ofPlugin = info.origin !== builtInOrigin && {
    pin: { origin: info.origin, definition: info.definition },
    mayChange: info.effect !== "pure"
  }
  const asked = { ...scope, tool: info.name, arguments: call.arguments, accesses, risk, prepared, ...ofPlugin }
  return { ...asked, hash: callHash(asked) }
}

/** An effect of a tool's own is no reference and nothing that is started: it is always asked about under the name of its tool. */
const toolOfAccess = {
  ReadFile: "read_file",
  WriteFile: "write_file",
  FetchUrl: "fetch_url",
  Host: "fetch_url",
  RunCommand: "run_command",
  LoadPlugin: "load_plugin",
  StartServer: "start_server",
  Other: "other_effect"
} as const

/** Tool names that rules may use even when there is no such tool: references and starts count as these tools. */
export const namesOfReferences: ReadonlyArray<string> = [...new Set(Object.values(toolOfAccess))].filter(
  (name) => name !== toolOfAccess.Other
)

/** The built-in tools with the effect of an access. A change also shows what stood in the file: its result is a diff. */
export const toolsWithEffect = (access: CanonicalAccess): ReadonlyArray<string> =>
  access._tag === "WriteFile"
    ? ["write_file", "edit_file", "read_file", ...(access.removes === true ? ["remove_file"] : [])]
    : access._tag === "Other"
      ? []
      : [toolOfAccess[access._tag]]

/** The question about the access of a reference or a start, which counts as the built-in tool that does the same. */
export const questionOfAccess = ({ place, reply, task }: QuestionScope, access: CanonicalAccess): GateQuestion => {
  const asked = { reply, place, task, tool: toolOfAccess[access._tag], accesses: [access], risk: accessRisk(access) }
  return { ...asked, hash: callHash(asked) }
}

/**
 * A question that a tool asks while its call runs, under the name of the tool. `index` counts those of the call, so that an answer that is
 * persisted counts for one of them.
 */
export const questionOfTool = (call: GateQuestion, access: OtherAccess, index: number): GateQuestion => {
  const { pin, place, reply, task, tool } = call
  const scope = { reply, task, place: `${place}/question-${index}` }
  const asked = { ...scope, tool, accesses: [access], risk: accessRisk(access), ...(pin && { pin }) }
  return { ...asked, hash: callHash(asked) }
}

/** The question about reading a file of the project; `toldBy` is the tool of a change that would tell what it holds. */
export const questionOfReading = (scope: QuestionScope, path: string, toldBy?: string): GateQuestion => ({
  ...questionOfAccess(scope, { _tag: "ReadFile", path, inside: true }),
  ...(toldBy !== undefined && { toldBy })
})

/** True when neither a flag nor a yes to later steps covers it. */
export const isForUser = (question: GateQuestion): boolean =>
  question.accesses.some(needsUser) || sessionScopes(question) === undefined

/** The id of a question about what has this hash, and about the files as they are now. */
export const questionId = ({ accesses, hash, place }: GateQuestion): string => {
  const states = accesses.flatMap((access) => ("found" in access && access.found !== undefined ? [access.found] : []))
  return place === "" ? hash : hashOf([place, hash, ...states])
}

export const userQuestionId = (place: string, text: string): string => hashOf([place, text])

/** The question as it will be when these were answered with yes and their files were written: its scripts are others. */
export const afterWrites = (question: GateQuestion, all: ReadonlyArray<GateQuestion>): GateQuestion => {
  const writes = all.flatMap(({ accesses }) => writesIn(accesses))
  const contents = new Map(writes.map(({ content, path }) => [path, textHash(content)]))
  const accesses = question.accesses.map((access) => {
    if (access._tag !== "RunCommand" || access.scripts === undefined) return access
    const scripts = access.scripts.map(({ hash, path }) => ({ path, hash: contents.get(path) ?? hash }))
    return { ...access, scripts }
  })
  return { ...question, accesses, hash: callHash({ ...question, accesses }) }
}

const readingTags: ReadonlySet<CanonicalAccess["_tag"]> = new Set(["ReadFile", "FetchUrl", "Host"])

/** True for what changes nothing: a file that is read, a page that is fetched, a tool of a plugin without any effect. */
export const onlyReads = ({ accesses, mayChange = false }: GateQuestion): boolean =>
  !mayChange && accesses.every((access) => readingTags.has(access._tag) || (access._tag === "Other" && !access.changes))

export const changesSomething = ({ accesses, mayChange = false }: GateQuestion): boolean =>
  mayChange ||
  accesses.some((access) => {
    const { _tag } = access
    return _tag === "WriteFile" || _tag === "RunCommand" || (_tag === "Other" && access.changes)
  })

/** True for what may change the project itself, and not a copy of it. */
export const changesProject = (question: GateQuestion): boolean => {
  const accesses = question.accesses.filter((access) => access._tag !== "RunCommand" || access.onCopy !== true)
  return question.isProposal !== true && changesSomething({ ...question, accesses })
}

/** After this many denials of the same effect a person is not asked again. */
export const maxDenials = 3

const denialFields = {
  tool: Schema.String,
  targets: Schema.Array(Schema.String),
  by: AnsweredBy,
  /** Why nothing can allow it, for a protected access; a clause of which the access is the subject. */
  reason: Schema.optionalKey(Schema.String),
  /** True when the run was to change nothing, and this would have changed something. */
  leftOut: Schema.optionalKey(Schema.Boolean),
  /** What rules would have to name to allow it, when that is more than the targets. */
  patterns: Schema.optionalKey(Schema.Array(Schema.String)),
  /** How often a person has denied the same effect in this run. */
  times: Schema.optionalKey(Schema.Int),
  /** What the person wants instead, in their words. */
  instead: Schema.optionalKey(Schema.String),
  /** True when it was not asked about, since a person denied another call of the same reply of the model. */
  unasked: Schema.optionalKey(Schema.Boolean),
  /** True for what would only have looked: such a denial alone does not decide how a run ends. */
  isRead: Schema.optionalKey(Schema.Boolean)
}

/** An access is not allowed. `by` says who decided: a person, a rule or flag, or nobody, when nobody could be asked. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", denialFields) {
  /** True when the task must end instead of asking again. */
  get endsTask(): boolean {
    return (this.times ?? 0) >= maxDenials
  }

  /** The flags that allow this and nothing more, when it was denied for want of an answer. */
  get flags(): string | undefined {
    const { by, reason, targets, tool } = this
    if (by !== "nobody" || reason !== undefined) return undefined
    if (targets.length === 0) return `--allow ${tool}`
    const patterns = this.patterns ?? targets.map(exactPattern)
    return patterns.map((pattern) => `--allow "${tool}:${pattern}"`).join(" ")
  }

  /** What a model is told: it cannot follow advice about flags. */
  get forModel(): string {
    return this.by === "nobody"
      ? `Permission denied: the settings of the person do not allow ${callText(this)}. Go on without it.`
      : this.message
  }

  /** What a person is told, with what to do. */
  override get message(): string {
    const { by, flags, instead, reason, times, unasked } = this
    const call = callText(this)
    const why = (): string => {
      if (by === "person" && unasked === true) {
        return `a person denied another call of this answer, so ${call} was not made and not asked about`
      }
      if (by === "person") {
        const end = this.endsTask ? ` ${times} times, so the task ends` : ""
        return `a person denied ${call}${end}${instead === undefined ? "" : ` and said what to do instead: ${instead}`}`
      }
      if (reason !== undefined) return `${call} ${reason}`
      if (by === "rule") return `a rule denies ${call}`
      return `${call} needs approval and there is no terminal to ask on. Use ${flags}`
    }
    return `Permission denied: ${why()}.`
  }
}

const callText = ({ targets, tool }: PermissionDenied): string =>
  `${tool}${targets.length === 0 ? "" : ` on ${targets.join(", ")}`}`

/** A denial as runs save it: under the tag that it had in the first version of the journal. */
export const SavedDenial = Schema.TaggedStruct("Denied", denialFields).pipe(
  Schema.decodeTo(
    PermissionDenied,
    SchemaTransformation.transform({
      decode: (saved) => ({ ...saved, _tag: "PermissionDenied" as const }),
      encode: (denial) => ({ ...denial, _tag: "Denied" as const })
    })
  )
)

/** A denial as a fact, with paths relative to the project. */
export const deniedFact = ({ by, flags, reason, targets, tool }: PermissionDenied, project: string): DeniedFact =>
  definedFields({
    tool,
    targets: targets.map((target) => (target === project ? "." : withoutProject(target, project))),
    by,
    reason,
    allow: flags && withoutProject(flags, project)
  })

/** The denial of a question. A change that would have told what its file holds is denied in the words of the change. */
export const deniedOf = (
  question: GateQuestion,
  by: PermissionDenied["by"],
  more: Partial<Pick<PermissionDenied, "instead" | "leftOut" | "patterns" | "reason" | "times" | "unasked">> = {}
) => {
  const { accesses, toldBy, tool } = question
  const folders = new Set(writesIn(accesses).flatMap(({ folder }) => folder ?? []))
  return new PermissionDenied(
    definedFields({
      tool: toldBy ?? tool,
      targets: shownTargets(accesses),
      by,
      /* A rule has to name a folder that is moved or removed as a whole. */
      patterns: folders.size === 0 ? undefined : [...folders].map((folder) => `${exactPattern(folder)}/**`),
      isRead: toldBy === undefined && onlyReads(question) ? true : undefined,
      ...more
    })
  )
}
