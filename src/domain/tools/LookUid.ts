/**
 * The uids of reading calls that a task makes before its other calls. They are made by the program, so that they differ
 * from those of every other call of the task.
 */

/** The uid of a reading call in a pass: `look-1/call-1`. */
export const lookUid = (pass: number, uid: string): string => `look-${pass}/${uid}`

/** A uid without the mark of a look, which a model may have copied. */
export const plainUid = (uid: string): string => uid.replace(/^(?:look-\d+\/)+/, "")
