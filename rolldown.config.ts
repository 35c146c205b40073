/**
 * Bundles the program, so that users install `effect` and nothing else. The library and the command line share the `effect`
 * that is installed, with plugins and with the programs of users. What has to start fast is bundled once more together with
 * `effect`; its values must not meet those of another copy: the shim starts that command line only for words that load no
 * plugin, and `task-conductor/check` hands out plain data.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { CodeSplittingGroup, Plugin, PluginContext, RolldownOptions } from "rolldown"
import { commandStarts, libraryStarts, quickStarts, startGroups } from "./scripts/startGroups.ts"

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string
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

const licenceOf = (folder: string): string => {
  const { license, name, version } = readManifest(folder)
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim()
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

type ImportDeclaration = Extract<
  ReturnType<PluginContext["parse"]>["body"][number],
  { readonly type: "ImportDeclaration" }
>

/** `import { a as b } from "node:x"` without the module of exports that Node makes for it. */
const builtInText = ({ source, specifiers }: ImportDeclaration): string => {
  const from = `process.getBuiltinModule(${JSON.stringify(source.value)})`
  const named = specifiers.flatMap((one) => {
    if (one.type !== "ImportSpecifier") return []
    const { imported } = one
    return `${imported.type === "Identifier" ? imported.name : JSON.stringify(imported.value)}: ${one.local.name}`
  })
  const whole = specifiers.flatMap(({ local, type }) => (type === "ImportSpecifier" ? [] : [`${local.name} = ${from}`]))
  const all = [...whole, ...(named.length === 0 ? [] : [`{ ${named.join(", ")} } = ${from}`])]
  return all.length === 0 ? "" : `const ${all.join(", ")};`
}

/**
 * Takes the modules of Node as they are. An import of one reads all that it exports, and with that loads what Node itself
 * leaves until it is used: for `node:http` alone that takes longer than the start of the process.
 */
const builtIns = (): Plugin => ({
  name: "built-ins",
  renderChunk(code) {
    const imports = this.parse(code).body.filter((one) => one.type === "ImportDeclaration")
    return imports
      .filter(({ source }) => source.value.startsWith("node:"))
      .reduceRight((text, one) => text.slice(0, one.start) + builtInText(one) + text.slice(one.end), code)
  }
})

/** Functions and classes of Node in modules that take long to load, and that many commands and runs never call. */
const lateFunctions: Readonly<Record<string, string>> = {
  "node:child_process": "execFile fork spawn",
  "node:https": "Agent request",
  "node:readline": "createInterface emitKeypressEvents",
  "node:zlib": "crc32 createBrotliDecompress createGunzip createInflate",
  "node:crypto":
    "createCipheriv createDecipheriv createHash createHmac createSecretKey getCiphers hash pbkdf2Sync randomBytes randomUUID timingSafeEqual"
}

/** Loads those modules when the first of their functions is called. */
const lateBuiltIns = (): Plugin => ({
  name: "late-built-ins",
  /* What looks at which functions there are gets the module itself. */
  resolveId: (id, importer = "") =>
    id in lateFunctions && !importer.endsWith("NodeCrypto.js") ? `\0${id}` : undefined,
  load(id) {
    const name = id.slice(1)
    const functions = id.startsWith("\0") ? lateFunctions[name] : undefined
    if (functions === undefined) return
    const calls = functions.split(" ").map((one) => {
      const made = /^[A-Z]/.test(one) ? `new (own().${one})` : `own().${one}`
      return `export function ${one}(...given) { return ${made}(...given) }`
    })
    return [`let loaded`, `const own = () => (loaded ??= process.getBuiltinModule("${name}"))`, ...calls].join("\n")
  }
})

const segmenter = /new Intl\.Segmenter\(undefined, \{\s*granularity: "grapheme"\s*\}\)/

/**
 * Effect makes a segmenter to align help texts as soon as its command line is loaded, for which Node reads the data of all
 * languages. Characters of ASCII are segments as they are, and other texts come to the segmenter when they are aligned.
 */
const lateSegmenter = (): Plugin => ({
  name: "late-segmenter",
  transform: {
    filter: { id: /effect\/dist\/cli\/CliOutput\.js$/ },
    handler(code) {
      if (!segmenter.test(code)) throw new Error("CliOutput of effect makes no segmenter any more: remove this plugin.")
      return code.replace(
        segmenter,
        (made) => `{
          segment: (text) =>
            /^[ -~]*$/.test(text) ? Array.from(text, (segment) => ({ segment })) : ${made}.segment(text)
        }`
      )
    }
  }
})

const headersTest = /headers instanceof Headers\b/

/**
 * The ollama package gets a `fetch` from us, and plain objects as headers. It comes with a `fetch` for old browsers all the same,
 * and asks whether headers are of the class of Node's own `fetch`, which Node loads when somebody names it.
 */
const ollamaWithoutFetch = (): Plugin => ({
  name: "ollama-without-fetch",
  resolveId: (id) => (id === "whatwg-fetch" ? `\0${id}` : undefined),
  load: (id) => (id === "\0whatwg-fetch" ? "" : undefined),
  transform: {
    filter: { id: /ollama\/dist\/browser\.mjs$/ },
    handler(code) {
      if (!headersTest.test(code))
        throw new Error("The ollama package asks for no Headers any more: remove this plugin.")
      return code.replace(headersTest, 'headers?.[Symbol.toStringTag] === "Headers"')
    }
  }
})

/** What commands load when they are carried out, other than a check of texts. */
const work = /\/(?:\w+Handler|welcome|mcpTools|McpToolServer)\.ts$/

/** Leaves the work of commands out of a bundle that is started for help and checks of texts only. */
const withoutWork = (): Plugin => ({
  name: "without-work",
  resolveDynamicImport: (specifier) =>
    typeof specifier === "string" && work.test(specifier) ? "\0without-work" : undefined,
  load: (id) => (id === "\0without-work" ? 'throw new Error("this start has no work of commands")' : undefined)
})

/**
 * Writes what is not ASCII as escapes. V8 keeps a text of ASCII in half the memory, and Node reads it without decoding it; one
 * other character in a file decides for all of it.
 */
const asciiText = (): Plugin => ({
  name: "ascii-text",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue
      if (/(?<!\\)(?:\\\\)*\\[^\0-\x7f]|\braw`[^`]*[^\0-\x7f]/.test(chunk.code)) {
        throw new Error(`${chunk.fileName} has a character that an escape would change.`)
      }
      chunk.code = chunk.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    }
  }
})

/** What users import, by the names of the modules. */
export const entryPoints = {
  index: "src/index.ts",
  check: "src/check.ts",
  cluster: "src/cluster.ts",
  "plugin-kit": "src/plugin-kit.ts",
  testing: "src/testing.ts"
}

/** What is started by its address: see src/services/files/PackageFolder.ts. */
const startedModules = {
  main: "src/main.ts",
  HtmlWorker: "src/services/web/HtmlWorker.ts",
  ProbedImport: "src/services/plugins/ProbedImport.ts"
}

interface BundleParts {
  readonly external?: ReadonlyArray<RegExp>
  readonly groups?: ReadonlyArray<CodeSplittingGroup>
  readonly plugins?: ReadonlyArray<Plugin>
}

/** A bundle in a folder of its own, two levels below the package as the sources are: paths to its files hold. */
const bundle = (
  name: string,
  input: Readonly<Record<string, string>>,
  { external = [], groups = [], plugins = [] }: BundleParts = {}
) => ({
  name,
  ...({
    input: { ...input },
    external: [...external],
    platform: "node",
    /* What some packages have beside their modules loads its parts by paths that a bundle does not have. */
    resolve: { mainFields: ["module", "main"] },
    onLog(level, log, report) {
      /* A part of the library that is loaded late may be needed at once by the command line. */
      if (log.code === "INEFFECTIVE_DYNAMIC_IMPORT") return
      report(level === "warn" ? "error" : level, log)
    },
    /* How long plugins take says more about the machine than about them. */
    checks: { pluginTimings: false },
    plugins: [...plugins, licences(), lateBuiltIns(), lateSegmenter(), ollamaWithoutFetch(), builtIns(), asciiText()],
    output: {
      dir: `dist/${name}`,
      format: "esm",
      minify: { mangle: false },
      ...(groups.length === 0 ? {} : { codeSplitting: { groups: [...groups] } })
    }
  } satisfies RolldownOptions)
})

const library = startGroups(libraryStarts)
const initial = { name: "main", tags: ["$initial"] } satisfies CodeSplittingGroup
const commands = startGroups(commandStarts, [initial])
const quick = startGroups(quickStarts, [initial])

export default [
  bundle(
    "library",
    { ...entryPoints, ...startedModules },
    { external: [/^effect(?:\/|$)/], groups: library.groups, plugins: [library.graph] }
  ),
  bundle("cli-bundle", { main: "src/main.ts" }, { groups: commands.groups, plugins: [commands.graph] }),
  bundle("quick-bundle", { main: "src/main.ts" }, { groups: quick.groups, plugins: [quick.graph, withoutWork()] }),
  bundle("check-bundle", { check: "src/check.ts" })
]
