/**
 * What a rule is: the facts about one code that are the same wherever it is reported. Checks add the place and what is
 * wrong there. The example of every rule is a fixture under test/fixtures/rules.
 */

/** Every issue is an error. A repair is a warning when something may be lost or unwanted, and otherwise a note. */
export type Severity = "error" | "warning" | "note"

interface RuleFacts {
  /** An error when absent. */
  readonly severity?: Exclude<Severity, "error">
  /** A few words without a full stop. */
  readonly title: string
  /** Why there is such a rule: one sentence. */
  readonly why: string
  /** What to do, in whole sentences. An issue says it unless the check names a remedy for this very place. */
  readonly fix: string
  /** What the person who follows a run can do when the model does not get it right. */
  readonly help?: string
}

/** A rule with its code, which is kebab-case and never changed once it is released, and its family. */
export interface Rule extends Omit<RuleFacts, "severity"> {
  readonly severity: Severity
  readonly code: string
  readonly family: string
}

type Severities = Readonly<Record<string, Severity>>

/** Rules about one subject by code, in the order of their page; `S` keeps their severities in the type. */
export interface RuleFamily<S extends Severities = Severities> {
  /** The file name of the page. */
  readonly family: string
  readonly title: string
  readonly about: string
  readonly rules: { readonly [Code in keyof S]: RuleFacts }
}

export const defineFamily = <const R extends Readonly<Record<string, RuleFacts>>>(
  family: Omit<RuleFamily, "rules"> & { readonly rules: R }
): RuleFamily<{
  readonly [Code in keyof R & string]: R[Code] extends { readonly severity: infer S extends Severity } ? S : "error"
}> => family
