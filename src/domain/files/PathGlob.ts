/**
 * Narrows paths by a pattern, as a model writes it. Braces are expanded here, because their number must have a bound;
 * the rest is the glob of effect.
 */
import * as Glob from "effect/Glob"

/** More alternatives than anybody writes. */
const maxAlternatives = 64

/** The pattern with each choice of the first braces that hold no others. */
const expandOnce = (glob: string): ReadonlyArray<string> => {
  const braces = /\{([^{}]*)\}/.exec(glob)
  if (braces === null) return [glob]
  const [whole, choices = ""] = braces
  const after = glob.slice(braces.index + whole.length)
  return choices.split(",").map((choice) => glob.slice(0, braces.index) + choice + after)
}

/** `a.{ts,js}` as `a.ts` and `a.js`; what would be too many is taken as it is written. */
const alternatives = (glob: string): ReadonlyArray<string> => {
  for (let expanded = [glob]; expanded.length <= maxAlternatives;) {
    const next = expanded.flatMap(expandOnce)
    if (next.every((one, index) => one === expanded[index])) return next
    expanded = next
  }
  return [glob.replace(/[{}]/g, "\\$&")]
}

/** Brackets stand in names, as in `[slug].tsx`; `**.ts` is meant for every folder. */
const asMeant = (pattern: string): string =>
  pattern.replace(/[[\]]/g, "\\$&").replace(/(?<=^|\/)\*\*(?=[^/*])/g, "**/*")

/**
 * True for paths relative to the project that the pattern covers: `*` stands for anything within a folder, `?` for one
 * character, `**` for folders, braces hold alternatives. A pattern without a slash is compared with the name of the file
 * alone.
 */
export const matchesGlob = (glob: string): ((path: string) => boolean) => {
  const globs = alternatives(glob.replace(/^(?:\.?\/)+/, "")).map((one) =>
    Glob.make(asMeant(one.includes("/") ? one : `**/${one}`), { dot: true })
  )
  return (path) => globs.some((one) => Glob.match(one, path))
}
