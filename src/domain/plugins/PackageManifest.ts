/**
 * The part of a package.json that says what a package is and which file `import` of its name gives. Node has no function
 * that answers this for a folder: its own resolution starts from names.
 */
import * as Schema from "effect/Schema"

/** What is read of a package.json; everything else in it is of no interest here. */
export const PackageManifest = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  version: Schema.optionalKey(Schema.String),
  main: Schema.optionalKey(Schema.String),
  exports: Schema.optionalKey(Schema.Json)
})
export type PackageManifest = typeof PackageManifest.Type

/** The conditions that hold for `import` in Node. */
const conditions: ReadonlySet<string> = new Set(["node", "import", "module-sync", "node-addons", "default"])

const isRecord = (value: unknown): value is Readonly<Record<string, Schema.Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The first target whose conditions all hold, as Node chooses it; null closes the package. */
const targetOf = (exported: Schema.Json | undefined): string | null | undefined => {
  if (typeof exported === "string" || exported === null) return exported
  if (Array.isArray(exported)) return exported.map(targetOf).find((target) => typeof target === "string")
  if (!isRecord(exported)) return undefined
  for (const [condition, target] of Object.entries(exported)) {
    const found = conditions.has(condition) ? targetOf(target) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const withoutExports = (main: string): ReadonlyArray<string> => [main, `${main}.js`, `${main}/index.js`]

/** The files, relative to the package, of which the first that exists is the entry; empty when `exports` closes it. */
export const entryCandidates = ({ exports, main }: PackageManifest): ReadonlyArray<string> => {
  if (exports === undefined || exports === null)
    return main === undefined ? ["index.js"] : [...withoutExports(main), "index.js"]
  const hasSubpaths = isRecord(exports) && Object.keys(exports).some((key) => key.startsWith("."))
  const target = targetOf(hasSubpaths ? exports["."] : exports)
  return typeof target === "string" ? [target] : []
}
