/**
 * Rules with the place where somebody wrote them, so that a person who asks why can be told. Made by the composition
 * root, kept by the gate.
 */
import * as Result from "effect/Result"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import type { Rule } from "../../domain/permissions/Permission.ts"
import { parseRule } from "../../domain/permissions/RuleText.ts"

/** A rule with the file or flag that it was written in, where that is known. */
export interface SourcedRule extends Rule {
  readonly source?: string
}

/** The rules that a configuration holds; `source` is its file, or what stands for it. Its texts have been checked. */
export const sourcedRules = (
  { allow = [], deny = [] }: Pick<Configuration, "allow" | "deny">,
  source: string
): ReadonlyArray<SourcedRule> => {
  const read = (verdict: "allow" | "deny") => (text: string) =>
    Result.match(parseRule(verdict, text), {
      onSuccess: (rule): ReadonlyArray<SourcedRule> => [{ ...rule, source }],
      onFailure: () => []
    })
  return [...allow.flatMap(read("allow")), ...deny.flatMap(read("deny"))]
}
