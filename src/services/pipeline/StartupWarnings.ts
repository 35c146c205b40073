/**
 * What should be known before a run starts: rules that name no tool, skills and plugins that are left out, remembered
 * permissions that could not be read. The doors tell it, each in its own way.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { nearest } from "../../domain/text/Nearest.ts"
import { namesOfReferences } from "../permissions/GateQuestion.ts"
import { Policies } from "../permissions/Policies.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** A rule that names no tool. */
export interface IdleRule {
  readonly verdict: "allow" | "deny"
  readonly rule: string
  /** What is wrong, with the nearest tools. */
  readonly what: string
}

const toolOf = (rule: string): string => rule.split(":")[0] ?? rule

/**
 * `mistake` is the first rule of `given` (flags or options) that names no tool: whoever wrote it must know before
 * anything runs. `warnings` are sentences; `all` is the merged configuration.
 */
export const readStartupWarnings = Effect.fn("readStartupWarnings")(function* (
  all: Configuration,
  given: Configuration
) {
  const { problems, tools } = yield* ToolRegistry
  const { notes } = yield* Skills
  const { rejection } = yield* Policies
  const leftOut = problems.map(({ message }) => ` ${message}`).join("")
  const names = [...new Set([...tools.map((tool) => tool.name), ...namesOfReferences])]
  const idleIn = (configuration: Configuration): ReadonlyArray<IdleRule> =>
    (["allow", "deny"] as const).flatMap((verdict) =>
      (configuration[verdict] ?? [])
        .filter((rule) => !names.includes(toolOf(rule)))
        .map((rule) => {
          const what = `there is no tool "${toolOf(rule)}". Nearest: ${nearest(toolOf(rule), names).join(", ")}.`
          return { verdict, rule, what: `${what}${verdict === "allow" ? leftOut : ""}` }
        })
    )
  const warnings: ReadonlyArray<string> = [
    ...notes,
    ...idleIn(all).map(({ rule, what }) => `The configured rule "${rule}" does nothing: ${what}`),
    ...problems.map((problem) => problem.message),
    ...(rejection === undefined ? [] : [rejection.message])
  ]
  const [mistake] = idleIn(given)
  return { warnings, ...(mistake === undefined ? {} : { mistake }) }
})
