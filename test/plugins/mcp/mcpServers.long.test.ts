/**
 * Whole runs whose tasks call the tools of servers: what is asked, what comes back, and that no process stays behind,
 * however the run ends.
 */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Pipeline } from "../../../src/services/pipeline/Pipeline.ts"
import { ScriptedModel } from "../../../src/services/providers/ScriptedModel.ts"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeSandbox } from "../../support/binary.ts"
import { EventLog } from "../../support/EventLog.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { isRunning, messagesOf, scriptedServer, startsOf } from "../../support/McpServers.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { layerTestRun, planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { liveTest } from "../../support/liveTest.ts"

const skill =
  "---\nname: ask-server\ndescription: Asks the server. Use it in tests.\nallowed-tools: mcp__s__say\n---\n\n" +
  "## Refinement\n\nMake the call.\n\n## Execution\n\nSay what came back.\n"
const skillFile = ".task-conductor/skills/ask-server/SKILL.md"
const plan = planOf([[{ name: "Ask", skill: "ask-server" }]])
const refinement = refinementWith([{ name: "mcp__s__say", arguments: { text: "heron" } }])

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "task-conductor-mcp-")))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

nodeTest("asks for the server, then for the call, and hands the result to the model", function* () {
  const traces = yield* folder
  const approver = scriptedApprover({ calls: ["once", "once"] })
  const files = { ".mcp.json": JSON.stringify({ mcpServers: { s: scriptedServer(traces) } }), [skillFile]: skill }
  const answers = [refinement, resultSaying("It says heron."), planOf([]), "Heron."]
  const prompts: Array<string> = []
  const model = ScriptedModel.layer(({ user }, index) => {
    prompts.push(user)
    return answers[index] ?? ""
  })
  const { events, report } = yield* Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const log = yield* EventLog
    const report = yield* pipeline.run({ runId: "run-1", prompt: "Ask the server.", plan })
    return { report, events: log.events() }
  }).pipe(Effect.provide(layerTestRun({ files, approver: approver.layer }).pipe(Layer.provide(model))))
  assert.deepStrictEqual([report.status, report.answer], ["done", "It says heron."])
  assert.deepStrictEqual(
    approver.asked.map(([item]) => [item?.tool, item?.origin, item?.risk]),
    [
      ["start_server", undefined, "medium"],
      ["mcp__s__say", "mcp:s", "medium"]
    ]
  )
  assert.include(prompts[1], '1: {"text":"heron"}')
  const finished = events.find((event) => event.type === "tool.finished")
  assert.strictEqual(finished?.type === "tool.finished" && finished.result.data, '1: {"text":"heron"}')
  assert.deepStrictEqual(startsOf(traces).map(isRunning), [false])
})

const stages: Readonly<Record<string, string>> = { creation: plan, refinement }

/** A run of the binary that waits for a call of a server that never answers. */
const waitingRun = Effect.fnUntraced(function* (traces: string, faults: ReadonlyArray<string>) {
  const model = yield* FakeOllama.make(({ messages }) => {
    const stage = stageNameOf(messages)
    return stages[stage] ?? resultSaying("Done.")
  })
  const { start, write } = yield* Effect.acquireRelease(Effect.sync(makeSandbox), ({ remove }) => Effect.sync(remove))
  write(`project/${skillFile}`, skill)
  const mcpServers = Object.fromEntries(faults.map((fault, index) => ["st"[index], scriptedServer(traces, fault)]))
  write("config/task-conductor/config.json", JSON.stringify({ mcpServers }))
  const binary = start(["run", "--model", fakeModel, "--allow", "mcp__s__say", "Ask the server."], {
    env: { OLLAMA_HOST: model.url }
  })
  yield* waitFor("the call", () => messagesOf(traces).includes("tools/call"))
  return binary
})

describe("no process of a server stays behind", () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143]
  ] as const) {
    liveTest(`after ${signal}`, function* () {
      const traces = yield* folder
      const { child, ended } = yield* waitingRun(traces, ["never answers", "stays"])
      assert.deepStrictEqual(startsOf(traces).map(isRunning), [true, true])
      child.kill(signal)
      assert.strictEqual((yield* Effect.promise(() => ended)).code, code)
      assert.deepStrictEqual(startsOf(traces).map(isRunning), [false, false])
    })
  }

  liveTest("after SIGKILL, also when it goes on without stdin", function* () {
    const traces = yield* folder
    const { child, ended } = yield* waitingRun(traces, ["never answers", "stays"])
    child.kill("SIGKILL")
    assert.strictEqual((yield* Effect.promise(() => ended)).code, "SIGKILL")
    yield* waitFor("the end of the servers", () => !startsOf(traces).some(isRunning))
  })
})
