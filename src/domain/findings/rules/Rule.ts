/**
 * What a rule is: one record per code, in a file of its own. The records type the codes that checks can use
 * (domain/findings/IssueCode), are tested by their examples (test/domain/rules) and are printed under docs/reference/rules.
 */
import type { ExampleKind } from "./RuleExample.ts"

/** The folder of the record and the page it is printed on. */
export type RuleFamily =
  | "surroundings"
  | "structure"
  | "fields"
  | "names"
  | "references"
  | "refinements"
  | "inputs"
  | "tool-calls"
  | "skills"
  | "approvals"
  | "answers"
  | "skill-files"
  | "skill-format"
  | "templates"

/** An issue rejects the text and is fed back to whoever wrote it; a repair is noted, and the text is accepted. */
export type RuleTier = "issue" | "repair"

/** Every issue is an error. A repair is a warning when something may be lost or unwanted, and otherwise a note. */
export type RuleSeverity = "error" | "warning" | "note"

export interface Rule<Code extends string = string, Tier extends RuleTier = RuleTier> {
  /** Kebab-case, never changed once it is released. The file has the same name in PascalCase. */
  readonly code: Code
  readonly family: RuleFamily
  readonly tier: Tier
  readonly severity: RuleSeverity
  /** A few words without a full stop. */
  readonly title: string
  /** One sentence. */
  readonly why: string
  /** What mends it in general; the message of a finding says what mends this one. One sentence. */
  readonly fix: string
  /** What the examples are, and how they are read. */
  readonly kind: ExampleKind
  /** A smallest text in which exactly this rule finds something. */
  readonly before: string
  /** The same, mended: nothing is found in it. */
  readonly after: string
  /** Codes that cannot be avoided in `before`. */
  readonly alongside?: ReadonlyArray<string>
}

/** Keeps the code and the tier of a record in its type. */
export const defineRule = <const Code extends string, const Tier extends RuleTier>(
  rule: Rule<Code, Tier>
): Rule<Code, Tier> => rule

/** An example of several lines. */
export const lines = (...all: ReadonlyArray<string>): string => all.join("\n")
