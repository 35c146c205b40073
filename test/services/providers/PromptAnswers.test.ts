import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { OllamaModel } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { PromptAnswers, type TakeParts } from "../../../src/services/providers/StreamedModel.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"

const prompt = { system: "Say little.", user: "Count." }

/** Asks a server that always gives this text, and says what the progress was. */
const ask = (text: string, take: TakeParts) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(() => text)
    const model = OllamaModel.layer({ model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 512, host: server.url })
    const states: Array<string> = []
    const exit = yield* Effect.gen(function* () {
      const open = yield* PromptAnswers
      if (open === undefined) return yield* Effect.die("The model has no short way.")
      const follow = ({ progress }: Effect.Success<ReturnType<typeof open>>) =>
        Effect.gen(function* () {
          while (states.at(-1) !== "ended") states.push(yield* progress)
        })
      yield* Effect.acquireUseRelease(open(prompt, { sampling: {} }, take), follow, ({ close }) => close)
    }).pipe(Effect.provide(model), Effect.exit)
    yield* server.until(({ connections }) => connections() === 0)
    return { states, exit }
  })

describe("the answer to one prompt", () => {
  it.live("is read without a turn of the fiber until something is asked for", () =>
    Effect.gen(function* () {
      const parts: Array<string> = []
      const { states } = yield* ask("one two three", (some) => {
        parts.push(...some.map((part) => (part.type === "text-delta" ? part.delta : part.type)))
        return false
      })
      expect(states).toEqual(["ended"])
      expect(parts.join("")).toContain("one two three")
      expect(parts.at(-1)).toBe("finish")
    })
  )

  it.live("goes on with the fiber when a part asks for it", () =>
    Effect.gen(function* () {
      const { states } = yield* ask("one two three", (some) => some.some(({ type }) => type === "text-start"))
      expect(states).toEqual(["asked", "ended"])
    })
  )

  it.live("ends with a fault of its reader, and the request with it", () =>
    Effect.gen(function* () {
      const { exit } = yield* ask("one two three", () => {
        throw new Error("a fault")
      })
      expect(Exit.isFailure(exit) && String(exit.cause)).toContain("a fault")
    })
  )
})
