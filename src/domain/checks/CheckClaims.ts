/**
 * Compares what a report says about checks with their outcomes. It finds a claim such as `The check passed` for a check
 * that failed or proves nothing.
 */
import { cutAt } from "../text/Excerpt.ts"
import { namesOf } from "../text/Format.ts"
import { type CheckOutcome, statusOf } from "./CheckOutcome.ts"

const checks = String.raw`(?:(?:unit|integration|type|existing|other|new) )*(?:tests?|checks?|specs?|suites?|builds?|type ?checks?|typechecks?|lint(?:er|ing)?|compilation)`

/** Claims that a check passed: `all tests pass`, `tests: passing`, `npm test succeeds`, `3 of 3 tests green`. */
const says: ReadonlyArray<RegExp> = [
  new RegExp(
    String.raw`\b${checks}\b[^.!?\n]{0,40}?\b(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|succeeding|successful(?:ly)?|green|ok|clean|compiles?)\b`,
    "i"
  ),
  new RegExp(
    String.raw`\b(?:pass(?:es|ed|ing)?|satisf(?:y|ies|ied)|green on) (?:(?!to\b|into\b|in\b|as\b)\S+ ){0,3}${checks}\b`,
    "i"
  ),
  /\b(?:verified|confirmed|validated|checked) (?:\S+ ){0,4}(?:tests?|checks?)\b/i,
  /✅[^.!?\n]{0,40}\b(?:tests?|checks?|build|lint)\b/i
]

/**
 * Matches sentences that do not claim that a check passed: `the tests should pass`, `does not pass`, `passed before`,
 * `if the tests pass`.
 */
const hedged =
  /\b(?:not|never|should|would|could|might|may|must|will|if|once|until|when|whether|unless|expected? to|to make|so that|in order|cannot|unable|needs? to|except|unverified)\b|n't\b/i
/** Words about an earlier time or a failure. They rule out a claim, unless the sentence contains `now`. */
const elsewhere = /\b(?:before|previously|fail(?:s|ed|ing)?)\b/i

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/^```[\s\S]*?^```/gm, "")
    .split(/(?<=[.!?])\s+|\n+/)
    .map((one) => one.replace(/^[\s>*#-]+/, "").trim())
    .filter((one) => one !== "")

const longestClaim = 160

/**
 * The first sentence that claims a check passed. The sentence may name the check by its command: `` `node check.js`
 * exits with 0 ``.
 */
const claimIn = (report: string, commands: ReadonlyArray<string>): string | undefined =>
  sentencesOf(report).find(
    (sentence) =>
      !hedged.test(sentence) &&
      (!elsewhere.test(sentence) || /\bnow\b/i.test(sentence)) &&
      (says.some((pattern) => pattern.test(sentence)) ||
        (commands.some((command) => sentence.includes(command)) &&
          /\b(?:pass|succe|ok\b|green|works?\b|exit code 0|exits? with 0)/i.test(sentence)))
  )

const stateText = (check: CheckOutcome): string => {
  const { cause, command, newFailures, notRun, stillFails } = check
  if (notRun !== undefined) return `\`${command}\` ${cause === undefined ? "was not run" : "proves nothing"}`
  const still = stillFails === undefined ? "" : " still"
  return `\`${command}\`${still} fails${newFailures.length === 0 ? "" : `: ${namesOf(newFailures)}`}`
}

/**
 * True if the claim can be about this check. A claim about types or building is about a check of types. Any other claim
 * is about another check.
 */
const isAbout = (claim: string, { command }: CheckOutcome): boolean => {
  const ofTypes = /\btypes?\b|typecheck|\btsc\b|compil|\bbuild/i
  return ofTypes.test(claim) === ofTypes.test(command)
}

/**
 * The first claim of a report that checks passed, with the fact that contradicts it. Undefined if no fact contradicts
 * the claim, or if the claim may be true of one check. `ranByModel` is true if the model ran a command that passed,
 * perhaps one that the program cannot run.
 */
export const falseClaim = (
  report: string,
  outcomes: ReadonlyArray<CheckOutcome>,
  ranByModel = false
): { readonly claim: string; readonly fact: string } | undefined => {
  const claim = claimIn(
    report,
    outcomes.map(({ command }) => command)
  )
  if (claim === undefined) return undefined
  const isAll = /\b(?:all|every|everything|both)\b/i.test(claim)
  const named = outcomes.filter(({ command }) => claim.includes(command))
  const similar = outcomes.filter((check) => isAbout(claim, check))
  const meant = [named, isAll ? outcomes : similar, outcomes].find((some) => some.length > 0) ?? []
  const against = meant.filter((check) => {
    const status = statusOf(check)
    return status === "failed" || (!ranByModel && (status === "not checked" || status === "not run"))
  })
  const isTrueOfSome = named.length === 0 && !isAll && against.length < meant.length
  if (against.length === 0 || isTrueOfSome) return undefined
  return { claim: cutAt(claim, longestClaim), fact: against.map(stateText).join(", ") }
}
