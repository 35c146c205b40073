/**
 * Texts as JSON. The system part of a prompt is long and the same in the calls of many tasks, so that its JSON is made once.
 */

/** A run has few system parts at a time. */
const mostKept = 8

const kept = new Map<string, string>()

/** The JSON of a text that is asked for again soon. */
export const quotedText = (text: string): string => {
  const known = kept.get(text)
  if (known !== undefined) return known
  const quoted = JSON.stringify(text)
  kept.set(text, quoted)
  const [oldest] = kept.keys()
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest)
  return quoted
}
