/**
 * Decides about a question by rules, before anybody is asked: protected access is denied, then the rules of flags, the
 * configuration and remembered answers decide.
 */
import * as Effect from "effect/Effect"
import { lstat } from "node:fs/promises"
import { accessTarget, type CanonicalAccess, eachTimeReason, writesIn } from "../../domain/tools/Access.ts"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { decide, ruleOffers } from "../../domain/permissions/Decision.ts"
import { SeenTexts } from "../../domain/permissions/SeenTexts.ts"
import { wordText } from "../../domain/commands/CommandText.ts"
import { needsPerson } from "../../domain/permissions/ApprovalSummary.ts"
import { exactPattern, placePrefix, scopedPattern, type Target } from "../../domain/permissions/TargetPattern.ts"
import { matches } from "../../domain/text/PatternMatch.ts"
import { type Rule, parseRule, type Verdict } from "../../domain/permissions/Permission.ts"
import { appliesTo, concernsProject, type RememberedRule } from "../../domain/permissions/PolicyFormat.ts"
import { type GateQuestion, targetOf, questionOfCall } from "./GateQuestion.ts"
import { Policies } from "./Policies.ts"
import { folderIdentity } from "../files/FileLook.ts"
import { SkillFiles } from "../files/SkillFiles.ts"
import { Workspace } from "../files/Workspace.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { isControlPath } from "../../domain/files/SensitivePath.ts"
import type { PreparedCall } from "../../domain/tools/ToolCall.ts"

/** The times when the rules of a run came into force, and the files that were written since. */
const makeScriptChanges = (since: number) => {
  const written = new Set<string>()
  const changedAt = (path: string): Effect.Effect<number> =>
    Effect.promise(async () =>
      written.has(path) ? Infinity : ((await lstat(path).catch(() => undefined))?.ctimeMs ?? 0)
    )
  return {
    /** True when nothing was written since the run began. */
    isUntouched: (): boolean => written.size === 0,
    /** True for a file that is as it was when the run began. */
    isUnchanged: (path: string) => Effect.map(changedAt(path), (at) => at <= since),
    /** Notes what a tool may write from now on. */
    note: (accesses: ReadonlyArray<CanonicalAccess>): void => {
      for (const { path } of writesIn(accesses)) written.add(path)
    },
    /** The scripts with the time of their last change, for scripts that changed since the run began or `before`. */
    changes: (accesses: ReadonlyArray<CanonicalAccess>) => {
      const scripts = accesses.flatMap((access) => (access._tag === "RunCommand" ? (access.scripts ?? []) : []))
      return Effect.forEach(scripts, ({ path }) => Effect.map(changedAt(path), (at) => ({ path, at })))
    },
    /** When a rule came into force: with the run, or when it was remembered. */
    inForceSince: ({ rememberedAt }: { readonly rememberedAt?: string }): number =>
      rememberedAt === undefined ? since : Math.min(since, Date.parse(rememberedAt))
  }
}

/** A rule with the file or flag in which it is written, where that is known. */
export interface SourcedRule extends Rule {
  readonly source?: string
  readonly rememberedAt?: string
  /** The only project for which it holds. */
  readonly project?: string
}

/** The rules of a configuration, whose texts have been checked; `source` is its file or flag. */
export const sourcedRules = (
  { allow = [], deny = [] }: Pick<Configuration, "allow" | "deny">,
  source: string
): ReadonlyArray<SourcedRule> => {
  const read = [...allow.map((text) => parseRule("allow", text)), ...deny.map((text) => parseRule("deny", text))]
  return read.flatMap((one): ReadonlyArray<SourcedRule> => (Result.isSuccess(one) ? [{ ...one.success, source }] : []))
}

/** That a remembered rule does not allow it any more; a sentence without its end. */
export const lapsedText = ({ rememberedAt }: RememberedRule, { accesses }: GateQuestion): string => {
  const day = rememberedAt === undefined ? "" : ` on ${rememberedAt.slice(0, 10)}`
  const isStart = accesses.some((access) => access._tag === "LoadPlugin" || access._tag === "StartServer")
  return isStart ? `It has changed since you trusted it${day}` : `The tool has changed since it was allowed${day}`
}

/** What a pattern for a command has to begin with. */
const prefixOf = ({ place }: Target): string => (place === undefined ? "" : placePrefix(place, exactPattern))

/** What the person decided before the run. */
export interface GateOptions {
  /** From flags and configuration. */
  readonly rules?: ReadonlyArray<SourcedRule>
  /** Folders and files of this program, its state and configuration, where no tool may write. */
  readonly protectedPaths?: ReadonlyArray<string>
  /** Why a URL can never be fetched, as a clause of which it is the subject. */
  readonly unfetchable?: (url: string) => string | undefined
  /** Nothing may be changed, whatever rules or people say. */
  readonly readOnly?: boolean
  /** Changes are checked after they were made, so that a yes may cover what repairs them. */
  readonly askFirst?: boolean
  /** When the run began, in milliseconds; now when absent. Rules do not cover commands whose scripts changed since. */
  readonly since?: number
}

/**
 * The rules that let a script of the skill of a task run, for a question about reading files beside it: the script itself reads them.
 */
const scriptRules = (
  { accesses }: GateQuestion,
  rules: ReadonlyArray<SourcedRule>,
  files: ReadonlySet<string>
): ReadonlyArray<SourcedRule> => {
  const isOwn = accesses.every(
    (access) => access._tag === "ReadFile" && access.ofSkill === true && !needsPerson(access)
  )
  if (!isOwn || accesses.length === 0) return []
  const runsScript = (pattern: string): boolean =>
    scopedPattern(pattern)
      .rest.split(" ")
      .some((word) => word.includes("/") && [...files].some((file) => matches(word, wordText(file))))
  return rules.filter(
    ({ pattern, tool, verdict }) =>
      verdict === "allow" && tool === "run_command" && (pattern === undefined || runsScript(pattern))
  )
}

/** Why nothing is changed with `--read-only`; a clause of which the access is the subject. */
export const readOnlyReason = "would change something, and this run only reads"

/** True for what may change the project. */
const changesSomething = ({ accesses, mayChange }: GateQuestion): boolean =>
  mayChange === true || accesses.some(({ _tag }) => _tag === "WriteFile" || _tag === "RunCommand")

/** True for what may change the project itself, and not a copy of it. */
const changesProject = ({ accesses, mayChange }: GateQuestion): boolean =>
  mayChange === true ||
  accesses.some((access) => access._tag === "WriteFile" || (access._tag === "RunCommand" && access.onCopy !== true))

/**
 * Why an access is protected, so that no rule and no answer can allow it; a clause of which the access is the subject.
 * Protected are writes outside the project, writes to what controls git or this program, commands without the sandbox that
 * the person requires, and URLs that can never be fetched.
 */
const protectionOf = (
  access: CanonicalAccess,
  context: GateOptions & { readonly path: Path.Path; readonly root: string }
): string | undefined => {
  if (access._tag === "FetchUrl") return context.unfetchable?.(access.url)
  if (access._tag === "RunCommand") return access.denial
  if (access._tag !== "WriteFile") return undefined
  if (!access.inside) {
    return `would write outside the project ${context.root}, which nothing can allow; start with --project in a folder that holds it to work there`
  }
  const { path, protectedPaths = [], root } = context
  const isBelow = (folder: string) => access.path === folder || access.path.startsWith(`${folder}${path.sep}`)
  const isControl = access.control === true || isControlPath(path.relative(root, access.path))
  if (isControl || protectedPaths.some(isBelow)) {
    return "would change what controls git or this program, which nothing can allow"
  }
  return undefined
}

/** Protected paths are made canonical once, when the run starts. */
export const makePolicyEvaluator = Effect.fnUntraced(function* (options: GateOptions) {
  const policies = yield* Policies
  const workspace = yield* Workspace
  const path = yield* Path.Path
  const { root } = workspace
  const sourced = (rule: RememberedRule): SourcedRule =>
    policies.file === undefined ? rule : { ...rule, source: policies.file }
  const protectedPaths = yield* Effect.forEach(options.protectedPaths ?? [], (given) =>
    Effect.match(workspace.canonical(given), { onFailure: () => given, onSuccess: (found) => found.path })
  )
  const scripts = makeScriptChanges(options.since ?? (yield* Effect.sync(() => Date.now())))
  const requestOf = ({ accesses, pin, risk, tool }: GateQuestion) => ({
    tool,
    risk,
    targets: accesses.map((access) => ({
      ...targetOf(path, root)(access),
      ...(tool === "move_file" && pin === undefined && access._tag === "WriteFile"
        ? { part: access.removes === true ? "remove_file" : "write_file" }
        : {})
    }))
  })
  const folder = folderIdentity(root)
  const seen = new SeenTexts()
  /** The remembered rules that are about this project. */
  const remembered = Effect.map(policies.rules, (rules) => rules.filter((rule) => concernsProject(rule, root, folder)))
  /** The scripts that changed after rules came into force which would allow the command; relative to the project. */
  const changedScripts = Effect.fnUntraced(function* (question: GateQuestion) {
    const rules = [...(options.rules ?? []), ...(yield* remembered)]
    const decision = decide<SourcedRule>(rules, { ...requestOf(question), risk: "medium" })
    if (decision.verdict !== "allow") return []
    const since = Math.max(...decision.rules.map(scripts.inForceSince))
    const changes = yield* scripts.changes(question.accesses)
    return changes.filter(({ at }) => at > since).map((one) => path.relative(root, one.path))
  })
  /** A remembered rule that would allow it if the tool, or what is to be started, had not changed since. */
  const outdated = (question: GateQuestion) =>
    Effect.map(remembered, (rules) => {
      const start = question.accesses.find((access) => access._tag === "LoadPlugin" || access._tag === "StartServer")
      if (start === undefined) {
        const lapsed = rules.filter((rule) => rule.pin !== undefined && !appliesTo(rule, question.pin))
        return decide(lapsed, { ...requestOf(question), risk: "medium" }).rules[0]
      }
      const named = `${exactPattern(start.name)} sha256:`
      return rules.findLast(
        ({ pattern = "", tool, verdict }) => verdict === "allow" && tool === question.tool && pattern.startsWith(named)
      )
    })
  return {
    /** Why the question is about protected access; nothing when rules decide. */
    protection: (question: GateQuestion): string | undefined => {
      if (options.readOnly === true && changesSomething(question)) return readOnlyReason
      return question.accesses
        .map((access) => protectionOf(access, { ...options, path, root, protectedPaths }))
        .find((one) => one !== undefined)
    },
    changesSomething,
    changesProject,
    /** What the model has read so far. */
    seen,
    isUntouched: scripts.isUntouched,
    isUnchanged: scripts.isUnchanged,
    /** The question with what its URLs carry of what was read so far. */
    withCarried: <Q extends GateQuestion>(question: Q): Q => {
      const accesses = question.accesses.map((access) => {
        const carries = access._tag === "FetchUrl" ? seen.carriedBy(access.url) : undefined
        return carries === undefined ? access : { ...access, carries }
      })
      return { ...question, accesses }
    },
    /** True when nothing may be changed. */
    isReadOnly: options.readOnly === true,
    /** Notes what was allowed to be written. */
    noteWrites: ({ accesses }: GateQuestion) => scripts.note(accesses),
    evaluate: Effect.fnUntraced(function* (question: GateQuestion) {
      const applying = (yield* remembered).filter((rule) => appliesTo(rule, question.pin)).map(sourced)
      const rules = [...(options.rules ?? []), ...applying]
      const changes = yield* scripts.changes(question.accesses)
      const losesText = question.accesses.some((access) => access._tag === "WriteFile" && access.loses !== undefined)
      /* "Always" is never offered for a loss, so that no such answer was about one. */
      const isCurrent = (rule: SourcedRule) =>
        changes.every(({ at }) => at <= scripts.inForceSince(rule)) && !(losesText && rule.rememberedAt !== undefined)
      const decision = decide<SourcedRule>(
        rules.filter((rule) => rule.verdict !== "allow" || isCurrent(rule)),
        requestOf(question)
      )
      if (decision.verdict !== "ask" || decision.rules.length > 0) return decision
      const forScripts = scriptRules(question, rules, yield* SkillFiles)
      return forScripts.length === 0 ? decision : { verdict: "allow" as const, rules: forScripts }
    }),
    changedScripts,
    /** What to say when nobody can be asked: that no rule helps, or the rules that do when the words alone do not. */
    remedyOf: Effect.fnUntraced(function* (question: GateQuestion) {
      const changed = (yield* changedScripts(question)).join(", ")
      if (changed !== "") {
        return { reason: `runs ${changed}, which changed after a rule allowed it. Look at it and start again` }
      }
      const carrying = question.accesses.find((access) => access._tag === "FetchUrl" && access.carries !== undefined)
      if (carrying?._tag === "FetchUrl") {
        const flag = `--allow "${question.tool}:${exactPattern(carrying.url)}"`
        const carried = JSON.stringify(carrying.carries)
        return {
          reason: `would send ${carried}, which was read in this run, and nobody can be asked; ${flag} allows it`
        }
      }
      const lapsed = yield* outdated(question)
      if (lapsed !== undefined && question.pin === undefined) {
        const flag = question.accesses.map(
          (access) => `--allow "${question.tool}:${exactPattern(accessTarget(access))}"`
        )
        return { reason: `needs approval: ${lapsedText(lapsed, question)}. Use ${flag.join(" ")} when that is right` }
      }
      const { targets } = requestOf(question)
      if (targets.every((target) => prefixOf(target) === "")) return {}
      return { patterns: targets.map((target) => `${prefixOf(target)}${exactPattern(target.canonical)}`) }
    }),
    /** The rules that a person may choose for this project. */
    offersOf: (question: GateQuestion): ReadonlyArray<Rule> => ruleOffers(question, requestOf(question).targets),
    /** A path as a person knows it: relative in the project. */
    nameOf: (given: string): string =>
      given === root || given.startsWith(`${root}${path.sep}`) ? path.relative(root, given) || "." : given,
    root,
    /** What tells the folder of the project from another one at its path. */
    folder,
    outdated
  }
})
export type PolicyEvaluator = Effect.Success<ReturnType<typeof makePolicyEvaluator>>

/** Why a command that a rule names is asked about all the same. */
export const scriptWarnings = (changed: ReadonlyArray<string>): ReadonlyArray<string> =>
  changed.length === 0 ? [] : [`It runs ${changed.join(", ")}, which changed after a rule allowed the command.`]

interface PermissionExplanation {
  /** `refuse` for protected access. */
  readonly verdict: Verdict | "refuse"
  /** The rules that decide; none when the risk alone does. */
  readonly rules: ReadonlyArray<SourcedRule>
  /** Why nothing can allow it, why it is asked each time, or that a remembered rule has lapsed; whole sentences. */
  readonly reasons: ReadonlyArray<string>
}

/** What the gate would decide about a call, and why, without asking anybody and without running anything. */
export const explainCall = Effect.fn("explainCall")(function* (
  prepared: PreparedCall,
  options: GateOptions
): Effect.fn.Return<PermissionExplanation, never, Path.Path | Policies | Workspace> {
  const evaluator = yield* makePolicyEvaluator(options)
  const question = questionOfCall({ task: "", place: "" }, prepared)
  const protection = evaluator.protection(question)
  if (protection !== undefined) return { verdict: "refuse", rules: [], reasons: [`It ${protection}.`] }
  const lapsed = yield* evaluator.outdated(question)
  const reasons = [
    ...question.accesses.flatMap((access) => eachTimeReason(access) ?? []),
    ...scriptWarnings(yield* evaluator.changedScripts(question)),
    ...(lapsed === undefined ? [] : ["A remembered rule would allow it, but the tool has changed since."])
  ]
  return { ...(yield* evaluator.evaluate(question)), reasons }
})
