import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const folder = realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-types-")))

const program = `
import { aiSdkModel, ask, plan, run, tool, type FlatEvent, type RunReport } from "task-conductor"
import { check } from "task-conductor/check"
import { Approvals, Conductor, type ConductorError, Journal, Models, Tools } from "task-conductor/effect"
import { definePlugin, type Plugin } from "task-conductor/plugin"
import { runTool } from "task-conductor/testing"
import { attach, type DatabaseUnavailable, run as runOnCluster } from "task-conductor-cluster"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

/* True when both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <T extends true>(_: T | undefined = undefined): void => undefined

const hello = tool({
  description: "Greets.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  risk: "safe",
  effect: "pure",
  execute: async ({ name }) => {
    is<Same<typeof name, string>>()
    return name
  }
})

const plain = run({ prompt: "Hello.", tools: { hello }, model: async ({ messages }) => messages.at(-1)?.content ?? "" })
is<Same<Awaited<typeof plain.report>, RunReport>>()
for await (const event of plain.events) {
  is<Same<typeof event, FlatEvent>>()
  if (event.type === "task.finished") is<Same<typeof event.task, string>>()
}

const Port = Schema.Struct({ port: Schema.Int })
const typed = run({ prompt: "Which port?", outputSchema: Port })
const { value } = await typed.report
is<Same<typeof value, { readonly port: number } | undefined>>()
const listed = await ask({
  prompt: "Which ports?",
  outputSchema: { type: "array", items: { type: "integer" } }
}).report
is<Same<typeof listed.value, ReadonlyArray<number> | undefined>>()

const { taskList } = await plan("Find the port.").report
console.log(taskList.tasks.length, check("", { kind: "result" }).verdict)
run({ prompt: "x", model: aiSdkModel({ specificationVersion: "v3", modelId: "m", doGenerate: async (_: object) => ({}) }) })

const plugin: Plugin = definePlugin({ name: "greetings", tools: { hello } })
const { data, success } = await runTool(plugin, "hello", { name: "Ada" })
is<Same<typeof success, boolean>>()
console.log(data)
const clustered = runOnCluster({ prompt: "Hello.", priority: 5 })
is<Same<Awaited<typeof clustered.report>, RunReport>>()
is<Same<ReturnType<typeof attach>, typeof clustered>>()
const unavailable = (error: DatabaseUnavailable): string => error.message
console.log(unavailable)

// @ts-expect-error an option that there is not
run({ prompt: "x", modle: "y" })
// @ts-expect-error a yes is no function
run({ prompt: "x", approve: true })
// @ts-expect-error a bare name of a kind
check("", "result")

class Orders extends Context.Service<Orders, { readonly open: Effect.Effect<ReadonlyArray<number>> }>()("Orders") {}
const tools = Tools.layer(
  Effect.map(Orders, (orders) => ({
    find_orders: tool({ description: "Lists.", parameters: Schema.Struct({}), risk: "safe", effect: "pure", execute: () => orders.open })
  }))
)
is<Same<typeof tools, Layer.Layer<never, never, Orders>>>()

const work = Effect.gen(function* () {
  const conductor = yield* Conductor
  const started = yield* conductor.run({ prompt: "Which port?", outputSchema: Port })
  yield* Stream.runForEach(started.events, (event) => Effect.log(event.type))
  return (yield* started.report).value?.port
}).pipe(Effect.scoped)
is<Same<typeof work, Effect.Effect<number | undefined, ConductorError, Conductor>>>()

const layer = Conductor.layer({ allow: ["read_file"] }).pipe(
  Layer.provide([tools, Journal.memory, Approvals.functions({ approve: () => true }), Models.function(() => "{}")])
)
is<Same<typeof layer, Layer.Layer<Conductor, never, Orders>>>()
`

beforeAll(() => {
  mkdirSync(join(folder, "node_modules/@types"), { recursive: true })
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  writeFileSync(join(folder, "program.ts"), program)
  symlinkSync(repository, join(folder, "node_modules/task-conductor"))
  for (const part of ["package.json", "dist"]) {
    const target = join(folder, "node_modules/task-conductor-cluster", part)
    cpSync(join(repository, "src/plugins/cluster", part), target, { recursive: true })
  }
  symlinkSync(join(repository, "node_modules/effect"), join(folder, "node_modules/effect"))
  symlinkSync(join(repository, "node_modules/@types/node"), join(folder, "node_modules/@types/node"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the types of the library", () => {
  it.each([
    ["node16", "node16"],
    ["nodenext", "nodenext"],
    ["esnext", "bundler"]
  ])("are as documented with the modules %s, found as %s", (module, moduleResolution) => {
    const options = { module, moduleResolution, target: "es2024", strict: true, noEmit: true, skipLibCheck: true }
    const config = { compilerOptions: { ...options, types: ["node"] }, files: ["program.ts"] }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
    const compiler = process.env["TSC"] ?? join(repository, "node_modules/typescript/bin/tsc")
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" })
    assert.strictEqual(stdout, "")
  })
})
