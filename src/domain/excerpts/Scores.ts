/**
 * What a line counts for where a text is cut to a budget: the table of all scores and orders. Only the order and distance of scores matter.
 */

/** Lines that hold what a task looks for. The score of a text is divided by the places that it has. */
export const termScores = {
  /** A quoted string is a place that the task means. */
  literal: 12,
  /** A declaration of a name, */
  declared: 10,
  /** in another one that the task names, */
  inNamed: 5,
  /** and around a quoted string. */
  aroundLiteral: 8,
  /** A use of a name, less the more lines use it. */
  use: 3,
  /** A word of the task, less the more lines hold it; the same once more for a declaration whose name has it. */
  word: 1
} as const

/** By how much a score counts less. */
export const scoreParts = {
  /** In a comment, which explains the code but is not it. */
  comment: 0.3,
  /** What only the prompt names, and not the task. */
  prompt: 0.5,
  /** A name by its form alone, without backticks. */
  form: 0.5,
  /** A file of tests, which repeats the names of what it tests. */
  testFile: 0.25
} as const

/** The order in which the matches of a search are shown: source, other data, tests, text for people, and what tools write. */
export const fileOrder = ["source", "data", "test", "prose", "written"] as const

/** The order of lines about a failed check, those that say most first. A legend says what the signs of a comparison mean. */
export const failureOrder = ["assertion", "failing", "place", "comparison", "legend", "other"] as const
