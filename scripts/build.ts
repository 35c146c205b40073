/**
 * Builds the published packages: bundles of rolldown.config.ts and type declarations into `dist`, and the same for
 * task-conductor-cluster into its own `dist`.
 */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "rolldown"
import { configurationJsonSchema } from "../src/domain/configuration/Configuration.ts"
import bundles, { clusterPackage, entryPoints } from "../rolldown.config.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** The text between the quotes of `from "..."` and `import("...")`; examples in comments import what they like. */
const importsOf = (declaration: string): ReadonlyArray<string> =>
  [...declaration.replaceAll(/^\s*\/?\*.*$/gm, "").matchAll(/(?<!")\b(?:from|import\()\s*"([^"]+)"/g)].map(
    ([, specifier = ""]) => specifier
  )

/** The declaration file of a relative import; compilers keep the extension of the source. */
const targetOf = (file: string, specifier: string): string =>
  resolve(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts"))

const isInstalled = (specifier: string): boolean => /^(?:effect|task-conductor)(?:\/|$)/.test(specifier)

/**
 * The declarations reachable from the entry points. They may import nothing but `effect`, since users install nothing
 * else; other imports fail the build.
 */
const publicTypes = (folder: string, entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const reached = new Set(entries.map((entry) => resolve(folder, `${entry}.d.ts`)))
  const unresolved: Array<string> = []
  for (const file of reached) {
    for (const specifier of importsOf(readFileSync(file, "utf8"))) {
      const target = specifier.startsWith(".") ? targetOf(file, specifier) : undefined
      if (target === undefined ? isInstalled(specifier) : existsSync(target)) {
        if (target !== undefined) reached.add(target)
      } else unresolved.push(`${file}: ${specifier}`)
    }
  }
  if (unresolved.length > 0) {
    throw new Error(`These imports of published declarations do not resolve for users:\n${unresolved.join("\n")}`)
  }
  return reached
}

/** Deletes declarations that the entry points do not reach. */
export const keepPublicTypes = (folder: string, entries: ReadonlyArray<string>): void => {
  const reached = publicTypes(folder, entries)
  const written = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => resolve(folder, name))
  for (const path of written) if (path.endsWith(".d.ts") && !reached.has(path)) rmSync(path)
  /* A folder precedes its contents, so go backwards. */
  for (const path of written.toReversed()) {
    if (!path.endsWith(".d.ts") && readdirSync(path).length === 0) rmSync(path, { recursive: true })
  }
}

/** The texts of the settings by their names: those of a configuration, of its limits, and of sampling. */
const settingTexts = () => {
  interface Described {
    readonly description?: string
    readonly properties?: Readonly<Record<string, Described>>
  }
  const textsOf = ({ properties = {} }: Described): ReadonlyMap<string, string> =>
    new Map(Object.entries(properties).map(([name, { description = "" }]) => [name, description]))
  const configuration = configurationJsonSchema() as Described
  const textsBelow = (name: string) => textsOf(configuration.properties?.[name] ?? {})
  return { settings: textsOf(configuration), limits: textsBelow("limits"), sampling: textsBelow("sampling") }
}

const settingFiles = ["configuration/Configuration", "configuration/Limits", "models/Generation"]

/**
 * Writes the texts of settings, which their schemas hold, into the declarations as what editors show. Names of limits and of sampling
 * are theirs alone; those of settings are the ones in the first level.
 */
export const documentSettings = (types: string): void => {
  const { limits, sampling, settings } = settingTexts()
  for (const name of settingFiles) {
    const file = join(types, "domain", `${name}.d.ts`)
    const documented = readFileSync(file, "utf8").replaceAll(
      /(?<!\*\/\n)^( +)readonly (\$?\w+)\??: /gm,
      (line, indent: string, key: string) => {
        const text = limits.get(key) ?? sampling.get(key) ?? (indent.length === 4 ? settings.get(key) : undefined)
        return text === undefined || text === "" ? line : `${indent}/** ${text.replaceAll("*/", "*")} */\n${line}`
      }
    )
    writeFileSync(file, documented)
  }
}

/** Completes the package: declarations, with the kit of the program, and the licence. */
const completePackage = (types: string): void => {
  const dist = join(clusterPackage, "dist")
  const own = join(types, "plugins/cluster")
  for (const name of readdirSync(own)) {
    const text = readFileSync(join(own, name), "utf8")
    writeFileSync(
      join(own, name),
      text
        .replaceAll(/"\.\.\/\.\.\/(kit\/\w+)\.ts"/g, '"task-conductor/$1"')
        .replaceAll('"../../plugin-kit.ts"', '"task-conductor/plugin"')
        .replaceAll('"../../index.ts"', '"task-conductor"')
    )
  }
  for (const file of publicTypes(types, ["plugins/cluster/scripts"])) {
    cpSync(file, join(dist, "types", relative(types, file)))
  }
  cpSync(join(root, "LICENSE"), join(dist, "LICENSE"))
}

if (import.meta.main) {
  const dist = join(root, "dist")
  for (const folder of [dist, join(clusterPackage, "dist")]) rmSync(folder, { recursive: true, force: true })
  execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" })
  const types = join(dist, "types")
  documentSettings(types)
  completePackage(types)
  keepPublicTypes(types, Object.keys(entryPoints))
  await build(bundles)
}
