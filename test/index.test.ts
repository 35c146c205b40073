import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { type FlatEvent, run, type RunOptions } from "../src/index.ts"
import { ScriptedModel } from "../src/testing.ts"
import { makeSandbox } from "./support/binary.ts"

const sandbox = makeSandbox()
const project = `${sandbox.root}/project`
const question: RunOptions = {
  prompt: "Where is the port of the server defined?",
  project,
  model: "embedded",
  allow: ["read_file"]
}

beforeAll(() => {
  process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
  process.env["XDG_STATE_HOME"] = `${sandbox.root}/state`
  sandbox.write("project/README.md", "# Weather\n\nA small weather server.\n")
  sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")
})
afterAll(sandbox.remove)

const readAll = async (events: AsyncIterable<FlatEvent>): Promise<ReadonlyArray<FlatEvent>> => {
  const read: Array<FlatEvent> = []
  for await (const event of events) read.push(event)
  return read
}

it("gives a report, and all events also to those who come after it", async () => {
  const handle = run(question)
  const report = await handle.report
  assert.strictEqual(report.status, "done", report.message)
  assert.include(report.answer, "src/server.ts")
  const events = await readAll(handle.events)
  assert.deepStrictEqual([events[0]?.type, events.at(-1)?.type], ["run.started", "run.finished"])
  assert.deepStrictEqual(await readAll(handle.events), events)
})

it("rejects an order that cannot be carried out, in the report and in the events", async () => {
  const handle = run({ ...question, skill: "sumarize" })
  const failed = await handle.report.catch((error: Error) => error.message)
  assert.match(String(failed), /^There is no skill "sumarize"\./)
  assert.strictEqual<unknown>(await readAll(handle.events).catch((error: Error) => error.message), failed)
})

it("stops when the signal aborts and reports what there is", async () => {
  const controller = new AbortController()
  const handle = run({ ...question, model: ScriptedModel.layerHeld, signal: controller.signal })
  for await (const event of handle.events) if (event.type === "model.started") controller.abort()
  assert.strictEqual((await handle.report).status, "interrupted")
})

it("asks the function of the caller, and ends as failed when that throws, with the last event", async () => {
  const asked: Array<string> = []
  const { allow: _, ...withoutRules } = question
  const handle = run({
    ...withoutRules,
    skill: "read-code",
    prompt: "Read src/server.ts",
    approve: ({ items }) => {
      asked.push(...items.map((item) => item.tool))
      throw new Error("no network")
    }
  })
  const { message, status } = await handle.report
  assert.deepStrictEqual([asked, status, message], [["read_file"], "failed", "The run broke off: no network"])
  assert.strictEqual((await readAll(handle.events)).at(-1)?.type, "run.finished")
})

it("refuses rules that a configuration file could not hold, and a skill together with a plan", async () => {
  const rows: ReadonlyArray<[options: Partial<RunOptions>, message: string]> = [
    [
      { deny: ["Write File"] },
      '"deny[0]": "Write File" is not a tool name. Name one tool, as "task-conductor tools list" shows it.'
    ],
    [
      { deny: ["write_fil"] },
      '"deny": "write_fil": there is no tool "write_fil". Use one of: write_file, edit_file, add_task.'
    ],
    [{ limits: { rounds: -1 } }, '"limits.rounds": Expected a value between 1 and 1000000000.'],
    [
      { skill: "review", plan: "## Tasks" },
      '"skill" and "plan" exclude each other: both say what the tasks are. Leave one out.'
    ]
  ]
  for (const [options, message] of rows) {
    const failed = await run({ ...question, ...options }).report.catch((error: Error) => error.message)
    assert.strictEqual(failed, `options: ${message}`)
  }
})
