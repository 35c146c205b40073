/**
 * The shipped templates: a new plugin, a new skill with its test, and the project for `models bench`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { packageFolder } from "../services/files/PackageFolder.ts"

/** The files of a template folder, by path, with their placeholders replaced. */
const readTemplate = Effect.fnUntraced(function* (name: string, placeholders: Readonly<Record<string, string>> = {}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(packageFolder("templates"), name)
  const files: Record<string, string> = {}
  for (const file of (yield* fs.readDirectory(folder, { recursive: true })).toSorted()) {
    if ((yield* fs.stat(path.join(folder, file))).type !== "File") continue
    const text = yield* fs.readFileString(path.join(folder, file))
    files[file] = Object.entries(placeholders).reduce((filled, [word, value]) => filled.replaceAll(word, value), text)
  }
  return files
})

/** The package name without its scope, which is also the folder's name. */
export const pluginFolder = (packageName: string): string => packageName.split("/").at(-1) ?? packageName

const toolNameOf = (pluginName: string): string => {
  const words = pluginName.split(/[^a-z0-9]+/).filter((word) => word !== "")
  const name = words.join("_")
  return /^[a-z]/.test(name) ? name : ["tool", ...words].join("_")
}

/**
 * The language of a plugin. JavaScript runs in Node without a build; TypeScript is compiled when the package is made.
 */
export type PluginLanguage = "javascript" | "typescript"

/** The effect of `npm test`, for the README of the plugin. */
const testText: Readonly<Record<PluginLanguage, string>> = {
  javascript: "checks the package",
  typescript: "checks the types and the package, which `npm pack` compiles to `dist`"
}

/** Overrides fields of the shared package.json with those of one language. */
const mergedPackage = (own: string, changed: string): string =>
  `${JSON.stringify({ ...JSON.parse(own), ...JSON.parse(changed) }, null, 2)}\n`

/** The files of a new plugin for this version of task-conductor. */
export const newPlugin = Effect.fnUntraced(function* (
  packageName: string,
  version: string,
  language: PluginLanguage = "javascript"
) {
  const plugin = pluginFolder(packageName).replace(/^task-conductor-plugin-(?=.)/, "")
  const placeholders = {
    TOOL_NAME: toolNameOf(plugin),
    PLUGIN_NAME: plugin,
    HOST_VERSION: version,
    PACKAGE_NAME: packageName,
    TEST_TEXT: testText[language]
  }
  const shared = yield* readTemplate("plugin", placeholders)
  const { "package.json": fields = "{}", ...own } = yield* readTemplate(`plugin-${language}`, placeholders)
  const files = { ...shared, ...own, "package.json": mergedPackage(shared["package.json"] ?? "{}", fields) }
  return Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)))
})

/** The files of a new skill, a valid example that follows every rule. */
export const newSkill = (name: string) =>
  readTemplate("skill", { SKILL_NAME: name, SUBJECT: name.replaceAll("-", " ") })

/** The project and the valid plan on which `models bench` compares models. */
export const benchMaterial = Effect.gen(function* () {
  const { "plan.md": plan = "", ...files } = yield* readTemplate("bench")
  return { plan, files }
})
