/**
 * Bundler plugins that make `task-conductor/check` small and fit for browsers: see rolldown.config.ts.
 */
import { pathToFileURL } from "node:url"
import type { Plugin } from "rolldown"

/** Encodes each character as its distance from the previous one, which is mostly 1. */
const packedRows = (names: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  let last = 0
  return [...names.entries()]
    .map(([value, own]) => ({ codes: Array.from(value, (character) => character.codePointAt(0) ?? 0), own }))
    .toSorted((one, other) => (one.codes[0] ?? 0) - (other.codes[0] ?? 0))
    .map(({ codes: [first = 0, ...rest], own }) => {
      const step = first - last === 1 ? "" : (first - last).toString(36)
      last = first
      return [[step, ...rest.map((code) => code.toString(36))].join("_"), ...own.toSorted()].join(" ")
    })
}

const unpacking = `
export const characterEntities = {}
let last = 0
for (const row of packed.split(";")) {
  const [codes, ...names] = row.split(" ")
  const [step, ...rest] = codes.split("_")
  last += step === "" ? 1 : parseInt(step, 36)
  const value = String.fromCodePoint(last, ...rest.map((code) => parseInt(code, 36)))
  for (const name of names) characterEntities[name] = value
}
`

/** Packs HTML's table of named characters by value, which saves two thirds of its size. */
export const packCharacterTable = (): Plugin => ({
  name: "pack-character-table",
  transform: {
    filter: { id: /[\\/]character-entities[\\/]index\.js$/ },
    handler: async (_, id) => {
      const { characterEntities } = (await import(pathToFileURL(id).href)) as {
        readonly characterEntities: Readonly<Record<string, string>>
      }
      const names = new Map<string, Array<string>>()
      for (const [name, value] of Object.entries(characterEntities)) {
        names.set(value, [...(names.get(value) ?? []), name])
      }
      const packed = JSON.stringify(packedRows(names).join(";"))
      return { code: `const packed = ${packed}${unpacking}`, map: { mappings: "" } }
    }
  }
})

/** Characters that GitHub drops from slugs, as Unicode classes; github-slugger lists each of them. */
const noPartOfSlug = "/[^\\p{Alphabetic}\\p{Mark}\\p{Nd}\\p{Pc}\\p{Cs}\\- ]/gu"

/** Replaces github-slugger's table by Unicode classes, which saves 3 kB. */
export const slugsByClass = (): Plugin => ({
  name: "slugs-by-class",
  transform: {
    filter: { id: /[\\/]github-slugger[\\/]regex\.js$/ },
    handler: () => ({ code: `export const regex = ${noPartOfSlug}`, map: { mappings: "" } })
  }
})

const parsingProcessor = `
export const unified = () => {
  const values = {}
  const processor = {
    data: (key, value) => (value === undefined ? values[key] : ((values[key] = value), processor)),
    use: (plugin) => (plugin.call(processor), processor),
    parse: (text) => processor.parser(text)
  }
  return processor
}
`

/** Replaces unified's processor by one that only parses, which saves 5 kB. */
export const parseOnly = (): Plugin => ({
  name: "parse-only",
  resolveId: { filter: { id: /^unified$/ }, handler: () => "\0unified" },
  load: { filter: { id: /^\0unified$/ }, handler: () => parsingProcessor }
})

/** Drops dynamic imports: the functions that use them are not in the bundle, but their chunks would be. */
export const withoutLateImports = (): Plugin => ({
  name: "without-late-imports",
  resolveDynamicImport: (specifier) => ({ id: typeof specifier === "string" ? specifier : "late", external: true })
})
