/**
 * The warnings before a run starts: rules that name no tool, skills and plugins that are left out, and remembered
 * permissions that could not be read.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { RuleWithoutTool } from "../../domain/permissions/RuleWithoutTool.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { namesOfReferences } from "../permissions/GateQuestion.ts"
import { Policies } from "../permissions/Policies.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

const toolOf = (rule: string): string => rule.split(":")[0] ?? rule

/**
 * The warnings about a run with this configuration, as sentences. Fails for the plugins of `overrides` (flags or options) that
 * cannot be loaded, and for its rules that name no tool, since their author must know before anything runs.
 */
export const readStartupWarnings = Effect.fn("readStartupWarnings")(function* (
  all: Configuration,
  overrides: Configuration
) {
  const { problems, tools } = yield* ToolRegistry
  const { notes } = yield* Skills
  const { rejection } = yield* Policies
  const named = new Set(overrides.plugins)
  const unusable = problems.find((problem) => "plugin" in problem && named.has(problem.plugin))
  if (unusable !== undefined) return yield* unusable
  const leftOut = problems.map(({ message }) => ` ${message}`).join("")
  const names = [...new Set([...tools.map((tool) => tool.name), ...namesOfReferences])]
  const idleIn = (configuration: Configuration): ReadonlyArray<RuleWithoutTool> =>
    (["allow", "deny"] as const).flatMap((verdict) =>
      (configuration[verdict] ?? [])
        .filter((rule) => !names.includes(toolOf(rule)))
        .map((rule) => {
          const what = `there is no tool "${toolOf(rule)}". Use one of: ${nearestOrAll(toolOf(rule), names).join(", ")}.`
          return new RuleWithoutTool({ verdict, rule, what: `${what}${verdict === "allow" ? leftOut : ""}` })
        })
    )
  const [mistake, ...others] = idleIn(overrides)
  if (mistake !== undefined) {
    const { rule, verdict, what } = mistake
    return yield* new RuleWithoutTool({ rule, verdict, what, ...(others.length === 0 ? {} : { others }) })
  }
  const warnings: ReadonlyArray<string> = [
    ...notes,
    ...idleIn(all).map(({ rule, what }) => `The configured rule "${rule}" does nothing: ${what}`),
    ...problems.map((problem) => problem.message),
    ...(rejection === undefined ? [] : [rejection.message])
  ]
  return warnings
})
