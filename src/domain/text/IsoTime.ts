/**
 * Times as text. Much happens in the same millisecond, so the last text is kept.
 */

let last = { ms: Number.NaN, text: "" }

/** A time in milliseconds as ISO 8601, in UTC. */
export const isoTime = (ms: number): string => {
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() }
  return last.text
}
