import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { scopedSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { isRunning, messagesOf, scriptedServer, startsOf } from "../../support/McpServers.ts"
import { makeFolder } from "../../support/Project.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { liveTest } from "../../support/liveTest.ts"

const skill =
  "---\nname: ask-server\ndescription: Asks the server. Use it in tests.\nallowed-tools: mcp__s__say\n---\n\n" +
  "## Refinement\n\nMake the call.\n\n## Execution\n\nSay what came back.\n"
const skillFile = ".task-conductor/skills/ask-server/SKILL.md"
const plan = planOf([[{ name: "Ask", skill: "ask-server" }]])
const refinement = refinementWith([{ name: "mcp__s__say", arguments: { text: "heron" } }])

const stages: Readonly<Record<string, string>> = { creation: plan, refinement }

/** A run of the binary that waits for a call of a server that never answers. */
const waitingRun = Effect.fnUntraced(function* (traces: string, faults: ReadonlyArray<string>) {
  const model = yield* FakeOllama.make(({ messages }) => {
    const stage = stageNameOf(messages)
    return stages[stage] ?? resultSaying("Done.")
  })
  const { start, write } = yield* scopedSandbox()
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
  liveTest("after SIGTERM", function* () {
    const traces = yield* makeFolder
    const { child, ended } = yield* waitingRun(traces, ["never answers", "stays"])
    assert.deepStrictEqual(startsOf(traces).map(isRunning), [true, true])
    child.kill("SIGTERM")
    assert.strictEqual((yield* Effect.promise(() => ended)).code, 143)
    assert.deepStrictEqual(startsOf(traces).map(isRunning), [false, false])
  })

  liveTest("after SIGKILL, also when it goes on without stdin", function* () {
    const traces = yield* makeFolder
    const { child, ended } = yield* waitingRun(traces, ["never answers", "stays"])
    child.kill("SIGKILL")
    assert.strictEqual((yield* Effect.promise(() => ended)).code, "SIGKILL")
    yield* waitFor("the end of the servers", () => !startsOf(traces).some(isRunning))
  })
})
