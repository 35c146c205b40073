/**
 * Bundles the program, so that users install `effect` and nothing else. The library shares the `effect` that is installed, with
 * plugins and with the programs of users. The command line is bundled once more together with `effect`, which halves its start;
 * its values must not meet those of another copy, so bin/task-conductor.cjs starts it only for lines that load no plugin.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import type { Plugin, RolldownOptions } from "rolldown"
import { packCharacterTable, parseOnly, slugsByClass, withoutLateImports } from "./scripts/browserPlugins.ts"

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const readManifest = (folder: string): Manifest => {
  const file = join(folder, "package.json")
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Manifest) : {}
}

/** The folder of the package that a module belongs to; nothing for modules of our own. */
const packageOf = (id: string): string | undefined => {
  if (!id.includes("node_modules")) return undefined
  let folder = dirname(id)
  while (readManifest(folder).version === undefined) folder = dirname(folder)
  return folder
}

/** The text of a licence: a file of its own, or else what the page of the package has under this heading. */
const licenceText = (folder: string): string => {
  const files = readdirSync(folder)
  const read = (pattern: RegExp): string => {
    const file = files.find((name) => pattern.test(name))
    return file === undefined ? "" : readFileSync(join(folder, file), "utf8")
  }
  return read(/^licen[cs]e/i) || (/^#+ licen[cs]e\s([^]*?)(?:^#|$(?![^]))/im.exec(read(/^readme/i))?.[1] ?? "")
}

const licenceOf = (folder: string): string => {
  const { license, name, version } = readManifest(folder)
  const text = licenceText(folder).trim()
  return `${name} ${version} (${license})\n\n${text}`.trim()
}

/** Writes the licences of all bundled packages beside the bundle. */
const licences = (): Plugin => ({
  name: "licences",
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []))
    const folders = new Set(modules.map(packageOf).filter((folder) => folder !== undefined))
    const source = [...folders]
      .map(licenceOf)
      .sort()
      .join(`\n\n${"-".repeat(80)}\n\n`)
    this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: `${source}\n` })
  }
})

/** Keeps the code of other packages out of source maps: their places say nothing to readers of ours, and double the size. */
const withoutForeignMaps = (): Plugin => ({
  name: "without-foreign-maps",
  transform: { filter: { id: /[\\/]node_modules[\\/]/ }, handler: (code) => ({ code, map: { mappings: "" } }) }
})

/** The parts of the kit for plugins, by topic. */
const kitTopics = readdirSync(join(import.meta.dirname, "src/kit")).map((name) => basename(name, ".ts"))

/** What users import, by the names of the modules. */
export const entryPoints: Readonly<Record<string, string>> = {
  index: "src/index.ts",
  check: "src/check.ts",
  effect: "src/effect.ts",
  "plugin-kit": "src/plugin-kit.ts",
  testing: "src/testing.ts",
  ...Object.fromEntries(kitTopics.map((topic) => [`kit/${topic}`, `src/kit/${topic}.ts`]))
}

/** The check of documents also runs in browsers, and is a bundle of its own. */
const { check = "", ...libraryEntries } = entryPoints

const main = { main: "src/main.ts" }

/** What is started by its address: see src/services/files/PackageFolder.ts. */
const startedModules = {
  HtmlWorker: "src/plugins/web/HtmlWorker.ts",
  NetworkForwarder: "src/services/commands/NetworkForwarder.ts",
  ProbedImport: "src/services/plugins/ProbedImport.ts"
}

/** The package in the tree of sources, which is built into a folder of its own. */
export const clusterPackage = join(import.meta.dirname, "src/plugins/cluster")

/** What tells builds of one version apart: see src/app/build.ts. */
const sourcesHash = (): string => {
  const hash = createHash("sha256")
  for (const folder of ["src", "prompts", "skills"]) {
    const files = readdirSync(join(import.meta.dirname, folder), { recursive: true, withFileTypes: true })
    const built = join(clusterPackage, "dist/")
    const paths = files
      .flatMap((file) => (file.isFile() ? [join(file.parentPath, file.name)] : []))
      .filter((path) => !path.startsWith(built))
    for (const path of paths.toSorted()) hash.update(readFileSync(path))
  }
  return hash.digest("hex").slice(0, 8)
}

/** Leaves the kit to the program: a package shares its modules. */
const shareKit = (): Plugin => ({
  name: "share-kit",
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith(".")) return null
    const path = relative(join(import.meta.dirname, "src"), resolve(dirname(importer), source))
    const name = path === "plugin-kit.ts" ? "plugin" : /^kit\/(\w+)\.ts$/.exec(path)?.[0].replace(/\.ts$/, "")
    return name === undefined ? null : { id: `task-conductor/${name}`, external: true }
  }
})

/** A bundle in a folder of its own below dist. */
export const bundle = (name: string, input: Record<string, string>, external: Array<RegExp> = []) => ({
  cwd: import.meta.dirname,
  input,
  external,
  platform: "node" as const,
  /* What some packages have beside their modules loads its parts by paths that a bundle does not have. */
  resolve: { mainFields: ["module", "main"] },
  /* Our modules only define things: of the kit for plugins, a feature loads what it names. */
  treeshake: { moduleSideEffects: (id: string) => !id.startsWith(join(import.meta.dirname, "src")) },
  transform: { define: { sourcesHash: JSON.stringify(sourcesHash()) } },
  /* What is imported late by some is imported at once by others; how long plugins take says most about the machine. */
  checks: { ineffectiveDynamicImport: false, pluginTimings: false },
  plugins: [withoutForeignMaps(), licences()],
  output: {
    dir: `dist/${name}`,
    format: "esm" as const,
    minify: { mangle: false },
    /* Beside the bundles, by the paths of the repository; the package has no sources. */
    sourcemap: true,
    sourcemapExcludeSources: true
  }
})

/** Node quotes the line of an error that nobody catches: programs of users see one line of code, not all of it. */
const withLines = { mangle: false, codegen: { removeWhitespace: false } }

/** Says what an older Node lacks: its first error would be about a function that it does not have. */
const needsNode =
  "if (!Map.groupBy) throw new Error(`task-conductor needs Node 22.19 or newer, this is Node ${process.versions.node}. Get one from https://nodejs.org.`)"

/** What is installed with the package stays out of its bundle. */
const ofPackage = bundle(
  "",
  { scripts: "src/plugins/cluster/scripts.ts", index: "src/plugins/cluster/index.ts" },
  ["effect", ...Object.keys(readManifest(clusterPackage).dependencies ?? {})].map(
    (name) => new RegExp(`^${name}(?:/|$)`)
  )
)
const packageBundle = {
  ...ofPackage,
  plugins: [shareKit(), ...ofPackage.plugins],
  output: { ...ofPackage.output, dir: join(clusterPackage, "dist"), minify: withLines }
}

/** Only the check of skills needs a reader of YAML; a bundler leaves this part out of programs that do not check any. */
const ofSkills = /[\\/](?:node_modules[\\/]yaml|src[\\/]domain[\\/]skills|src[\\/]plugins[\\/]check-tools[\\/]Skill)/

/**
 * Checking runs anywhere: in browsers, workers and editors, without Node and without installed packages. Schemas that nothing
 * reads are left out: making one has no effect.
 */
const ofCheck = bundle("check", { check }, [/^node:/])
const checkBundle = {
  ...ofCheck,
  platform: "neutral" as const,
  preserveEntrySignatures: "allow-extension" as const,
  treeshake: {
    moduleSideEffects: false,
    propertyReadSideEffects: false as const,
    manualPureFunctions: ["Schema"]
  },
  plugins: [packCharacterTable(), slugsByClass(), parseOnly(), withoutLateImports(), ...ofCheck.plugins],
  output: {
    ...ofCheck.output,
    minify: true,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: "skills", test: ofSkills },
        { name: "documents", test: (id: string) => !ofSkills.test(id) && !id.endsWith(check) }
      ]
    }
  }
}

const library = bundle("library", { ...libraryEntries, ...main, ...startedModules }, [/^effect(?:\/|$)/])

export default [
  checkBundle,
  { ...library, output: { ...library.output, minify: withLines, banner: needsNode } },
  bundle("cli", main),
  packageBundle
] satisfies Array<RolldownOptions>
