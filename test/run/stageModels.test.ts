/**
 * Models of single stages: who is asked, what the events say, and that a saved run keeps them.
 */
import { afterAll, assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveTest } from "../support/liveTest.ts"
import { makeSandbox } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import type { ChatBody } from "../support/FakeOllamaScript.ts"
import { inProcess } from "../support/inProcess.ts"
import { planOf, resultSaying, refinementWith, testSkills } from "../support/TestRun.ts"
import { stageNameOf } from "../support/stageName.ts"

const sandbox = inProcess(makeSandbox())
afterAll(sandbox.remove)
for (const [path, text] of Object.entries(testSkills)) sandbox.write(`project/${path}`, text)

const configuration = "config/task-conductor/config.json"
const configure = (text: object) => sandbox.write(configuration, JSON.stringify(text))
const stages = { plan: { model: "big" }, task: { model: "small:1b" }, ask: { model: "small:1b" } }
const models = [{ name: "qwen3:8b" }, { name: "big:70b", contextLength: 6000 }, { name: "small:1b" }]

const stageOf = ({ messages }: Pick<ChatBody, "messages">) => stageNameOf(messages)

/** Answers every stage; a stage in `broken` gets no usable answer. */
const serve = (broken?: { stage: string }) =>
  FakeOllama.make(
    (body) => {
      const stage = stageOf(body)
      if (stage === broken?.stage) return { status: 503, error: "not now" }
      if (stage === "creation") return planOf([[{ name: "Look" }], [{ name: "Look again" }]])
      if (stage === "refinement") return refinementWith([{ name: "get_current_time", arguments: {} }])
      return stage === "iteration" ? planOf([]) : resultSaying("Noon.")
    },
    { models }
  )

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown> & { call?: { stage: string } })

const askedOf = (chats: ReadonlyArray<ChatBody>) =>
  Object.fromEntries(chats.map((chat) => [stageOf(chat), `${chat.model} ${chat.options?.num_ctx}`]))

const running = ({ url }: { readonly url: string }, ...words: ReadonlyArray<string>) =>
  Effect.promise(() => sandbox.run(words, { env: { TASK_CONDUCTOR_MODEL: "", OLLAMA_HOST: url } }))

const ofStages = {
  creation: "big:70b 6000",
  refinement: "small:1b 8192",
  execution: "small:1b 8192",
  iteration: "qwen3:8b 8192",
  conclusion: "qwen3:8b 8192"
}

describe("models of single stages", () => {
  liveTest("are asked by their stages, and stand in the events", function* () {
    configure({ model: "qwen3:8b", stages })
    const server = yield* serve()
    const { code, stderr, stdout } = yield* running(server, "run", "--json", "Tell.")
    assert.strictEqual(code, 0, stderr)
    assert.include(stderr, "note: using big:70b, the only installed tag of big.\n")
    assert.deepStrictEqual(askedOf(server.chats), ofStages)
    const lines = linesOf(stdout)
    assert.deepInclude(lines[0], {
      model: "qwen3:8b",
      stage_models: { plan: "big:70b", task: "small:1b", ask: "small:1b" }
    })
    const started = lines.flatMap(({ call, model, type }) => (type === "model.started" ? [[call?.stage, model]] : []))
    assert.deepStrictEqual(started, [
      ["plan", "big:70b"],
      ...Array.from({ length: 4 }, () => ["task", "small:1b"]),
      ["iterate", undefined],
      ["conclude", undefined]
    ])
  })

  liveTest("give way to a model that is named later, as by a flag or the environment", function* () {
    configure({ model: "qwen3:8b", stages })
    const server = yield* serve()
    const { code, stderr } = yield* running(server, "run", "--model", "small:1b", "Tell.")
    assert.strictEqual(code, 0, stderr)
    assert.deepStrictEqual([...new Set(server.chats.map(({ model }) => model))], ["small:1b"])
  })

  liveTest("are those of its start in a run that is resumed, and the replay finds no difference", function* () {
    const own = { plan: { model: "big" }, conclude: { model: "small:1b" } }
    configure({ model: "qwen3:8b", stages: own, limits: { serverWaitSeconds: 0, busyRetries: 0 } })
    const broken = { stage: "conclusion" }
    const server = yield* serve(broken)
    assert.strictEqual((yield* running(server, "run", "Tell.")).code, 5)
    configure({ model: "big:70b", stages: { conclude: { model: "big:70b" } } })
    broken.stage = ""
    const { code, stderr } = yield* running(server, "resume", "last")
    assert.strictEqual(code, 0, stderr)
    const asked = server.chats.filter((chat) => stageOf(chat) === "conclusion").map(({ model }) => model)
    assert.deepStrictEqual(asked, ["small:1b", "small:1b"])
    const replayed = yield* running(server, "replay", "last")
    assert.strictEqual(replayed.code, 0, replayed.stdout + replayed.stderr)
  })

  liveTest("cannot be the built-in demo, which answers for a whole run", function* () {
    configure({ stages: { plan: { model: "embedded" } } })
    const { code, stderr } = yield* running({ url: "" }, "run", "Tell.")
    assert.deepStrictEqual([code, stderr.includes('"stages.plan.model"')], [2, true])
  })

  liveTest("are used in a conversation", function* () {
    configure({ model: "qwen3:8b", stages })
    const server = yield* serve()
    const { stdout } = yield* running(server, "ask", "--json", "Tell.")
    assert.deepInclude(linesOf(stdout)[0], { model: "small:1b" })
    assert.deepStrictEqual([...new Set(server.chats.map(({ model }) => model))], ["small:1b"])
  })
})
