/**
 * Evaluates the rules for a question before the user is asked: first protected accesses, then rules from flags, the
 * configuration and remembered answers. A rule covers a command only while the command's scripts are unchanged.
 */
import * as Effect from "effect/Effect"
import { lstat } from "node:fs/promises"
import { accessTarget, type CanonicalAccess, needsUser, type Start } from "../../domain/tools/Access.ts"
import * as Path from "effect/Path"
import { type Decision, decide, ruleOffers } from "../../domain/permissions/Decision.ts"
import { wordText } from "../../domain/commands/CommandText.ts"
import { exactPattern, scopedPattern, type Target, targetPattern } from "../../domain/permissions/TargetPattern.ts"
import { definedFields } from "../../domain/text/DefinedFields.ts"
import { matches } from "../../domain/text/PatternMatch.ts"
import type { Rule } from "../../domain/permissions/Permission.ts"
import { appliesTo, concernsProject, type RememberedRule } from "../../domain/permissions/PolicyFormat.ts"
import { type GateQuestion, changesSomething, toolsWithEffect } from "./GateQuestion.ts"
import { Policies } from "./Policies.ts"
import { folderIdentity } from "../files/FileLook.ts"
import { SkillFiles } from "../files/SkillFiles.ts"
import { Workspace } from "../files/Workspace.ts"
import { isControlPath } from "../../domain/files/SensitivePath.ts"

/** A rule, with its file or flag, if known. */
export interface SourcedRule extends Rule {
  readonly source?: string
  readonly rememberedAt?: string
  /** The only project in which the rule applies. */
  readonly project?: string
}

/** What the user decided before the run. */
export interface GateOptions {
  /** Rules from flags and the configuration. */
  readonly rules?: ReadonlyArray<SourcedRule>
  /** The program's own folders and files, where no tool may write. */
  readonly protectedPaths?: ReadonlyArray<string>
  /** Why a URL can never be fetched, as a clause about the URL. Undefined if it can be fetched. */
  readonly unfetchable?: (url: string) => string | undefined
  /** True if nothing may change, whatever rules or the user allow. */
  readonly readOnly?: boolean
  /** True if each change is approved and made before the checks run. One answer may then also allow repairs. */
  readonly askFirst?: boolean
  /** A sentence for questions about uncertain calls, if other machines also work on the run. */
  readonly uncertainNote?: string | undefined
  /**
   * The start of the run, in milliseconds since 1970; now if absent. Rules do not cover a command whose scripts changed
   * later.
   */
  readonly since?: number
}

/** Facts about the run that rules depend on. */
export interface RunSoFar {
  /** Rules that were added after the run began. */
  readonly addedRules: Effect.Effect<ReadonlyArray<SourcedRule>>
  /** The states of files that this run wrote, by path. */
  readonly written: ReadonlyMap<string, string>
}

/** When a file last changed, in milliseconds. Infinity if this run wrote it, so that it never counts as unchanged. */
export const changedAt = (path: string, { written }: Pick<RunSoFar, "written">): Effect.Effect<number> =>
  Effect.promise(async () =>
    written.has(path) ? Infinity : ((await lstat(path).catch(() => undefined))?.ctimeMs ?? 0)
  )

/** The targets with which the patterns of rules are compared. */
const targetsOf = ({ accesses, pin, tool }: GateQuestion, path: Path.Path, root: string): ReadonlyArray<Target> =>
  accesses.map((access) => {
    const isMove = tool === "move_file" && pin === undefined && access._tag === "WriteFile"
    const target = definedFields({
      canonical: accessTarget(access),
      effects: toolsWithEffect(access),
      part: isMove ? (access.removes === true ? "remove_file" : "write_file") : undefined
    })
    switch (access._tag) {
      case "ReadFile":
      case "WriteFile": {
        const relative = access.inside ? path.relative(root, access.path) : undefined
        const isLoss = access._tag === "WriteFile" && access.loses !== undefined
        const more = { relative, loses: isLoss, ofSkill: access._tag === "ReadFile" && access.ofSkill === true }
        return { ...target, kind: "file", ...definedFields(more) }
      }
      case "RunCommand": {
        const place = { folder: path.relative(root, access.cwd) || ".", sandboxed: access.sandboxed }
        return { ...target, kind: access.sandboxed ? "other" : "start", place }
      }
      case "FetchUrl":
        return { ...target, kind: "other", carries: access.carries !== undefined }
      case "Host":
      case "Other":
        return { ...target, kind: "other" }
      default:
        return { ...target, kind: "start" }
    }
  })

/**
 * Returns the rules that allow a script of the task's skill. They also allow reading the files beside the script,
 * because the script can read them anyway.
 */
const scriptRules = (
  { accesses }: GateQuestion,
  rules: ReadonlyArray<SourcedRule>,
  files: ReadonlySet<string>
): ReadonlyArray<SourcedRule> => {
  const isOwn = accesses.every((access) => access._tag === "ReadFile" && access.ofSkill === true && !needsUser(access))
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

/** Why `--read-only` forbids an access, as a clause about it. */
export const readOnlyReason = "would change something, and this run only reads"

/**
 * A clause that says why an access is protected. Its subject is the access. No rule and no answer can allow a protected
 * access. These accesses are protected:
 * - writes outside the project,
 * - writes to files that control git or this program,
 * - commands without the sandbox, if the user requires the sandbox,
 * - URLs that can never be fetched.
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

const startOf = ({ accesses }: GateQuestion): Start | undefined =>
  accesses.find((access) => access._tag === "LoadPlugin" || access._tag === "StartServer")

/** True for a rule that allows the start of some version of this plugin or server. */
const isAboutStart = ({ pattern = "", tool, verdict }: RememberedRule, wanted: string, { name }: Start): boolean =>
  verdict === "allow" && tool === wanted && pattern.startsWith(`${exactPattern(name)} sha256:`)

/** Why rules that seem to match do not allow the access. */
export interface Lapses {
  /** The scripts that the command runs and that changed after a rule allowed it. Paths are relative to the project. */
  readonly scripts: string
  /** A remembered rule for an earlier version of the tool, plugin or server. */
  readonly rule?: RememberedRule | undefined
}

export const scriptWarning = (scripts: string): ReadonlyArray<string> =>
  scripts === "" ? [] : [`It runs ${scripts}, which changed after a rule allowed the command.`]

/** Makes the policy of a run. Protected paths are made canonical only once, when the run starts. */
export const makePolicy = Effect.fnUntraced(function* (options: GateOptions, soFar: RunSoFar) {
  const policies = yield* Policies
  const workspace = yield* Workspace
  const path = yield* Path.Path
  const { root } = workspace
  const folder = folderIdentity(root)
  const since = options.since ?? (yield* Effect.sync(() => Date.now()))
  const protectedPaths = yield* Effect.forEach(options.protectedPaths ?? [], (given) =>
    Effect.match(workspace.canonical(given), { onFailure: () => given, onSuccess: (found) => found.path })
  )
  const sourced = (rule: RememberedRule): SourcedRule =>
    policies.file === undefined ? rule : { ...rule, source: policies.file }
  const remembered = Effect.map(policies.rules, (rules) => rules.filter((rule) => concernsProject(rule, root, folder)))
  const runRules = Effect.map(soFar.addedRules, (added) => [...(options.rules ?? []), ...added])

  const requestOf = (question: GateQuestion) => {
    const { risk, tool } = question
    return { tool, risk, targets: targetsOf(question, path, root) }
  }
  /** When a rule came into force: at the start of the run, or earlier, at the time when the user saved it. */
  const inForceSince = ({ rememberedAt }: SourcedRule): number =>
    rememberedAt === undefined ? since : Math.min(since, Date.parse(rememberedAt))
  const scriptChanges = ({ accesses }: GateQuestion) => {
    const scripts = accesses.flatMap((access) => (access._tag === "RunCommand" ? (access.scripts ?? []) : []))
    return Effect.forEach(scripts, (script) => Effect.map(changedAt(script.path, soFar), (at) => ({ ...script, at })))
  }

  const evaluate = Effect.fnUntraced(function* (question: GateQuestion): Effect.fn.Return<Decision<SourcedRule>> {
    const applying = (yield* remembered).filter((rule) => appliesTo(rule, question.pin)).map(sourced)
    const rules = [...(yield* runRules), ...applying]
    const changes = yield* scriptChanges(question)
    const losesText = question.accesses.some((access) => access._tag === "WriteFile" && access.loses !== undefined)
    /** For a change that destroys content, the user cannot answer "always", and no remembered rule covers it. */
    const isCurrent = (rule: SourcedRule) =>
      changes.every(({ at }) => at <= inForceSince(rule)) && !(losesText && rule.rememberedAt !== undefined)
    const decision = decide<SourcedRule>(
      rules.filter((rule) => rule.verdict !== "allow" || isCurrent(rule)),
      requestOf(question)
    )
    if (decision.verdict !== "ask" || decision.rules.length > 0) return decision
    const forScripts = scriptRules(question, rules, yield* SkillFiles)
    return forScripts.length === 0 ? decision : { verdict: "allow", rules: forScripts }
  })

  const lapses = Effect.fnUntraced(function* (question: GateQuestion): Effect.fn.Return<Lapses> {
    const kept = yield* remembered
    const request = { ...requestOf(question), risk: "medium" } as const
    const decision = decide<SourcedRule>([...(yield* runRules), ...kept], request)
    const inForce = Math.max(...decision.rules.map(inForceSince))
    const changes = decision.verdict === "allow" ? yield* scriptChanges(question) : []
    const changed = changes.filter(({ at }) => at > inForce).map((one) => path.relative(root, one.path))
    const scripts = changed.join(", ")
    const start = startOf(question)
    if (start !== undefined) return { scripts, rule: kept.findLast((rule) => isAboutStart(rule, question.tool, start)) }
    const lapsed = kept.filter((rule) => rule.pin !== undefined && !appliesTo(rule, question.pin))
    return { scripts, rule: decide(lapsed, request).rules[0] }
  })

  return {
    root,
    /** The identity of the project folder. If another folder takes its path, the identity differs. */
    folder,
    /** A path as the user sees it: relative if it is in the project. */
    nameOf: (given: string): string =>
      given === root || given.startsWith(`${root}${path.sep}`) ? path.relative(root, given) || "." : given,
    /** Why an access of the question is protected. Undefined if the rules decide. */
    protection: (question: GateQuestion): string | undefined => {
      if (options.readOnly === true && changesSomething(question)) return readOnlyReason
      return question.accesses
        .map((access) => protectionOf(access, { ...options, path, root, protectedPaths }))
        .find((reason) => reason !== undefined)
    },
    evaluate,
    lapses,
    /** The advice if nobody can be asked: which rules would allow the call, or that no rule would. */
    remedy: (question: GateQuestion) =>
      Effect.map(lapses(question), (lapsed) => remedyOf(question, lapsed, requestOf(question).targets)),
    /** The rules for this project that the user can choose in the answer to this question. */
    offers: (question: GateQuestion) => ruleOffers(question, requestOf(question).targets),
    remember: policies.remember
  }
})
export type Policy = Effect.Success<ReturnType<typeof makePolicy>>

/** Says, without a full stop, that a remembered rule no longer allows the call. */
const lapsedText = ({ rememberedAt }: RememberedRule, question: GateQuestion): string => {
  const day = rememberedAt === undefined ? "" : ` on ${rememberedAt.slice(0, 10)}`
  return startOf(question) === undefined
    ? `The tool has changed since it was allowed${day}`
    : `It has changed since you trusted it${day}`
}

/** Warnings about rules that no longer apply, as whole sentences. */
export const lapseWarnings = ({ rule, scripts }: Lapses, question: GateQuestion): ReadonlyArray<string> => [
  ...scriptWarning(scripts),
  ...(rule === undefined ? [] : [`${lapsedText(rule, question)}.`])
]

const remedyOf = (
  question: GateQuestion,
  { rule, scripts }: Lapses,
  targets: ReadonlyArray<Target>
): { readonly reason?: string; readonly patterns?: ReadonlyArray<string> } => {
  const { accesses, pin, tool } = question
  const flagFor = (target: string): string => `--allow "${tool}:${exactPattern(target)}"`
  if (scripts !== "") {
    return { reason: `runs ${scripts}, which changed after a rule allowed it. Look at it and start again` }
  }
  for (const access of accesses) {
    if (access._tag !== "FetchUrl" || access.carries === undefined) continue
    const sent = `would send ${JSON.stringify(access.carries)}, which was read in this run`
    return { reason: `${sent}, and nobody can be asked; ${flagFor(access.url)} allows it` }
  }
  if (rule !== undefined && pin === undefined) {
    const flags = accesses.map((access) => flagFor(accessTarget(access))).join(" ")
    return { reason: `needs approval: ${lapsedText(rule, question)}. Use ${flags} when that is right` }
  }
  const patterns = targets.map(targetPattern)
  return patterns.every((pattern, at) => pattern === exactPattern(targets[at]?.canonical ?? "")) ? {} : { patterns }
}
