/**
 * Commands in manifests that are JSON: package.json, composer.json, deno.json.
 */
import { parse } from "jsonc-parser"
import * as Result from "effect/Result"
import { folderOf, isCommandName, type Manifest, nameOf, type ProjectCommand } from "./ProjectCommand.ts"

/** The fields of an object; none of anything else. */
const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [])

/** The fields of a JSON text, as far as it can be read. */
export const jsonFields = (text: string): ReadonlyMap<string, unknown> => {
  /* Nearly all of them are strict JSON, which Node reads in a fraction of the time. */
  const value = Result.try((): unknown => JSON.parse(text)).pipe(
    Result.orElse(() => Result.try((): unknown => parse(text, [], { allowTrailingComma: true })))
  )
  return fieldsOf(Result.isSuccess(value) ? value.success : undefined)
}

/** A script is a text, a list of texts, or an object that holds one. */
const bodyOf = (script: unknown): string | undefined => {
  if (typeof script === "string") return script
  if (Array.isArray(script)) return script.filter((part) => typeof part === "string").join(" && ")
  const command = fieldsOf(script).get("command")
  return typeof command === "string" ? command : undefined
}

const scriptsIn = (
  { path, text }: Manifest,
  field: string,
  run: (name: string) => string,
  isWanted: (name: string, all: ReadonlyMap<string, unknown>) => boolean = () => true
): ReadonlyArray<ProjectCommand> => {
  const scripts = fieldsOf(jsonFields(text).get(field))
  return [...scripts].flatMap(([name, script]) => {
    const does = bodyOf(script)
    if (does === undefined || !isCommandName(name) || !isWanted(name, scripts)) return []
    return [{ run: run(name), does, from: path }]
  })
}

/** Scripts that a package manager runs by itself. */
const automatic = /^(?:pre|post)?(?:install|pack|prepare|publish|publishOnly|version|dependencies|uninstall)$/

const isOwnScript = (name: string, all: ReadonlyMap<string, unknown>): boolean =>
  !automatic.test(name) && !all.has(name.replace(/^(?:pre|post)/, "")) === /^(?:pre|post)/.test(name)

const lockFiles: ReadonlyArray<readonly [file: string, manager: string]> = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"]
]

/** The package manager that the lock file beside the manifest, or at the top, belongs to; else npm. */
const managerOf = ({ files, path, text }: Manifest): string => {
  const named = jsonFields(text).get("packageManager")
  const declared = typeof named === "string" ? /^(npm|pnpm|yarn|bun)@/.exec(named)?.[1] : undefined
  const folders = [folderOf(path), ""]
  const locked = folders.flatMap((folder) => lockFiles.filter(([file]) => files.has(`${folder}${file}`)))
  return declared ?? locked[0]?.[1] ?? "npm"
}

const packageScripts = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  const manager = managerOf(manifest)
  const run = (name: string) => (name === "test" && manager !== "bun" ? `${manager} test` : `${manager} run ${name}`)
  return scriptsIn(manifest, "scripts", run, isOwnScript)
}

/** The commands of a JSON manifest, in its order. */
export const jsonScripts = (manifest: Manifest): ReadonlyArray<ProjectCommand> => {
  switch (nameOf(manifest.path)) {
    case "package.json":
      return packageScripts(manifest)
    case "composer.json":
      return scriptsIn(
        manifest,
        "scripts",
        (name) => `composer run ${name}`,
        (name) => !/^(?:pre|post)-/.test(name)
      )
    case "deno.json":
    case "deno.jsonc":
      return scriptsIn(manifest, "tasks", (name) => `deno task ${name}`)
    default:
      return []
  }
}

/** Paths that a package.json names as what is loaded or run first, relative to it, as they are written. */
export const packageEntries = (text: string): ReadonlyArray<string> => {
  const fields = jsonFields(text)
  const leaves = (value: unknown, depth: number): ReadonlyArray<string> =>
    typeof value === "string"
      ? [value]
      : depth === 0
        ? []
        : [...fieldsOf(value).values()].slice(0, 20).flatMap((one) => leaves(one, depth - 1))
  const written = ["bin", "main", "module", "exports"].flatMap((name) => leaves(fields.get(name), 4))
  return [...new Set(written.map((path) => path.replace(/^\.\//, "")))]
}
