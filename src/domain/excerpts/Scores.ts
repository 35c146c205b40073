/** All scores and orders by which a text is cut to a budget. Only their order and their ratios matter. */

/** The scores of lines that contain a search term. The score of a quoted string is divided among its lines. */
export const termScores = {
  /** A quoted string, because it usually names a place. */
  literal: 12,
  /** The declaration of a name. */
  declared: 10,
  /** Added for a match inside of another declaration that the task names. */
  inNamed: 5,
  /** Added for lines near a quoted string. */
  aroundLiteral: 8,
  /** A use of a name; lower if more lines use the name. */
  use: 3,
  /** A word of the task; lower if more lines contain it. Added again for a declaration whose name contains the word. */
  word: 1
} as const

/** Factors that reduce a score. */
export const scoreParts = {
  /** A line of a comment, which only explains the code. */
  comment: 0.3,
  /** A term that the prompt contains and the task does not. */
  prompt: 0.5,
  /** A name without backticks, recognised only by its form. */
  form: 0.5,
  /** A test file, because it repeats the names of the code that it tests. */
  testFile: 0.25
} as const

/** The order in which matches of a search are shown: source, other data, tests, prose, and generated files. */
export const fileOrder = ["source", "data", "test", "prose", "written"] as const

/** The order of lines about a failed check, the most informative first. A legend explains the signs of a comparison. */
export const failureOrder = ["assertion", "failing", "place", "comparison", "legend", "other"] as const
