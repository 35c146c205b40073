/**
 * Shortens lists for prompts: as many entries as have room, and how many more there are.
 */

export interface ListExcerpt {
  readonly text: string
  /** How many entries are in it, from the first. */
  readonly shown: number
}

/** At most `limit` characters, or those of `rest` alone where that is more. `rest` says how many entries are left out. */
export const listWithin = (
  entries: ReadonlyArray<string>,
  limit: number,
  rest: (count: number) => string
): ListExcerpt => {
  const all = entries.join("\n")
  if (all.length <= limit) return { text: all, shown: entries.length }
  const note = (shown: number): string => rest(entries.length - shown)
  let [shown, taken] = [0, 0]
  for (const entry of entries) {
    const next = taken + entry.length + 1
    if (next + note(shown + 1).length > limit) break
    taken = next
    shown += 1
  }
  return { text: [...entries.slice(0, shown), note(shown)].join("\n"), shown }
}
