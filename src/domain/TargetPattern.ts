/**
 * The patterns of permission rules. `*` stands for any run of characters within one path component, `**` for any run
 * across components; as a component of its own, with the slash after it, `**` may also stand for nothing. A backslash
 * takes the next character literally. Everything else is literal, also `?` and brackets. Matching keeps a set of
 * positions and never backtracks: its time is at most the length of the pattern times the length of the text.
 */
import * as Schema from "effect/Schema"

/** What a rule is compared with. */
export const Target = Schema.Struct({
  /** The real absolute path, or the canonical URL. */
  canonical: Schema.String,
  /** The path below the project, for what lies inside it. */
  relative: Schema.optionalKey(Schema.String)
})
export type Target = typeof Target.Type

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

/** Adds a position and all positions that are reached from it without a character. */
const reach = (tokens: ReadonlyArray<Token>, from: number, positions: Set<number>): void => {
  const open = [from]
  while (open.length > 0) {
    const at = open.pop() ?? 0
    if (positions.has(at)) continue
    positions.add(at)
    const token = tokens[at]
    if (token === undefined || token.kind === "literal") continue
    open.push(at + 1)
    if (token.kind === "optional") open.push(token.end)
  }
}

const step = (tokens: ReadonlyArray<Token>, positions: ReadonlySet<number>, unit: string): Set<number> => {
  const next = new Set<number>()
  for (const at of positions) {
    const token = tokens[at]
    if (token?.kind === "literal" && token.unit === unit) reach(tokens, at + 1, next)
    if (token?.kind === "acrossComponents" || (token?.kind === "withinComponent" && unit !== "/")) {
      reach(tokens, at, next)
    }
  }
  return next
}

const matches = (pattern: string, text: string): boolean => {
  const tokens = tokenize(pattern)
  let positions = new Set<number>()
  reach(tokens, 0, positions)
  for (let at = 0; at < text.length && positions.size > 0; at++) positions = step(tokens, positions, text[at] ?? "")
  return positions.has(tokens.length)
}

const isAbsolute = (pattern: string): boolean => /^(?:\/|[a-zA-Z][a-zA-Z0-9+.-]*:\/\/)/.test(pattern)
const isPath = (canonical: string): boolean => canonical.startsWith("/")

/**
 * True when the pattern covers the target. A relative pattern is compared with the path below the project, so it never
 * covers a file outside; an absolute pattern, and any pattern for a URL, is compared with the canonical target.
 */
export const coversTarget = (pattern: string, target: Target): boolean => {
  if (isAbsolute(pattern) || !isPath(target.canonical)) return matches(pattern, target.canonical)
  return target.relative !== undefined && matches(pattern.replace(/^(?:\.\/)+/, ""), target.relative)
}

/** Like `coversTarget`, for rules that restrict: a relative pattern is compared with the canonical target as well. */
export const touchesTarget = (pattern: string, target: Target): boolean =>
  coversTarget(pattern, target) || matches(pattern, target.canonical)

/** The pattern that covers exactly this text. */
export const exactPattern = (text: string): string => text.replace(/[*\\]/g, "\\$&")
