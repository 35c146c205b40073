/**
 * The language of the patterns in permission rules. `*` stands for any run of characters within one path component,
 * `**` for any run across components; as a component of its own, with the slash after it, `**` may also stand for
 * nothing. A backslash takes the next character literally. Everything else is literal, also `?` and brackets. Matching
 * keeps a set of positions and never backtracks: its time is at most the length of the pattern times the length of the
 * text. Called by domain/permissions/TargetPattern.
 */

type Token =
  | { readonly kind: "literal"; readonly unit: string }
  | { readonly kind: "withinComponent" }
  | { readonly kind: "acrossComponents" }
  /** The tokens up to `end` may be left out. */
  | { readonly kind: "optional"; readonly end: number }

const tokenize = (pattern: string): ReadonlyArray<Token> => {
  const tokens: Array<Token> = []
  let at = 0
  while (at < pattern.length) {
    const startsComponent = at === 0 || pattern[at - 1] === "/"
    if (startsComponent && pattern.startsWith("**/", at)) {
      tokens.push({ kind: "optional", end: tokens.length + 3 }, { kind: "acrossComponents" })
      tokens.push({ kind: "literal", unit: "/" })
      at += 3
    } else if (pattern.startsWith("**", at)) {
      tokens.push({ kind: "acrossComponents" })
      at += 2
    } else if (pattern[at] === "*") {
      tokens.push({ kind: "withinComponent" })
      at += 1
    } else {
      if (pattern[at] === "\\" && at + 1 < pattern.length) at += 1
      tokens.push({ kind: "literal", unit: pattern[at] ?? "" })
      at += 1
    }
  }
  return tokens
}

/** The positions in a pattern that the text read so far can have led to. */
type Positions = Uint8Array

/** Marks a position and all that are reached from it without a character; those lie behind it. */
const reach = (tokens: ReadonlyArray<Token>, from: number, positions: Positions): void => {
  for (let at = from; positions[at] !== 1; at++) {
    positions[at] = 1
    const token = tokens[at]
    if (token === undefined || token.kind === "literal") return
    if (token.kind === "optional") reach(tokens, token.end, positions)
  }
}

/** Moves all positions over one character; false when none is left. */
const step = (tokens: ReadonlyArray<Token>, positions: Positions, next: Positions, unit: string): boolean => {
  let isAlive = false
  for (let at = 0; at < tokens.length; at++) {
    if (positions[at] !== 1) continue
    const token = tokens[at]
    if (token?.kind === "literal" && token.unit === unit) {
      reach(tokens, at + 1, next)
      isAlive = true
    }
    if (token?.kind === "acrossComponents" || (token?.kind === "withinComponent" && unit !== "/")) {
      reach(tokens, at, next)
      isAlive = true
    }
  }
  return isAlive
}

/** A pattern that is ready to be compared. */
interface Compiled {
  readonly tokens: ReadonlyArray<Token>
  /** The longest run of characters that every matching text holds; most texts are told apart by it. */
  readonly needed: string
}

const longestLiteral = (tokens: ReadonlyArray<Token>): string => {
  let longest = ""
  let run = ""
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (token?.kind === "literal") {
      run += token.unit
      if (run.length > longest.length) longest = run
    } else {
      run = ""
      if (token?.kind === "optional") at = token.end - 1
    }
  }
  return longest
}

/** A run judges many calls by the same few rules. */
const compiled = new Map<string, Compiled>()
const maxCompiled = 10_000

const compile = (pattern: string): Compiled => {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const tokens = tokenize(pattern)
  const made = { tokens, needed: longestLiteral(tokens) }
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(pattern, made)
  return made
}

/**
 * True when the pattern stands for the whole text, or, with `boundaries`, for a beginning of it that one of these
 * characters follows.
 */
export const matches = (pattern: string, text: string, boundaries = ""): boolean => {
  const { needed, tokens } = compile(pattern)
  if (!text.includes(needed)) return false
  let positions: Positions = new Uint8Array(tokens.length + 1)
  let next: Positions = new Uint8Array(tokens.length + 1)
  reach(tokens, 0, positions)
  for (let at = 0; at < text.length; at++) {
    const unit = text[at] ?? ""
    if (positions[tokens.length] === 1 && boundaries.includes(unit)) return true
    if (!step(tokens, positions, next, unit)) return false
    ;[positions, next] = [next, positions]
    next.fill(0)
  }
  return positions[tokens.length] === 1
}
