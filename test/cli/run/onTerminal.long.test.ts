import { assert, describe } from "@effect/vitest"
import { processSandbox } from "../../support/fileSandbox.ts"
import { conductAt } from "../../support/ConductorTerminal.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = processSandbox()

const open = (url: string, words: string) =>
  conductAt(sandbox, words, { env: { OLLAMA_HOST: url, LANG: "C.UTF-8", LC_ALL: "C.UTF-8" }, rows: 30 })

describe("run at a real terminal", needsTerminal, () => {
  liveTest("draws what goes on, and leaves the log with the rendered answer", function* () {
    sandbox.write("project/src/server.ts", "export const serverPort = 8042\n")
    const server = yield* FakeOllama.make(({ messages }) => {
      switch (stageNameOf(messages)) {
        case "creation":
          return { text: planOf([[{ name: "Find 1", skill: "search-code" }]]), hold: "plan" }
        case "refinement":
          return refinementWith([{ name: "search_files", arguments: { pattern: "serverPort" } }])
        default:
          return { text: resultSaying("The port is in [src/server.ts](src/server.ts#L1)."), hold: "result" }
      }
    })
    const words = `run --model ${fakeModel} --allow search_files "Where is the port?"`
    const { screen, sees } = yield* open(server.url, words)
    yield* sees("planning · ")
    yield* sees("Ctrl-C stops")
    yield* server.release("plan")
    yield* sees("▸ Step 1 · 1 task")
    yield* sees(" Find 1 · working on a task, turn 2 · ")
    yield* sees("0/1 · ")
    yield* server.release("result")
    yield* sees("ended with 0")
    assert.include(screen(), "The port is in src/server.ts:1.\n\n✔ done: 1 result, ")
    for (const gone of ["Ctrl-C", "▸", "planning", "0/1"]) assert.notInclude(screen(), gone)
  })

  liveTest("asks the user what the model asks, and goes on with the answer; an answer of ask likewise", function* () {
    sandbox.write("project/src/server.ts", "export const serverPort = 8042\n")
    const question = "Which port do you mean: that of the server or that of the database?"
    const words = "That of the server."
    const server = yield* FakeOllama.make(({ messages }) => {
      const said = JSON.stringify(messages)
      if (!said.includes(words)) return { text: question }
      return stageNameOf(messages) === "creation"
        ? { text: planOf([[{ name: "Say 1", skill: "summarize" }]]) }
        : { text: said.includes("Stage: ask") ? "It is 8042." : resultSaying("It is 8042.") }
    })
    for (const [command, shown] of [
      ["run", "✔ done: 1 result"],
      ["ask", "It is 8042."]
    ] as const) {
      const order = `${command} --model ${fakeModel} "What is the port?"`
      const { screen, sees, type } = yield* open(server.url, order)
      yield* sees("Your answer (Enter for none): ")
      assert.include(screen(), `The model asks:\n${question}\nYour answer (Enter for none):`)
      type(`${words}\r`)
      yield* sees("ended with 0")
      assert.include(screen(), shown)
      assert.include(JSON.stringify(server.chats.at(-1)?.messages), words)
    }
  })
})
