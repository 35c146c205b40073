/**
 * Narrows paths by a pattern, as a model writes it. The stars are those of permission rules (domain/text/PatternMatch), so no
 * pattern takes more than linear time.
 */
import { matches } from "../text/PatternMatch.ts"

/** More alternatives than anybody writes. */
const maxAlternatives = 64

/** `a.{ts,js}` as `a.ts` and `a.js`; braces are not nested, and what would be too many is taken as it is written. */
const alternatives = (glob: string): ReadonlyArray<string> => {
  let expanded: ReadonlyArray<string> = [""]
  for (const part of glob.split(/(\{[^{}]*\})/)) {
    const choices = /^\{.*\}$/.test(part) ? part.slice(1, -1).split(",") : [part]
    if (expanded.length * choices.length > maxAlternatives) return [glob]
    expanded = expanded.flatMap((before) => choices.map((choice) => before + choice))
  }
  return expanded
}

/**
 * True for paths relative to the project that the pattern covers: `*` stands for anything within a folder, `**` for
 * folders too, braces hold alternatives. A pattern without a slash is compared with the name of the file alone.
 */
export const matchesGlob = (glob: string): ((path: string) => boolean) => {
  const written = glob.replace(/^(?:\.?\/)+/, "")
  const patterns = alternatives(written).map((one) => (one.includes("/") ? one : `**/${one}`))
  return (path) => patterns.some((pattern) => matches(pattern, path))
}
