/**
 * What a rule is: the facts about one code that are the same wherever it is reported. Checks add the place and what is
 * wrong there. The example of every rule is a fixture under test/fixtures/rules.
 */

/** Every issue is an error. A repair is a warning when something may be lost or unwanted, and otherwise a note. */
export type Severity = "error" | "warning" | "note"

export interface RuleFacts<S extends Severity = Severity> {
  readonly severity: S
  /** A few words without a full stop. */
  readonly title: string
  /** Why there is such a rule: one sentence. */
  readonly why: string
  /** What to do, in whole sentences. An issue says it unless the check names a remedy for this very place. */
  readonly fix: string
  /** What the person who follows a run can do when the model does not get it right. */
  readonly help?: string | undefined
  /** Of a repair: where the deviation was seen, or which page promises that it is repaired (Sources.ts). */
  readonly source?: string | undefined
}

/** A rule with its code, which is kebab-case and never changed once it is released, and its family. */
export interface FindingRule extends RuleFacts {
  readonly code: string
  readonly family: string
}

/** Rules about one subject by code, in the order of their page. */
export interface RuleFamily<R = Readonly<Record<string, RuleFacts>>> {
  /** The file name of the page. */
  readonly family: string
  readonly title: string
  readonly about: string
  readonly rules: R
}

export const error = (title: string, why: string, fix: string, help?: string): RuleFacts<"error"> => ({
  severity: "error",
  title,
  why,
  fix,
  help
})

const repair =
  <S extends Severity>(severity: S) =>
  (title: string, why: string, fix: string, source: string): RuleFacts<S> => ({ severity, title, why, fix, source })

export const warning = repair("warning")
export const note = repair("note")

export const family = <const R>(family: string, title: string, about: string, rules: R): RuleFamily<R> => ({
  family,
  title,
  about,
  rules
})
