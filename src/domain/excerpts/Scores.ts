/**
 * The scores and orders that decide which parts of a text are kept when it is cut to a budget. Only the order and the
 * ratios of the scores matter, not their values.
 */

/** Scores of lines with a search term. Lines with the same quoted string share its score. */
export const termScores = {
  /** A quoted string, which usually names a place. */
  literal: 12,
  /** The line that declares a searched name. */
  declared: 10,
  /** Added for a declaration inside another declaration, if the task names both. */
  inNamed: 5,
  /** Added to the score of a name's declaration if the declaration contains a quoted string of the task. */
  aroundLiteral: 8,
  /** A use of a name. The more lines use the name, the lower the score. */
  use: 3,
  /**
   * A word of the task. The more lines contain the word, the lower the score. A declaration with the word in its name
   * gets a second score.
   */
  word: 1
} as const

/** Factors that reduce a score. */
export const scoreParts = {
  /** A comment only explains the code. */
  comment: 0.3,
  /** A term from the user's prompt that is not in the task. */
  prompt: 0.5,
  /** A name without backticks, recognised by its form. */
  form: 0.5
} as const

/** The order of search matches by kind of file. `written` are generated files. */
export const fileOrder = ["source", "data", "test", "prose", "written"] as const

/** The order of lines about a failed check, the most informative first. A legend explains a comparison's signs. */
export const failureOrder = ["assertion", "failing", "place", "comparison", "legend", "other"] as const
