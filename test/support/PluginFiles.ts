/**
 * Plugins as files for tests: source texts, and packages made of them.
 */

/** The module of a plugin with one tool that counts words; `note` changes the content and nothing else. */
export const wordsModule = (
  given: { readonly name?: string; readonly tool?: string; readonly note?: string } = {}
): string =>
  [
    `// ${given.note ?? "as released"}`,
    'import * as Effect from "effect/Effect"',
    'import * as Schema from "effect/Schema"',
    'import { definePlugin, tool } from "task-conductor/plugin"',
    "",
    "const wordCount = tool({",
    '  description: "Counts the words of a text.",',
    "  parameters: Schema.Struct({ text: Schema.String, atLeast: Schema.optionalKey(Schema.Int) }),",
    '  risk: "safe",',
    '  effect: "pure",',
    '  example: { text: "one two" },',
    "  execute: ({ text, atLeast = 0 }) => Effect.succeed(Math.max(atLeast, text.trim().split(/\\s+/).length))",
    "})",
    "",
    `export default definePlugin({ name: "${given.name ?? "words"}", tools: Effect.succeed({ ${given.tool ?? "word_count"}: wordCount }) })`,
    ""
  ].join("\n")

/** The files of a package, by path below `folder`; its "exports" have only an import condition. */
export const packageFiles = (folder: string, module: string, version = "1.2.0"): Readonly<Record<string, string>> => ({
  [`${folder}/package.json`]: JSON.stringify({
    name: folder.split("node_modules/").at(-1),
    version,
    type: "module",
    exports: { ".": { import: "./index.js" } }
  }),
  [`${folder}/index.js`]: module
})
