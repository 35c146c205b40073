/**
 * Defines a rule: what all findings with one code share. Each check adds the place and the problem. Every rule has an
 * example below test/fixtures/rules.
 */

/** An issue is an error. A repair is a warning if it may lose or add something unwanted, and otherwise a note. */
export type Severity = "error" | "warning" | "note"

export interface RuleFacts<S extends Severity = Severity> {
  readonly severity: S
  /** A few words without a full stop. */
  readonly title: string
  /** The reason for the rule, in one sentence. */
  readonly why: string
  /** The remedy, in whole sentences. An issue shows this remedy unless the check states a more exact one. */
  readonly fix: string
  /** Advice for users if a model repeatedly breaks the rule. */
  readonly help?: string | undefined
  /** For a repair: the URL of a page that shows the deviation, or the page that promises the repair (Sources.ts). */
  readonly source?: string | undefined
}

/** A rule with its family and its code, which is in kebab-case and never changes after its release. */
export interface FindingRule extends RuleFacts {
  readonly code: string
  readonly family: string
}

/** The rules about one subject. `rules` contains them by code, in the order of the documentation. */
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
