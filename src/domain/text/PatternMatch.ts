/**
 * Matches the patterns of permission rules. `*` matches any characters within a path component. `**` matches any
 * characters, also across components. If `**` is a whole component, it and the slash after it match any number of
 * folders, also none. A backslash makes the next character literal. All other characters are literal, including `?` and
 * brackets.
 *
 * A pattern is compiled to a list of steps. The matcher reads the text once, and remembers the set of steps that may
 * match next. The time is therefore linear in the length of the text.
 */
/** One step of a pattern. It matches a part of the text. */
type PatternStep =
  | { readonly kind: "character"; readonly character: string }
  /** Matches any characters or none: within a path component, or also across components. */
  | { readonly kind: "component" | "path" }
  /**
   * Precedes a step `folders`, and matches no text itself. The step `folders` may then match any number of folders, or
   * be skipped.
   */
  | { readonly kind: "optionalFolders" }
  /** Matches characters up to a slash, and the slash itself. */
  | { readonly kind: "folders" }

/** A wildcard, or the literal text up to the next wildcard. */
const part = /(?<=^|\/)\*\*\/|\*\*?|(?:\\.|[^*])+/gsu

const wildcards: ReadonlyMap<string, ReadonlyArray<PatternStep>> = new Map([
  ["**/", [{ kind: "optionalFolders" }, { kind: "folders" }]],
  ["**", [{ kind: "path" }]],
  ["*", [{ kind: "component" }]]
])

const literalSteps = (text: string): ReadonlyArray<PatternStep> =>
  Array.from(text.replace(/\\(.)/gsu, "$1"), (character) => ({ kind: "character", character }))

const stepsOf = (pattern: string): ReadonlyArray<PatternStep> =>
  (pattern.match(part) ?? []).flatMap((text) => wildcards.get(text) ?? literalSteps(text))

/** Adds a step that may match next. If this step may match the empty text, also adds the step after it. */
const enter = (steps: ReadonlyArray<PatternStep>, first: number, next: Set<number>): void => {
  let index = first
  while (!next.has(index)) {
    next.add(index)
    const kind = steps[index]?.kind
    if (kind === "optionalFolders") next.add(index + 1)
    else if (kind !== "component" && kind !== "path") return
    index += kind === "optionalFolders" ? 2 : 1
  }
}

/** If the step at `index` matches the character, adds to `next` the steps that may match the next character. */
const take = (steps: ReadonlyArray<PatternStep>, index: number, character: string, next: Set<number>): void => {
  const step = steps[index]
  switch (step?.kind) {
    case "character":
      if (step.character === character) enter(steps, index + 1, next)
      return
    case "component":
      if (character !== "/") enter(steps, index, next)
      return
    case "path":
      return enter(steps, index, next)
    case "folders":
      enter(steps, index, next)
      if (character === "/") enter(steps, index + 1, next)
  }
}

/** True if the pattern matches the whole text, or a beginning of it that ends before a character of `boundaries`. */
export const matches = (pattern: string, text: string, boundaries = ""): boolean => {
  const steps = stepsOf(pattern)
  let current = new Set<number>()
  enter(steps, 0, current)
  for (const character of text) {
    if (current.has(steps.length) && boundaries.includes(character)) return true
    const next = new Set<number>()
    for (const index of current) take(steps, index, character, next)
    if (next.size === 0) return false
    current = next
  }
  return current.has(steps.length)
}
