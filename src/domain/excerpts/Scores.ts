/**
 * All scores and orders that decide how a text is cut to a budget. Only the order and the ratios of the scores matter.
 */

/**
 * The scores of lines that contain a search term. The score of a quoted string is divided among the lines that contain
 * it.
 */
export const termScores = {
  /** A quoted string. Its score is high because it usually names a place. */
  literal: 12,
  /** The line that declares a searched name. */
  declared: 10,
  /** Added for a declaration inside another declaration, if the task also names that other declaration. */
  inNamed: 5,
  /** Added for the declaration of a name if a quoted string is inside the declaration. */
  aroundLiteral: 8,
  /** A use of a name. The more lines use the name, the lower the score. */
  use: 3,
  /**
   * A word of the task. The more lines contain the word, the lower the score. A declaration whose name contains the
   * word gets a second score for it.
   */
  word: 1
} as const

/** Factors that reduce a score. */
export const scoreParts = {
  /** A line of a comment, which only explains the code. */
  comment: 0.3,
  /** A term that occurs in the prompt of the user but not in the task. */
  prompt: 0.5,
  /** A name that is not in backticks, and is recognised only by its form. */
  form: 0.5,
  /** A match in a test file, because a test repeats the names of the code that it tests. */
  testFile: 0.25
} as const

/** The order in which matches of a search are shown, by kind of file. `written` stands for generated files. */
export const fileOrder = ["source", "data", "test", "prose", "written"] as const

/** The order of lines about a failed check, the most informative first. A legend explains the signs of a comparison. */
export const failureOrder = ["assertion", "failing", "place", "comparison", "legend", "other"] as const
