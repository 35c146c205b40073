/** A prompt that the server refuses as too long is cut by what the server counted, and asked once more. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveTest } from "../support/liveTest.ts"
import { FakeOpenAi, fakeOpenAiModel, type OpenAiScript } from "../support/FakeOpenAi.ts"
import { stageNameOf } from "../support/stageName.ts"
import { noonAnswer, planOf } from "../support/TestRun.ts"
import { sandbox } from "../support/OneModelServer.ts"

const window = 8192
/** What the server has in truth, as one does that leaves a part of its window free. */
const held = 7600

/** In characters; a token has one and a little, as in the texts of some languages. */
const sizeOf = (messages: ReadonlyArray<{ readonly content: string | null }>): number =>
  messages.reduce((sum, { content }) => sum + (content?.length ?? 0), 0)

liveTest("goes on after refusals", function* () {
  const { run, write } = yield* sandbox

  let most = 0
  const refused: Array<string> = []
  const script: OpenAiScript = ({ messages }) => {
    const stage = stageNameOf(messages)
    const tokens = Math.floor(sizeOf(messages) / 1.2)
    if (stage === "refinement" && tokens > held) {
      refused.push(stage)
      most = tokens
      const message = `request (${tokens} tokens) exceeds the available context size (${held} tokens), try increasing it`
      return { status: 400, error: message }
    }
    return stage === "creation" ? planOf([[{ name: "Look", references: "[long](long.txt)" }]]) : noonAnswer(stage)
  }
  write("project/long.txt", "A line of a text that is long.\n".repeat(800))
  const server = yield* FakeOpenAi.make(script)
  const said = yield* Effect.promise(() =>
    run(["run", "--context-window", String(window), "--model", `openai:${fakeOpenAiModel}`, "What is in long.txt?"], {
      env: { OPENAI_BASE_URL: server.url }
    })
  )
  assert.deepStrictEqual([refused.length, said.code], [1, 0], said.stderr)
  assert.isAbove(most, held)
})
