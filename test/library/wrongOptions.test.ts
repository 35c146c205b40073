/** Options that a function for scripts does not take, and plugins as values that cannot be used: errors, never a silent "done". */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ask, checkInProject, openConversation, plan, refine, resume, run, type RunOptions } from "../../src/index.ts"
import { definePlugin, tool, type Tools } from "../../src/plugin-kit.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { librarySandbox } from "../support/fileSandbox.ts"
import { failureOf } from "../support/LibraryWorld.ts"

const sandbox = librarySandbox()
const project = `${sandbox.root}/project`

sandbox.write("project/a.txt", "a\n")

const model = ScriptedModel.layer(() => "never asked")
const base = { project, model, prompt: "Hello", keep: false }

type Failure = Promise<{ readonly _tag?: string; readonly message: string }>

const runWith = (options: object) => failureOf(run({ ...base, ...options } as RunOptions).report) as Failure

const wrong: ReadonlyArray<readonly [options: object, message: string]> = [
  [{ modle: "qwen3:8b" }, 'options: "modle" is no option of run. Nearest: model.'],
  [{ mcpServers: { docs: 5 } }, "mcpServers.docs"],
  [{ skills: "./skills" }, 'options: "skills" must be a URL: new URL("./skills/", import.meta.url).'],
  [{ tools: [] }, 'options: "tools" must be an object.'],
  [{ configuration: true }, 'options: "configuration" must be an object as a configuration file has it'],
  [
    { timeout: 5 },
    'options: "timeout" is no option of run. Set limits, such as limits.callSeconds, or pass AbortSignal'
  ],
  [{ yes: true }, 'options: "yes" is no option of run. Pass a function as approve, or rules as allow.'],
  [{ approve: true }, 'options: "approve" must be a function.'],
  [{ model: 5 }, 'options: "model" must be the name of a model, a function that answers, or a layer of LanguageModel'],
  [{ plugins: definePlugin({ name: "p" }) }, 'options: "plugins" must be a list.'],
  [{ signal: 5 }, 'options: "signal" must be an AbortSignal.'],
  [{ readOnly: "yes" }, 'options: "readOnly" must be true or false.'],
  [{ open: "a.txt" }, 'options: "open" must be a list of texts.'],
  [{ prompt: undefined }, 'options: run needs a "prompt".'],
  [{ prompt: 5 }, 'options: "prompt" must be a text.'],
  [{ modle: "x", aprove: () => true }, 'Nearest: model.\noptions: "aprove" is no option of run. Nearest: approve.'],
  [{ contextWindow: "8192" }, "contextWindow"]
]

describe("an option that run does not take", () => {
  it.each(wrong)("is an error: %j", async (options, message) => {
    const error = await runWith(options)
    assert.strictEqual(error._tag, "ConfigurationError", error.message)
    assert.include(error.message, message)
  })

  it("is one of every other function too, and undefined is none", async () => {
    const other = { ...base, keep: undefined, modle: "x" } as never
    const errors = await Promise.all(
      [
        plan(other).report,
        ask(other).report,
        openConversation({ project, model, modle: "x" } as never).close(),
        resume("20260101-000000-aaaa", { modle: "x" } as never).report,
        refine({ project, model, plan: "", task: "", modle: "x" } as never),
        checkInProject("## Tasks", { project, modle: "x" } as never)
      ].map(failureOf)
    )
    for (const error of errors) assert.match(String(error), /"modle" is no option of \w+\. Nearest: model\./)
    assert.notInclude(String(await runWith({ modle: undefined, plan: "" })), "modle")
  })
})

const hello = tool({
  description: "Says hello.",
  parameters: Schema.Struct({}),
  risk: "safe",
  effect: "pure",
  execute: () => Effect.succeed("hello")
})
const withTools = (tools: unknown, name = "mine") => definePlugin({ name, tools: Effect.succeed(tools as Tools) })

/** As another copy of effect makes its schemas: of the same form, by another class. */
const foreignSchema = Object.assign(Object.create(Object.getPrototypeOf(Schema.Struct({}))), Schema.Struct({}), {
  ast: { ...Schema.Struct({}).ast }
})

const noPlugin = "is not used: it is"
const plugins: ReadonlyArray<readonly [name: string, plugin: unknown, message: string]> = [
  ["an object", {}, `The plugin "without a name" ${noPlugin} an object and not a plugin.`],
  ["a function", () => withTools({ hello }), `The plugin "without a name" ${noPlugin} a function and not a plugin.`],
  ["null", null, "it is null and not a plugin."],
  ["a module of one", { default: withTools({ hello }) }, "it is an object and not a plugin."],
  ["a taken name", withTools({ read_file: hello }), '"mine" is not used: its tool "read_file" exists already'],
  ["a wrong name", withTools({ hello }, "Bad Name"), 'The plugin "Bad Name" is not used: its name is reserved'],
  [
    "another effect",
    withTools({ hello: { ...hello, parameters: foreignSchema } }),
    '"parameters" is not a schema of the'
  ],
  [
    "no tools",
    { ...withTools({}), tools: Layer.effectDiscard(Effect.fail("no key")) },
    "it failed while loading: no key"
  ]
]

describe("a plugin that is passed as a value and cannot be used", () => {
  it.each(plugins)("is an error: %s", async (_, plugin, message) => {
    const error = await runWith({ plugins: [plugin] })
    assert.strictEqual(error._tag, "ConfigurationError", error.message)
    assert.include(error.message, message)
  })
})
