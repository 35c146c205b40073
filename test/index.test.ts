import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import { check, type FlatEvent, plan, run, type RunOptions } from "../src/index.ts"
import { definePlugin } from "../src/plugin-kit.ts"
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

describe("run", () => {
  it("gives a report, and all events also to those who come after it", async () => {
    const handle = run(question)
    const report = await handle.report
    assert.strictEqual(report.status, "done", report.message)
    assert.include(report.answer, "src/server.ts")
    const events = await readAll(handle.events)
    assert.deepStrictEqual([events[0]?.type, events.at(-1)?.type], ["run.started", "run.finished"])
    assert.deepStrictEqual(await readAll(handle.events), events)
  })

  it("asks the function of the caller and obeys it", async () => {
    const asked: Array<string> = []
    const { allow: _, ...withoutRules } = question
    const { report } = run({
      ...withoutRules,
      skill: "read-code",
      prompt: "Read src/server.ts",
      approve: ({ items }) => {
        asked.push(...items.map((item) => item.tool))
        return false
      }
    })
    const { status } = await report
    assert.deepStrictEqual([asked[0], ["declined", "not_permitted"].includes(status)], ["read_file", true], status)
  })

  it("rejects an order that cannot be carried out, in the report and in the events", async () => {
    const handle = run({ ...question, skill: "sumarize" })
    const failed = await handle.report.then(
      () => "",
      (error: Error) => error.message
    )
    assert.match(failed, /^There is no skill "sumarize"\./)
    const ended = await readAll(handle.events).then(
      () => "",
      (error: Error) => error.message
    )
    assert.strictEqual(ended, failed)
  })

  it("stops when the signal aborts and reports what there is", async () => {
    const controller = new AbortController()
    const handle = run({ ...question, model: ScriptedModel.layerHeld, signal: controller.signal })
    for await (const event of handle.events) if (event.type === "model.started") controller.abort()
    const { status } = await handle.report
    assert.strictEqual(status, "interrupted")
  })

  it("says so when it is interrupted before it began", async () => {
    const handle = run({ ...question, signal: AbortSignal.abort() })
    const failed = await handle.report.then(
      () => "",
      (error: Error) => error.message
    )
    assert.strictEqual(failed, "The work was interrupted before it had a report.")
  })
})

const failureOf = (options: RunOptions): Promise<string> =>
  run(options).report.then(
    () => "",
    (error: Error) => error.message
  )

describe("wrong options", () => {
  it("refuses rules and limits that a configuration file could not hold", async () => {
    assert.deepStrictEqual(
      [
        await failureOf({ ...question, deny: ["Write File"] }),
        await failureOf({ ...question, deny: ["write_fil"] }),
        await failureOf({ ...question, limits: { rounds: -1 } })
      ],
      [
        'options: "deny[0]": "Write File" is not a tool name. Name one tool, as "task-conductor tools list" shows it.',
        'options: "deny": "write_fil": there is no tool "write_fil". Use one of: write_file, edit_file, add_task.',
        'options: "limits.rounds": Expected a value between 1 and 1000000000.'
      ]
    )
  })

  it("refuses a skill together with a plan", async () => {
    assert.strictEqual(
      await failureOf({ ...question, skill: "review", plan: "## Tasks" }),
      'options: "skill" and "plan" exclude each other: both say what the tasks are. Leave one out.'
    )
  })
})

describe("what goes wrong on the way", () => {
  it("ends as failed when the function that is asked throws, with the last event", async () => {
    const { allow: _, ...withoutRules } = question
    const handle = run({
      ...withoutRules,
      skill: "read-code",
      prompt: "Read src/server.ts",
      approve: () => {
        throw new Error("no network")
      }
    })
    const { message, status } = await handle.report
    assert.deepStrictEqual([status, message], ["failed", "The run broke off: no network"])
    assert.strictEqual((await readAll(handle.events)).at(-1)?.type, "run.finished")
  })

  it("rejects plugins that cannot be used", async () => {
    const broken = definePlugin({ name: "broken", tools: Effect.die(new Error("no index")) })
    for (const value of [broken, { name: "odd" }, null]) {
      // @ts-expect-error a package may export anything
      const { report } = run({ ...question, plugins: [value] })
      const error = await report.then(() => undefined, Struct.get("_tag"))
      assert.strictEqual(error, "ConfigurationError")
    }
  })
})

describe("plan and check", () => {
  it("makes a plan that check accepts", async () => {
    const { markdown, taskList } = await plan(question).report
    assert.isAbove(taskList.tasks.length, 0)
    assert.deepStrictEqual(check(markdown).verdict, "accepted")
  })

  it("checks other kinds of document", () => {
    assert.strictEqual(check("## Result summary\n\nDone.\n", { kind: "result" }).verdict, "accepted")
  })
})
