/**
 * The warnings before a run starts: about rules for unknown tools, about skills and plugins that failed to load, and
 * about remembered permissions that cannot be read.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { type Configuration, partsOfPlugin } from "../../domain/configuration/Configuration.ts"
import { ruleText } from "../../domain/permissions/Permission.ts"
import { concernsProject } from "../../domain/permissions/PolicyFormat.ts"
import { RuleWithoutTool } from "../../domain/permissions/RuleWithoutTool.ts"
import { nearest, nearestOrAll } from "../../domain/text/Nearest.ts"
import { namesOfReferences } from "../permissions/GateQuestion.ts"
import type { SourcedRule } from "../permissions/Policy.ts"
import { folderIdentity } from "../files/FileLook.ts"
import { Policies } from "../permissions/Policies.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

const toolOf = (rule: string): string => rule.split(":")[0] ?? rule

/**
 * The warnings of a run about rules and plugins, as sentences. `overrides` come from flags or options.
 *
 * Fails in three cases:
 *
 * - A plugin of `overrides` or of a script cannot be loaded.
 * - A rule of `overrides` names an unknown tool.
 * - A deny rule names an unknown tool, no plugin was skipped, and the rule is in the project or its name looks
 *   misspelt. Such a rule would protect nothing.
 *
 * Any other rule with an unknown tool usually causes a warning, because the tool may belong to another project or to a
 * skipped plugin.
 */
export const readStartupWarnings = Effect.fn("readStartupWarnings")(function* (
  rules: ReadonlyArray<SourcedRule>,
  overrides: Configuration,
  project: string
) {
  const { problems, tools } = yield* ToolRegistry
  const { notes } = yield* Skills
  const policies = yield* Policies
  const { rejection } = policies
  const named = new Set((overrides.plugins ?? []).map((plugin) => partsOfPlugin(plugin).text))
  const unusable = problems.find(
    (problem) =>
      "plugin" in problem &&
      (problem.isUsed !== true || problem.code === "Skills") &&
      (problem.isValue === true || named.has(problem.plugin) || ("named" in problem && named.has(problem.named ?? "")))
  )
  if (unusable !== undefined) return yield* unusable
  const leftOut = problems.map(({ message }) => ` ${message}`).join("")
  const names = [...new Set([...tools.map((tool) => tool.name), ...namesOfReferences])]
  const idle = (verdict: "allow" | "deny", rule: string, source?: string): RuleWithoutTool => {
    const what = `there is no tool "${toolOf(rule)}". Use one of: ${nearestOrAll(toolOf(rule), names).join(", ")}.`
    return new RuleWithoutTool({
      verdict,
      rule,
      what: `${what}${verdict === "allow" ? leftOut : ""}`,
      ...(source === undefined ? {} : { source })
    })
  }
  const mistakes = (["allow", "deny"] as const).flatMap((verdict) =>
    (overrides[verdict] ?? [])
      .filter((rule) => !names.includes(toolOf(rule)))
      .map((rule): RuleWithoutTool => idle(verdict, rule))
  )
  const remembered = (yield* policies.rules)
    .filter((rule) => rule.pin === undefined && concernsProject(rule, project, folderIdentity(project)))
    .map((rule): SourcedRule => Object.assign({}, rule, policies.file === undefined ? {} : { source: policies.file }))
  const unknown = [...rules, ...remembered].filter(
    (rule) =>
      rule.verdict !== "ask" && !names.includes(rule.tool) && !mistakes.some((one) => one.rule === ruleText(rule))
  )
  const protectsNothing = ({ source = "", tool, verdict }: SourcedRule): boolean =>
    verdict === "deny" &&
    problems.length === 0 &&
    (source.startsWith(`${project}${path.sep}`) || nearest(tool, names).length > 0)
  const denied = unknown.filter(protectsNothing)
  const all = [...mistakes, ...denied.map((rule) => idle("deny", ruleText(rule), rule.source))]
  const [mistake, ...more] = all
  if (mistake !== undefined) {
    const { rule, source, verdict, what } = mistake
    return yield* new RuleWithoutTool({
      rule,
      verdict,
      what,
      ...(source === undefined ? {} : { source }),
      ...(more.length === 0 ? {} : { others: more })
    })
  }
  return [
    ...notes,
    ...unknown.map((rule) => {
      const { message } = idle(rule.verdict === "deny" ? "deny" : "allow", ruleText(rule))
      return message.replace("The rule", "The configured rule")
    }),
    ...problems.map((problem) => problem.message),
    ...(rejection === undefined ? [] : [rejection.message])
  ] satisfies ReadonlyArray<string>
})
