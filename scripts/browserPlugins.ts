/**
 * What the bundle of `task-conductor/check` needs to be small and to run in browsers: see rolldown.config.ts.
 */
import { pathToFileURL } from "node:url"
import type { Plugin } from "rolldown"

/** Writes a character as its distance from the one before, which is mostly 1. */
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

/** Packs the table of the named characters of HTML by their values: two thirds of the bytes that a browser would load. */
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

/** What is no part of a slug of GitHub, as classes of Unicode: the table of github-slugger lists the same characters one by one. */
const noPartOfSlug = "/[^\\p{Alphabetic}\\p{Mark}\\p{Nd}\\p{Pc}\\p{Cs}\\- ]/gu"

/** Lets github-slugger leave out characters by their classes: they take 3 kB less than its table. */
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

/** Gives remark-parse a processor that only parses: that of unified also transforms and writes files, for 5 kB. */
export const parseOnly = (): Plugin => ({
  name: "parse-only",
  resolveId: { filter: { id: /^unified$/ }, handler: () => "\0unified" },
  load: { filter: { id: /^\0unified$/ }, handler: () => parsingProcessor }
})

/** Leaves out what modules import late: the functions that do it are not in the bundle, but their chunks would be. */
export const withoutLateImports = (): Plugin => ({
  name: "without-late-imports",
  resolveDynamicImport: (specifier) => ({ id: typeof specifier === "string" ? specifier : "late", external: true })
})
