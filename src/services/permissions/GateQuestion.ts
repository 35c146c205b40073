/**
 * The questions that the gate decides, for whom they are asked, and what a denial says.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import type { DeniedFact } from "../../domain/checks/Facts.ts"
import { withoutProject } from "../../domain/text/Format.ts"
import { exactPattern, type Target } from "../../domain/permissions/TargetPattern.ts"
import { beforeRunTask } from "../../domain/permissions/ApprovalItem.ts"
import {
  type CanonicalAccess,
  accessTarget,
  plainAccess,
  accessRisk,
  shownTargets,
  writesIn
} from "../../domain/tools/Access.ts"
import { hashOf, textHash } from "../files/Hash.ts"
import type * as Path from "effect/Path"
import { type PreparedCall, builtInOrigin, type Arguments, type ToolCall } from "../../domain/tools/ToolCall.ts"
import type { ToolPin } from "../../domain/permissions/PolicyFormat.ts"
import type { Grantable } from "./Grants.ts"

/** After this many denials of the same effect a person is not asked again. */
export const maxDenials = 3

const denialFields = {
  tool: Schema.String,
  targets: Schema.Array(Schema.String),
  by: Schema.Literals(["person", "rule", "nobody"]),
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
  /** True when it was not asked about, since a person denied another call of the same answer. */
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

  private get what(): string {
    return `${this.tool}${this.targets.length === 0 ? "" : ` on ${this.targets.join(", ")}`}`
  }

  /** What a model is told: it cannot follow advice about flags. */
  get forModel(): string {
    return this.by === "nobody"
      ? `Permission denied: the settings of the person do not allow ${this.what}. Go on without it.`
      : this.message
  }

  /** What a person is told, with what to do. */
  override get message(): string {
    const { what } = this
    switch (this.by) {
      case "person":
        if (this.unasked === true) {
          return `Permission denied: a person denied another call of this answer, so ${what} was not made and not asked about.`
        }
        return `Permission denied: a person denied ${what}${this.endsTask ? ` ${this.times} times, so the task ends` : ""}${this.instead === undefined ? "" : ` and said what to do instead: ${this.instead}`}.`
      case "rule":
        return `Permission denied: ${this.reason === undefined ? `a rule denies ${what}` : `${what} ${this.reason}`}.`
      case "nobody":
        if (this.reason !== undefined) return `Permission denied: ${what} ${this.reason}.`
        return `Permission denied: ${what} needs approval and there is no terminal to ask on. Use ${this.flags}.`
    }
  }
}

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
  /** The answer of the model that the call is from. After a no to one of its calls the others are not asked about. */
  readonly answer?: string | undefined
  /** For a check of the host: the part of the command that runs now, when it is not the whole one. */
  readonly part?: string
}

/** Where plugins and servers are started, and given files are read. */
export const beforeRun: QuestionScope = { task: beforeRunTask, place: "" }

/** The id of a question about what has this hash, and about the files as they are now. */
export const questionId = ({ accesses, hash, place }: GateQuestion): string => {
  const found = accesses.flatMap((access) => ("found" in access && access.found !== undefined ? [access.found] : []))
  return place === "" ? hash : hashOf([place, hash, ...found])
}

/** The id of a question of the model. */
export const personQuestionId = (place: string, text: string): string => hashOf([place, text])

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
  { answer, part, place, task }: QuestionScope,
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
  return { ...asked, place, answer, risk, call, hash: callHash(asked), ...(part === undefined ? {} : { part }) }
}

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
export const questionOfAccess = ({ answer, place, task }: QuestionScope, access: CanonicalAccess): GateQuestion => {
  const tool = toolOfAccess[access._tag]
  const asked = { task, tool, accesses: [access] }
  return { ...asked, place, answer, risk: accessRisk(access), hash: callHash(asked) }
}

/** The built-in tools with the effect of an access. A change also shows what stood in the file: its result is a diff. */
const effectsOf = (access: CanonicalAccess): ReadonlyArray<string> =>
  access._tag === "WriteFile"
    ? ["write_file", "edit_file", "read_file", ...(access.removes === true ? ["remove_file"] : [])]
    : [toolOfAccess[access._tag]]

/** What rules are compared with. */
export const targetOf =
  (path: Path.Path, root: string) =>
  (access: CanonicalAccess): Target => {
    const canonical = accessTarget(access)
    const effects = effectsOf(access)
    if ("inside" in access) {
      const relative = access.inside ? { relative: path.relative(root, access.path) } : {}
      const loses = access._tag === "WriteFile" && access.loses !== undefined ? { loses: true } : {}
      const ofSkill = access._tag === "ReadFile" && access.ofSkill === true ? { ofSkill: true } : {}
      return { kind: "file", canonical, effects, ...relative, ...loses, ...ofSkill }
    }
    if (access._tag === "RunCommand") {
      const { sandboxed } = access
      const place = { folder: path.relative(root, access.cwd) || ".", sandboxed }
      return { kind: sandboxed ? "other" : "start", canonical, effects, place }
    }
    const kind = access._tag === "LoadPlugin" || access._tag === "StartServer" ? "start" : "other"
    const carries = access._tag === "FetchUrl" && access.carries !== undefined ? { carries: true } : {}
    return { kind, canonical, effects, ...carries }
  }

/** True for what changes nothing: a file that is read, a page that is fetched, a tool of a plugin without any effect. */
export const onlyReads = ({ accesses, mayChange = false }: GateQuestion): boolean =>
  !mayChange && accesses.every(({ _tag }) => _tag === "ReadFile" || _tag === "FetchUrl")

/** A denial as a fact, with paths relative to the project. */
export const deniedFact = ({ by, flags, reason, targets, tool }: PermissionDenied, project: string): DeniedFact => ({
  tool,
  targets: targets.map((target) => (target === project ? "." : withoutProject(target, project))),
  by,
  ...(reason === undefined ? {} : { reason }),
  ...(flags === undefined ? {} : { allow: withoutProject(flags, project) })
})

/** What a rule would have to name for folders that are moved or removed as a whole. */
const folderPatterns = ({ accesses }: GateQuestion): Pick<PermissionDenied, "patterns"> => {
  const folders = writesIn(accesses).flatMap(({ folder }) => folder ?? [])
  return folders.length === 0 ? {} : { patterns: [...new Set(folders)].map((one) => `${exactPattern(one)}/**`) }
}

/** The denial of a question. */
export const deniedOf = (
  question: GateQuestion,
  by: PermissionDenied["by"],
  more: Pick<PermissionDenied, "instead" | "leftOut" | "patterns" | "reason" | "times" | "unasked"> = {}
) =>
  new PermissionDenied({
    tool: question.tool,
    targets: shownTargets(question.accesses),
    by,
    ...folderPatterns(question),
    ...(onlyReads(question) ? { isRead: true } : {}),
    ...more
  })
