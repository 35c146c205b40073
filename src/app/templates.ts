/**
 * The files that are shipped as examples to start from: a new plugin, a new skill with its test, and what models are compared on.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { packageFolder } from "../services/files/PackageFolder.ts"

/** The texts of a folder of templates by their paths in it, with these words in the place of those that stand for them. */
const readTemplate = Effect.fnUntraced(function* (name: string, words: Readonly<Record<string, string>> = {}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.join(packageFolder("templates"), name)
  const files: Record<string, string> = {}
  for (const file of (yield* fs.readDirectory(folder, { recursive: true })).toSorted()) {
    if ((yield* fs.stat(path.join(folder, file))).type !== "File") continue
    const text = yield* fs.readFileString(path.join(folder, file))
    files[file] = Object.entries(words).reduce((filled, [word, value]) => filled.replaceAll(word, value), text)
  }
  return files
})

/** The part of a package name after its scope: the folder it is made in. */
export const pluginFolder = (packageName: string): string => packageName.split("/").at(-1) ?? packageName

/** Lower-case words joined by underscores, beginning with a letter. */
const toolNameOf = (pluginName: string): string => {
  const words = pluginName.split(/[^a-z0-9]+/).filter((word) => word !== "")
  const name = words.join("_")
  return /^[a-z]/.test(name) ? name : ["tool", ...words].join("_")
}

/** In which language a new plugin is written: JavaScript, which Node runs without a build, or TypeScript, which is compiled for a package. */
export type PluginLanguage = "javascript" | "typescript"

/** What `npm test` does in a plugin of each language, as its README says. */
const testText: Readonly<Record<PluginLanguage, string>> = {
  javascript: "checks the package",
  typescript: "checks the types and the package, which `npm pack` compiles to `dist`"
}

/** The fields of a package that another language has in the place of those of JavaScript. */
const mergedPackage = (own: string, changed: string): string =>
  `${JSON.stringify({ ...JSON.parse(own), ...JSON.parse(changed) }, null, 2)}\n`

/** The files of a new plugin for this version of task-conductor. */
export const newPlugin = Effect.fnUntraced(function* (
  packageName: string,
  version: string,
  language: PluginLanguage = "javascript"
) {
  const plugin = pluginFolder(packageName).replace(/^task-conductor-plugin-(?=.)/, "")
  const words = {
    TOOL_NAME: toolNameOf(plugin),
    PLUGIN_NAME: plugin,
    HOST_VERSION: version,
    PACKAGE_NAME: packageName,
    TEST_TEXT: testText[language]
  }
  const shared = yield* readTemplate("plugin", words)
  const { "package.json": fields = "{}", ...own } = yield* readTemplate(`plugin-${language}`, words)
  const files = { ...shared, ...own, "package.json": mergedPackage(shared["package.json"] ?? "{}", fields) }
  return Object.fromEntries(Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1)))
})

/** The files of a new skill: a working one that follows every rule, so that its author changes an example. */
export const newSkill = (name: string) =>
  readTemplate("skill", { SKILL_NAME: name, SUBJECT: name.replaceAll("-", " ") })

/** What models are compared on: the files of a small project, and a valid plan for it. */
export const benchMaterial = Effect.gen(function* () {
  const { "plan.md": plan = "", ...files } = yield* readTemplate("bench")
  return { plan, files }
})
