/** Nothing is left behind by runs of one process. The long form is bench/long-loop.ts, which also watches memory. */
import { assert, it, onTestFinished } from "@effect/vitest"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { ask, run } from "../../src/index.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { processSandbox } from "../support/fileSandbox.ts"
import { unlessMissing } from "../support/needs.ts"
import { planOf, refinementWith, resultSaying, testSkills } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const sandbox = processSandbox()
const project = `${sandbox.root}/project`
const temporary = `${sandbox.root}/tmp`

mkdirSync(temporary)
for (const [path, text] of Object.entries(testSkills)) sandbox.write(`project/${path}`, text)

const answers: Readonly<Record<string, string>> = {
  creation: planOf([[{ name: "Write" }]]),
  execution: resultSaying("Written."),
  iteration: planOf([])
}
let written = 0
const model = () =>
  ScriptedModel.layer((prompt) => {
    const stage = stageName(prompt)
    if (stage !== "refinement") return answers[stage] ?? "All is said."
    written += 1
    return refinementWith([{ name: "write_file", arguments: { path: "a.txt", content: `${written}\n` } }])
  })

const round = async (): Promise<void> => {
  const common = { project, stateFolder: `${sandbox.root}/state`, allow: ["write_file"] }
  const report = await run({ ...common, model: model(), prompt: "Write." }).report
  assert.deepStrictEqual([report.status, report.results[0]?.calls[0]?.result.success], ["done", true])
  assert.strictEqual((await ask({ ...common, model: model(), prompt: "Say." }).report).status, "done")
  const stopped = run({ ...common, model: model(), prompt: "Write." })
  for await (const { type } of stopped.events) if (type === "model.started") break
  await stopped.interrupt()
}

const left = () => ({
  descriptors: readdirSync("/proc/self/fd").length,
  handles: process.getActiveResourcesInfo().filter((name) => !name.includes("Req")).length
})

const linux = unlessMissing(existsSync("/proc/self/fd") ? undefined : "Only Linux tells the open files of a process.")

it("leaves nothing open and no file behind after many runs", linux, async () => {
  process.env["TMPDIR"] = temporary
  for (let count = 0; count < 2; count += 1) await round()
  const before = left()
  for (let count = 0; count < 4; count += 1) await round()
  const after = left()
  assert.isAtMost(after.descriptors, before.descriptors)
  assert.isAtMost(after.handles, before.handles)
  assert.deepStrictEqual(readdirSync(temporary), [])
})

it("does many runs at the same time without a warning of Node", async () => {
  const warnings: Array<string> = []
  const listener = ({ message }: Error): void => void warnings.push(message)
  process.on("warning", listener)
  onTestFinished(() => void process.off("warning", listener))
  const runs = Array.from({ length: 12 }, (_, at) => {
    sandbox.write(`many/${at}/notes.md`, "Sunny spells.\n")
    const stateFolder = `${sandbox.root}/state`
    return run({ prompt: "Where is it sunny?", model: "embedded", project: `${sandbox.root}/many/${at}`, stateFolder })
  })
  const reports = await Promise.all(runs.map(({ report }) => report))
  assert.deepStrictEqual([reports.filter(({ status }) => status !== "done"), warnings], [[], []])
})
