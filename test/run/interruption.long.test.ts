/**
 * Ctrl-C while the model is asked in each stage, on the real binary: the call is cancelled on the server, what had
 * finished is in the last event, the exit code tells of the signal.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveTest } from "../support/liveTest.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { scopedSandbox } from "../support/binary.ts"
import type { ChatBody } from "../support/FakeOllamaScript.ts"
import { stageNameOf } from "../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"

const answers = {
  creation: planOf([[{ name: "Look", skill: "search-code" }]]),
  refinement: refinementWith([{ name: "search_files", arguments: { pattern: "word" } }]),
  /* What is only partly done is iterated. */
  execution: resultSaying("Partly done. Looked."),
  iteration: planOf([]),
  conclusion: "The answer."
}
type StageName = keyof typeof answers

const stageOf = (messages: ChatBody["messages"]): StageName => stageNameOf(messages) as StageName

const sandbox = scopedSandbox()

for (const stage of Object.keys(answers) as ReadonlyArray<StageName>) {
  liveTest(`cancels the call and keeps what had finished on Ctrl-C during ${stage}`, function* () {
    const server = yield* FakeOllama.make(({ messages }) => {
      const asked = stageOf(messages)
      return asked === stage ? { text: "never", hold: "never" } : answers[asked]
    })
    const { start } = yield* sandbox
    const binary = start(["run", "--model", fakeModel, "--json", "Find the word."], {
      env: { OLLAMA_HOST: server.url }
    })
    yield* server.until(({ chats }) => chats.some(({ messages }) => stageOf(messages) === stage))
    binary.child.kill("SIGINT")
    const { code, stdout } = yield* Effect.promise(() => binary.ended)
    yield* server.until(({ abortedCount }) => abortedCount() === 1)
    const last = JSON.parse(stdout.trim().split("\n").at(-1)!)
    const hasResult = stage === "iteration" || stage === "conclusion"
    expect([code, last.type, last.report.status, last.report.results.length]).toEqual([
      130,
      "run.finished",
      "interrupted",
      hasResult ? 1 : 0
    ])
  })
}
