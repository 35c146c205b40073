/** Options that a function for scripts does not take, and plugins as values that cannot be used: errors, never a silent "done". */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ask, checkInProject, openConversation, plan, refine, resume, run, type RunOptions } from "../../src/index.ts"
import { definePlugin, tool, type Tools } from "../../src/plugin-kit.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { makeSandbox } from "../support/binary.ts"

const sandbox = makeSandbox()
const project = `${sandbox.root}/project`

beforeAll(() => {
  process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
  sandbox.write("project/a.txt", "a\n")
})
afterAll(sandbox.remove)

const model = ScriptedModel.layer(() => "never asked")
const base = { project, model, prompt: "Hello", keep: false }

const failureOf = (promise: Promise<unknown>): Promise<{ readonly _tag?: string; readonly message: string }> =>
  promise.then(
    (value) => ({ message: `nothing failed: ${JSON.stringify(value)}` }),
    (error: { readonly _tag?: string; readonly message: string }) => error
  )

const runWith = (options: object) => failureOf(run({ ...base, ...options } as RunOptions).report)

const wrong: ReadonlyArray<readonly [options: object, message: string]> = [
  [{ modle: "qwen3:8b" }, 'options: "modle" is no option of run. Nearest: model.'],
  [{ mcpServers: { docs: 5 } }, "mcpServers.docs"],
  [{ skills: "./skills" }, 'options: "skills" must be a URL: new URL("./skills/", import.meta.url).'],
  [{ tools: [] }, 'options: "tools" must be an object.'],
  [
    { configuration: true },
    'options: "configuration" must be an object as a configuration file has it, or false for none.'
  ],
  [
    { timeout: 5 },
    'options: "timeout" is no option of run. Set limits, such as limits.callSeconds, or pass AbortSignal.timeout(ms) as signal.'
  ],
  [{ yes: true }, 'options: "yes" is no option of run. Pass a function as approve, or rules as allow.'],
  [{ approve: true }, 'options: "approve" must be a function.'],
  [{ answer: "yes" }, 'options: "answer" must be a function.'],
  [
    { model: 5 },
    'options: "model" must be the name of a model, a function that answers, or a layer of LanguageModel of effect/ai.'
  ],
  [{ plugins: definePlugin({ name: "p" }) }, 'options: "plugins" must be a list.'],
  [{ signal: 5 }, 'options: "signal" must be an AbortSignal.'],
  [{ readOnly: "yes" }, 'options: "readOnly" must be true or false.'],
  [{ open: "a.txt" }, 'options: "open" must be a list of texts.'],
  [{ prompt: undefined }, 'options: run needs a "prompt".'],
  [{ prompt: 5 }, 'options: "prompt" must be a text.'],
  [
    { modle: "x", aprove: () => true },
    'options: "modle" is no option of run. Nearest: model.\noptions: "aprove" is no option of run. Nearest: approve.'
  ],
  [{ contextWindow: "8192" }, "contextWindow"]
]

describe("an option that run does not take", () => {
  it.each(wrong)("is an error: %j", async (options, message) => {
    const error = await runWith(options)
    assert.strictEqual(error._tag, "ConfigurationError", error.message)
    if (message.startsWith("options")) assert.strictEqual(error.message, message)
    else assert.include(error.message, message)
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
    for (const error of errors) assert.match(error.message, /"modle" is no option of \w+\. Nearest: model\./)
    assert.notInclude((await runWith({ modle: undefined, plan: "" })).message, "modle")
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
  [
    "a taken name of a tool",
    withTools({ read_file: hello }),
    '"mine" is not used: its tool "read_file" exists already'
  ],
  ["a wrong name", withTools({ hello }, "Bad Name"), 'The plugin "Bad Name" is not used: its name is reserved'],
  [
    "a schema of another copy of effect",
    withTools({ hello: { ...hello, parameters: foreignSchema } }),
    '"parameters" is not a schema of the copy of `effect` that this program uses.'
  ],
  [
    "tools that cannot be made",
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
