/**
 * What a person is told about a journal that a crash cut off in the middle of a record.
 */

/** What became of a record that a crash left behind. */
export const tornNote =
  "The last record of the journal is incomplete. It was moved to a file beside the journal, and its work is repeated."
