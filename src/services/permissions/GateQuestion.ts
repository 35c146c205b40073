/** Questions for the gate, and its denials. An answer is valid only for a question with the same hash. */
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
 * Where a question belongs in a run. A recorded answer applies only to a question at the same place. A question with
 * the same words at a later place is asked again.
 */
export interface QuestionScope {
  readonly task: string
  /**
   * The activity that asks. If no activity asks, the round and stage. Empty where answers are not recorded: before the
   * first round, and outside of runs.
   */
  readonly place: string
  /**
   * Identifies the reply of the model that contains the call. If the user denies one call of a reply, the gate does not
   * ask about its other calls.
   */
  readonly reply?: string | undefined
  /** For a check: the part of the command that runs now. Absent for the whole command. */
  readonly part?: string
}

/**
 * The scope of questions before a run: about plugins, servers and given files. These questions emit no events, and
 * their denials are not recorded.
 */
export const beforeRun: QuestionScope = { task: beforeRunTask, place: "" }

export interface GateQuestion extends Asked, QuestionScope {
  readonly hash: string
  /** The call of the question. Absent for an access of the program itself. */
  readonly prepared?: PreparedCall
  /** True for a tool that may change more than it declares. */
  readonly mayChange?: boolean
  /**
   * True for changes of a working copy. The gate asks nobody about them, but denies changes that could never be
   * approved.
   */
  readonly isProposal?: boolean
  /** For a question about reading a file: the tool whose change would reveal the content of the file. */
  readonly revealedBy?: string
}

/**
 * The hash of a call or access of a task. It does not contain the uid of the call, because two uids can mean the same
 * question.
 */
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

/** The tool name for each kind of access. For `Other`, rules use the name of the tool itself. */
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

/**
 * The tool names for accesses that the program makes itself, to resolve references and to start plugins and servers.
 * Rules may use these names even if no tool has them.
 */
export const namesOfReferences: ReadonlyArray<string> = [...new Set(Object.values(toolOfAccess))].filter(
  (name) => name !== toolOfAccess.Other
)

/**
 * The built-in tools that have the same effect as this access. A write is also a read, because its diff shows the old
 * content.
 */
export const toolsWithEffect = (access: CanonicalAccess): ReadonlyArray<string> =>
  access._tag === "WriteFile"
    ? ["write_file", "edit_file", "read_file", ...(access.removes === true ? ["remove_file"] : [])]
    : access._tag === "Other"
      ? []
      : [toolOfAccess[access._tag]]

/**
 * The question about a reference, or about the start of a plugin or server. It is judged like a call of the built-in
 * tool with the same effect.
 */
export const questionOfAccess = ({ place, reply, task }: QuestionScope, access: CanonicalAccess): GateQuestion => {
  const asked = { reply, place, task, tool: toolOfAccess[access._tag], accesses: [access], risk: accessRisk(access) }
  return { ...asked, hash: callHash(asked) }
}

/**
 * A question of a tool during its call, under the tool's name. `index` numbers the questions of a call. A recorded
 * answer therefore applies to only one of them.
 */
export const questionOfTool = (call: GateQuestion, access: OtherAccess, index: number): GateQuestion => {
  const { pin, place, reply, task, tool } = call
  const scope = { reply, task, place: `${place}/question-${index}` }
  const asked = { ...scope, tool, accesses: [access], risk: accessRisk(access), ...(pin && { pin }) }
  return { ...asked, hash: callHash(asked) }
}

/** The question about reading a project file. `revealedBy` is the tool whose change would reveal the content. */
export const questionOfReading = (scope: QuestionScope, path: string, revealedBy?: string): GateQuestion => ({
  ...questionOfAccess(scope, { _tag: "ReadFile", path, inside: true }),
  ...(revealedBy !== undefined && { revealedBy })
})

/** True for a question that must be asked each time, even if a flag or an answer about later steps allows the call. */
export const isForUser = (question: GateQuestion): boolean =>
  question.accesses.some(needsUser) || sessionScopes(question) === undefined

/** The id of a question, from its hash and the current state of its files. */
export const questionId = ({ accesses, hash, place }: GateQuestion): string => {
  const states = accesses.flatMap((access) => ("found" in access && access.found !== undefined ? [access.found] : []))
  return place === "" ? hash : hashOf([place, hash, ...states])
}

export const userQuestionId = (place: string, text: string): string => hashOf([place, text])

/**
 * The question as it will be when all other questions are approved and their files are written. If a script of this
 * question's command is among these files, its hash is then different.
 */
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

/** True if the call changes nothing: it reads a file, fetches a page, or uses a plugin's tool without effects. */
export const onlyReads = ({ accesses, mayChange = false }: GateQuestion): boolean =>
  !mayChange && accesses.every((access) => readingTags.has(access._tag) || (access._tag === "Other" && !access.changes))

export const changesSomething = ({ accesses, mayChange = false }: GateQuestion): boolean =>
  mayChange ||
  accesses.some((access) => {
    const { _tag } = access
    return _tag === "WriteFile" || _tag === "RunCommand" || (_tag === "Other" && access.changes)
  })

/** True if the project may change, not only a working copy. */
export const changesProject = (question: GateQuestion): boolean => {
  const accesses = question.accesses.filter((access) => access._tag !== "RunCommand" || access.onCopy !== true)
  return question.isProposal !== true && changesSomething({ ...question, accesses })
}

/** After this many denials of one effect, the gate does not ask again. */
export const maxDenials = 3

const denialFields = {
  tool: Schema.String,
  targets: Schema.Array(Schema.String),
  by: AnsweredBy,
  /** Says why no rule and no answer can allow a protected access. It is a clause whose subject is the access. */
  reason: Schema.optionalKey(Schema.String),
  /** True for a change in a read-only run. */
  leftOut: Schema.optionalKey(Schema.Boolean),
  /** Patterns for rules that would allow the access. If absent, its targets are the patterns. */
  patterns: Schema.optionalKey(Schema.Array(Schema.String)),
  /** How often the user denied the same effect in this run. */
  times: Schema.optionalKey(Schema.Int),
  /** What the user wants instead, in the user's own words. */
  instead: Schema.optionalKey(Schema.String),
  /** True if the gate did not ask, because the user denied another call of the reply. */
  unasked: Schema.optionalKey(Schema.Boolean),
  /** True for a denied read. Denied reads alone do not decide how a run ends. */
  isRead: Schema.optionalKey(Schema.Boolean)
}

/**
 * Says that an access was denied, by `person` (the user), `rule` (a rule or a flag), or `nobody` (nobody could be
 * asked).
 */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", denialFields) {
  /** True if the task must end instead of asking again. */
  get endsTask(): boolean {
    return (this.times ?? 0) >= maxDenials
  }

  /**
   * If nobody could be asked: the rules that would allow exactly this access. Undefined if a person or a rule decided,
   * or if no rule could allow the access.
   */
  get rules(): ReadonlyArray<string> | undefined {
    const { by, reason, targets, tool } = this
    if (by !== "nobody" || reason !== undefined) return undefined
    if (targets.length === 0) return [tool]
    return (this.patterns ?? targets.map(exactPattern)).map((pattern) => `${tool}:${pattern}`)
  }

  /** These rules as flags of the command line. */
  get flags(): string | undefined {
    return this.rules?.map((rule) => `--allow ${rule === this.tool ? rule : `"${rule}"`}`).join(" ")
  }

  /** The message for the model, which cannot use advice about flags. */
  get forModel(): string {
    return this.by === "nobody"
      ? `Permission denied: the settings of the user do not allow ${callText(this)}. Go on without it.`
      : this.message
  }

  /** The message for the user, with advice. */
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

/** A denial as journals store it. Its tag is "Denied", because the first version wrote this tag. */
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

/**
 * Makes the error for the denied call of a question. If the denied access is a read of a file that a change would
 * reveal, the error names the tool of the change.
 */
export const deniedOf = (
  question: GateQuestion,
  by: PermissionDenied["by"],
  more: Partial<Pick<PermissionDenied, "instead" | "leftOut" | "patterns" | "reason" | "times" | "unasked">> = {}
) => {
  const { accesses, revealedBy, tool } = question
  const folders = new Set(writesIn(accesses).flatMap(({ folder }) => folder ?? []))
  return new PermissionDenied(
    definedFields({
      tool: revealedBy ?? tool,
      targets: shownTargets(accesses),
      by,
      /** For a whole folder, the rule must name the folder. */
      patterns: folders.size === 0 ? undefined : [...folders].map((folder) => `${exactPattern(folder)}/**`),
      isRead: revealedBy === undefined && onlyReads(question) ? true : undefined,
      ...more
    })
  )
}
