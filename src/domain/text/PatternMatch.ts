/**
 * The language of the patterns in permission rules. `*` stands for any run of characters within one path component,
 * `**` for any run across components; as a component of its own, with the slash after it, `**` may also stand for
 * nothing. A backslash takes the next character literally. Everything else is literal, also `?` and brackets.
 *
 * A pattern becomes a row of steps. The text is read once, with the set of all steps that may come next, so that
 * comparing takes time linear to the text.
 */

/** What one place of a pattern takes from the text. */
type PatternStep =
  | { readonly kind: "character"; readonly character: string }
  /** Any characters, or none: within a path component, or across components. */
  | { readonly kind: "component" | "path" }
  /** Nothing, or whole components: the step after it takes them. */
  | { readonly kind: "optionalFolders" }
  /** Characters up to a slash, and that slash. */
  | { readonly kind: "folders" }

/** A wildcard, or the literal text up to the next one. */
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

/** Adds a step, and those after it that may be next because it may take nothing. */
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

/** Adds what may come next when a step takes this character. */
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

/**
 * True when the pattern stands for the whole text, or, with `boundaries`, for a beginning of it that one of these
 * characters follows.
 */
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
