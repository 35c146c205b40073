import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { hostAnswer } from "../../src/domain/conversation/Conversation.ts"
import { saveConversation } from "../../src/services/conversation/ConversationStore.ts"
import { ask, conversations, type FlatEvent, openConversation } from "../../src/index.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { librarySandbox } from "../support/fileSandbox.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { liveTest } from "../support/liveTest.ts"

const sandbox = librarySandbox()
const project = `${sandbox.root}/project`
const common = { project, model: "embedded", allow: ["read_file"] }
const question = "Where is the port of the server defined?"

sandbox.write("project/README.md", "# Weather\n\nA small weather service.\n")
sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")

const readAll = async (events: AsyncIterable<FlatEvent>): Promise<ReadonlyArray<FlatEvent>> => {
  const read: Array<FlatEvent> = []
  for await (const event of events) read.push(event)
  return read
}

const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "",
    (error: Error) => error.message
  )

describe("ask", () => {
  it("answers one message with tools, and gives report, answers, events and the text as it comes", async () => {
    const pieces: Array<string> = []
    const handle = ask({ ...common, prompt: question, onText: (piece) => void pieces.push(piece) })
    const report = await handle.report
    const [answer, ...others] = await handle.answers
    assert.strictEqual(report.status, "done", report.message)
    assert.include(report.answer, "[src/server.ts](src/server.ts#L2) `export const serverPort = 8042`")
    assert.deepStrictEqual([answer?.answer, others.length, pieces.join("")], [report.answer, 0, report.answer])
    const events = await readAll(handle.events)
    assert.deepStrictEqual(
      [events[0]?.type, events.at(-1)?.type, events.filter(({ type }) => type === "tool.finished").length],
      ["run.started", "run.finished", 2]
    )
  })

  it("lists the conversations that were kept at a terminal, with the last message and the end of its answer", async () => {
    assert.deepStrictEqual(await conversations({ project }), [])
    const told = Array.from({ length: 9 }, (_, line) => `line ${line + 1}`).join("\n")
    const messages = [
      { role: "user" as const, content: "first\nand more" },
      hostAnswer("yes"),
      { role: "user" as const, content: "second" },
      hostAnswer(told)
    ]
    const place = { state: `${sandbox.root}/state/task-conductor`, project, secrets: [] }
    await Effect.runPromise(
      saveConversation(place, { runId: "20261127-000000-abcd", model: "m", messages }).pipe(
        Effect.provide(NodeServices.layer)
      )
    )
    const all = await conversations({ project })
    const end = "> second\n...\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9"
    const { savedAt = "", ...one } = all[0] ?? {}
    assert.match(savedAt, /^\d{4}-\d\d-\d\dT/)
    assert.deepStrictEqual(
      [all.length, one],
      [1, { id: "20261127-000000-abcd", title: "first", model: "m", messages: 2, end }]
    )
  })

  it("answers what the model asks instead of an answer, in a single message and not in a conversation", async () => {
    const asked: Array<string> = []
    const model = ScriptedModel.layer((prompt) =>
      JSON.stringify(prompt).includes("The server.") ? "It is 8042." : "Do you mean the server or the database?"
    )
    const answer = (text: string) => {
      asked.push(text)
      return "The server."
    }
    const options = { project, model, answer }
    const report = await ask({ ...options, prompt: "What is the port?" }).report
    assert.deepStrictEqual([report.answer, asked], ["It is 8042.", ["Do you mean the server or the database?"]])
    const open = openConversation(options)
    assert.strictEqual((await open.send("What is the port?")).answer, "Do you mean the server or the database?")
    assert.strictEqual((await open.send("The server.")).answer, "It is 8042.")
    await open.close()
    assert.lengthOf(asked, 1)
  })

  it("refuses options that say nothing, or too much", async () => {
    const wrong = [ask({ ...common }), ask({ ...common, prompt: "a", messages: ["b"] })]
    const reasons = await Promise.all(wrong.flatMap(({ answers, report }) => [messageOf(report), messageOf(answers)]))
    assert.strictEqual(new Set(reasons).size, 1)
    assert.include(reasons[0], 'Give either "prompt" or "messages".')
  })

  liveTest("names models that can call tools when the chosen one cannot", function* () {
    const models = [{ name: "old:7b", capabilities: ["completion"] }, { name: "qwen3:8b" }]
    const { chats, url } = yield* FakeOllama.make(() => "never", { models })
    const order = { project, model: "old:7b", host: url, toolCalls: "native", prompt: "hi" } as const
    const said = yield* Effect.promise(() => messageOf(ask(order).report))
    assert.include(said, 'cannot call tools, which toolCalls "native" needs. Installed models that can: qwen3:8b.')
    assert.include(said, 'Choose one with "model", or use toolCalls: "text", which every model can.')
    assert.deepStrictEqual(chats, [])
  })
})

describe("a conversation", () => {
  it("takes messages until it is closed", async () => {
    const model = ScriptedModel.layer((_prompt, index) => `answer ${index + 1}`)
    const conversation = openConversation({ project, model })
    const answers = await Promise.all([conversation.send("one"), conversation.send("two")])
    const report = await conversation.close()
    assert.deepStrictEqual(
      [answers.map(({ answer, message }) => `${message}: ${answer}`), report.status, report.rounds],
      [["1: answer 1", "2: answer 2"], "done", 2]
    )
    assert.strictEqual(await messageOf(conversation.send("three")), "The conversation is closed.")
  })

  it("stops one answer and goes on with the next", async () => {
    const conversation = openConversation({ project, model: ScriptedModel.layerHeld })
    const first = conversation.send("one")
    for await (const event of conversation.events) if (event.type === "model.started") break
    await conversation.stop()
    assert.strictEqual((await first).status, "interrupted")
    const second = conversation.send("two")
    let started = 0
    for await (const event of conversation.events) if (event.type === "model.started" && ++started === 2) break
    await conversation.stop()
    assert.deepStrictEqual([(await second).message, (await conversation.close()).status], [2, "done"])
  })

  it("rejects messages when no server answers, and reports it", async () => {
    const conversation = openConversation({ project, model: "qwen3", host: "127.0.0.1:1" })
    const failed = await messageOf(conversation.send("one"))
    assert.include(failed, "No model server answers at http://127.0.0.1:1 ")
    assert.strictEqual((await conversation.close()).status, "unavailable")
  })

  it("refuses a message without a word, and goes on", async () => {
    const conversation = openConversation({ project, model: ScriptedModel.layer(() => "Yes.") })
    const empty = await conversation.send("  ")
    assert.deepStrictEqual([empty.status, empty.reason], ["failed", "The message is empty. Say what is to be done."])
    assert.strictEqual((await conversation.send("one")).answer, "Yes.")
    assert.strictEqual((await conversation.close()).status, "done")
  })
})
