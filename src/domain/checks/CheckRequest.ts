/** Tells whether a prompt or a plan wants a check to pass. If so, an old failure of the check is part of the work. */

const checked = String.raw`(?:(?:unit|integration|type|lint|failing|broken|red|test|compile|build|compiler) )*(?:tests?|checks?|specs?|suites?|builds?|lint(?:er|ing)?|typechecks?|ci|pipeline|compilation|(?:test|type|lint|build|compile|compiler) (?:errors?|failures?))`

/** The text between a check's name and a word such as "passes": at most 60 characters of one sentence. */
const near = String.raw`[^.!?\n]{0,60}?`

/** Words between a verb and a check's name: `all of these`, `the two remaining`, `` `npm test` ``. */
const articles =
  '(?:(?:the|a|an|all|any|every|each|this|that|these|those|my|our|its|both|of|remaining|existing|other|last|first|two|three|\\d+|`[^`\\n]+`|"[^"\\n]+"|[\\w./-]+\\.\\w+) )*'

const wishes: ReadonlyArray<RegExp> = [
  new RegExp(String.raw`\b(?:fix|repair|mend|correct|resolve|solve|unbreak|green) ${articles}${checked}\b`, "i"),
  new RegExp(
    String.raw`\b${checked}\b${near}\b(?:pass(?:es|ing)?|succeeds?|green|(?:works?|runs?|compiles?|builds?) again|clean|without (?:errors?|failures?)|exits? with (?:code )?0)\b`,
    "i"
  ),
  new RegExp(String.raw`\b(?:pass(?:es|ing)?|satisf(?:y|ies)|green) ${articles}${checked}\b`, "i"),
  new RegExp(
    String.raw`\b${checked} (?:(?!that|which|should|must|if|when|may|can)\S+ ){0,3}?(?:fails?|failing|broken|red|broke|breaks)\b`,
    "i"
  )
]

/**
 * Matches requests that exclude the repair of a check: `the failing tests stay as they are`, `ignore failing tests`.
 */
const leftAlone =
  /\b(?:do not|don't|never|without (?:touching|changing|fixing|breaking)|leave|ignore|skip|not (?:to )?(?:fix|touch|repair))\b[^.!?\n]{0,60}\b(?:tests?|checks?|specs?|errors?|builds?|lint)\b|\b(?:tests?|checks?|errors?)\b[^.!?\n]{0,40}\b(?:stays?|remains?|may fail|known|unrelated|as (?:it is|they are))\b/i

/** A question about a check, such as `whether the checks pass`. It wants a report, not a repair. */
const checkQuestion = new RegExp(
  String.raw`\b(?:whether|(?:say|tell me|report|note|show|see) if) ${articles}${checked}\b[^.,;!?\n]*`,
  "gi"
)

const sentencesOf = (text: string): ReadonlyArray<string> => text.split(/(?<=[.!?])\s+|\n/)

/**
 * True if the request contains the last part of a test's name. A short part without blank, underscore or inner capital
 * letter never counts, because it may be a common word.
 */
const isNamed = (request: string, failure: string): boolean => {
  const part = failure.split(/ > | › |::|\//).at(-1) ?? failure
  const name = part.replace(/[()[\]'"`]/g, "").trim()
  return (/\s|_|[a-z][A-Z]/.test(name) || name.length >= 12) && request.toLowerCase().includes(name.toLowerCase())
}

/** True if the request wants this check or one of its failing tests to pass. */
export const asksToPass = (
  request: string,
  { command, failures }: { readonly command: string; readonly failures: ReadonlyArray<string> }
): boolean => {
  if (failures.some((failure) => isNamed(request, failure))) return true
  const sentences = sentencesOf(request.replaceAll(checkQuestion, "")).filter((sentence) => !leftAlone.test(sentence))
  const lowerCommand = command.toLowerCase()
  return sentences.some(
    (sentence) =>
      wishes.some((wish) => wish.test(sentence)) ||
      (sentence.toLowerCase().includes(lowerCommand) && /\b(?:pass|succeed|green|work|fail|ok|exit)/i.test(sentence))
  )
}

/** Verbs that ask for a change, except in questions. */
const changes =
  /\b(?:add|apply|build|change|clean|convert|correct|create|delete|disable|drop|edit|enable|ensure|extend|extract|fix|format|generate|implement|improve|increase|insert|install|introduce|lower|make|mend|merge|migrate|modify|move|optimi[sz]e|patch|port|raise|refactor|reduce|remove|rename|repair|replace|resolve|revert|rewrite|set|simplify|solve|split|support|switch|translate|turn|update|upgrade|use|write)\b/i

const asks =
  /^\s*(?:what|where|which|who|whose|why|how|when|is|are|was|were|does|do|did|has|have|explain|describe|list|show|find|search|summari[sz]e|tell|count|name|compare|review|analy[sz]e|look)\b/i

const isQuestion = (sentence: string): boolean =>
  asks.test(sentence) || (sentence.trim().endsWith("?") && !/^\s*(?:can|could|would|will|please)\b/i.test(sentence))

/**
 * True if a prompt asks for a change. A prompt with a question does so only if another sentence has a verb of change.
 */
export const asksForChange = (prompt: string): boolean => {
  const sentences = sentencesOf(prompt)
  const others = sentences.filter((sentence) => !isQuestion(sentence))
  return others.length === sentences.length || others.some((sentence) => changes.test(sentence))
}
