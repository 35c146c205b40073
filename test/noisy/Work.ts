/**
 * The work of a noisy run: a generated project of long files, a request that needs six tasks (three searches, one
 * reading, two edits), and what has to be true afterwards.
 */
import type { Random } from "../mutations/Damage.ts"

export interface Work {
  readonly files: Readonly<Record<string, string>>
  readonly prompt: string
  /** The files as they must be at the end, all of them. */
  readonly expected: Readonly<Record<string, string>>
  /** True for an answer that holds what was asked for and claims what was to be done. */
  readonly isAnswered: (answer: string) => boolean
}

const entry = (name: string, index: number): ReadonlyArray<string> => [
  `/** Entry ${index} of ${name}. */`,
  `export const ${name}Entry${index} = (given: number): number => {`,
  `  const step = ${index} * 7`,
  "  return given + step",
  "}",
  ""
]

/** A source file of this many lines with one declaration and one use of it among many that look alike. */
const sourceOf = (name: string, declaration: string, lines: number, random: Random): ReadonlyArray<string> => {
  const entries = Array.from({ length: Math.ceil(lines / 6) }, (_, index) => entry(name, index))
  const property = declaration.split(":")[0] ?? ""
  const options = [`export const ${name}Options = {`, `  ${name}Retries: 3,`, `  ${declaration},`, "}", ""]
  const use = [`export const ${name}Doubled = (): number => ${name}Options.${property} * 2`, ""]
  const at = Math.floor(random() * entries.length)
  return [...entries.slice(0, at), options, use, ...entries.slice(at)].flat().slice(0, Math.max(lines, at * 6 + 7))
}

const says = (answer: string, name: string, value: number): boolean =>
  new RegExp(`${name}\\b[^\\n]*\\b${value}\\b`).test(answer)

/** Work with values of its own for each sequence of numbers. */
export const makeWork = (lines: number, random: Random): Work => {
  const number = (): number => 100 + Math.floor(random() * 9000)
  const before = { alphaLimit: number(), betaLimit: number(), gammaDelay: number() }
  const after = { alphaLimit: before.alphaLimit + 11, betaLimit: before.betaLimit + 13 }
  const sources = {
    "src/alpha.ts": sourceOf("alpha", `alphaLimit: ${before.alphaLimit}`, lines, random).join("\n"),
    "src/beta.ts": sourceOf("beta", `betaLimit: ${before.betaLimit}`, lines, random).join("\n"),
    "src/gamma.ts": sourceOf("gamma", `gammaDelay: ${before.gammaDelay}`, lines, random).join("\n")
  }
  const changed = (text: string, key: keyof typeof after): string =>
    text.replace(`  ${key}: ${before[key]},`, `  ${key}: ${after[key]},`)
  return {
    files: sources,
    prompt: `Set \`alphaLimit\` in src/alpha.ts to ${after.alphaLimit}. Set \`betaLimit\` in src/beta.ts to ${after.betaLimit}. Tell the value of \`gammaDelay\` in src/gamma.ts.`,
    expected: {
      ...sources,
      "src/alpha.ts": changed(sources["src/alpha.ts"], "alphaLimit"),
      "src/beta.ts": changed(sources["src/beta.ts"], "betaLimit")
    },
    isAnswered: (answer) =>
      says(answer, "gammaDelay", before.gammaDelay) &&
      says(answer, "alphaLimit", after.alphaLimit) &&
      says(answer, "betaLimit", after.betaLimit)
  }
}
