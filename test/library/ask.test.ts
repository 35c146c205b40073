import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { hostAnswer } from "../../src/domain/conversation/Conversation.ts"
import { saveConversation } from "../../src/services/conversation/ConversationStore.ts"
import { ask, conversations, type FlatEvent, openConversation, run } from "../../src/index.ts"
import { ScriptedModel } from "../../src/testing.ts"
import { makeSandbox } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"

const sandbox = makeSandbox()
const project = `${sandbox.root}/project`
const common = { project, model: "embedded", allow: ["read_file"] }
const question = "Where is the port of the server defined?"

beforeAll(() => {
  process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`
  process.env["XDG_STATE_HOME"] = `${sandbox.root}/state`
  sandbox.write("project/README.md", "# Weather\n\nA small weather service.\n")
  sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")
})
afterAll(sandbox.remove)

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
    const [one, ...others] = await conversations({ project })
    assert.deepStrictEqual(others, [])
    assert.match(one?.savedAt ?? "", /^\d{4}-\d\d-\d\dT/)
    assert.deepStrictEqual(
      { ...one, savedAt: "" },
      {
        id: "20261127-000000-abcd",
        title: "first",
        model: "m",
        savedAt: "",
        messages: 2,
        end: "> second\n...\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9"
      }
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

  it("names the open files of the user before the first message, also in the plan of a run", async () => {
    const seen: Array<string> = []
    const model = ScriptedModel.layer(({ system, user }) => {
      seen.push(user)
      return system.includes("# Stage: creation")
        ? "## Original prompt\n\nHi.\n\n## Goals / summary\n\nHi.\n\n## Tasks\n"
        : "Hello."
    })
    const open = ["src/server.ts", `${project}/README.md`]
    await ask({ project, model, prompt: "Hi.", open }).report
    const ran = await run({ project, model, prompt: "Hi.", open, keep: false }).report
    const block = "## Open files\n\n- src/server.ts\n- README.md\n"
    assert.deepStrictEqual(
      [seen[0], seen[1]].map((user = "") => user.includes(block)),
      [true, true],
      `${seen.join("\n---\n")} ${ran.message}`
    )
  })

  it("sends several messages one after another", async () => {
    const model = ScriptedModel.layer((_prompt, _index, { messages }) => `${messages.length} messages`)
    const handle = ask({ project, model, messages: ["one", "two", "three"] })
    assert.deepStrictEqual(
      (await handle.answers).map(({ answer }) => answer),
      ["2 messages", "4 messages", "6 messages"]
    )
    assert.strictEqual((await handle.report).answer, "6 messages")
  })

  it("asks the function of the caller before something is read", async () => {
    const asked: Array<string> = []
    const { report } = ask({
      project,
      model: "embedded",
      prompt: "What do README.md and src/server.ts say?",
      approve: ({ items }) => {
        const targets = items.flatMap((item) => item.targets)
        asked.push(...targets)
        /* Both files are read at once, so that either may be asked about first. */
        return asked.length === 1
      }
    })
    const { facts, status } = await report
    assert.deepStrictEqual([status, asked.toSorted()], ["done", [`${project}/README.md`, `${project}/src/server.ts`]])
    assert.deepStrictEqual(
      facts?.denied?.map(({ by, tool }) => [tool, by]),
      [["read_file", "person"]]
    )
  })

  it("refuses options that say nothing, or too much", async () => {
    const wrong = [ask({ ...common }), ask({ ...common, prompt: "a", messages: ["b"] })]
    const reasons = await Promise.all(wrong.flatMap(({ answers, report }) => [messageOf(report), messageOf(answers)]))
    assert.strictEqual(new Set(reasons).size, 1)
    assert.include(reasons[0], 'Give either "prompt" or "messages".')
  })

  it("names models that can call tools when the chosen one cannot", async () => {
    const program = Effect.gen(function* () {
      const server = yield* FakeOllama.make(() => "never", {
        models: [
          { name: "old:7b", capabilities: ["completion"] },
          { name: "qwen3:8b" },
          { name: "embed", capabilities: ["embedding"] },
          { name: "llama3.1:8b", capabilities: ["completion", "tools"] }
        ]
      })
      const failed = yield* Effect.promise(() =>
        messageOf(ask({ project, model: "old:7b", host: server.url, toolCalls: "native", prompt: "hi" }).report)
      )
      assert.strictEqual(
        failed,
        'The model "old:7b" cannot call tools, which toolCalls "native" needs. Installed models that can: qwen3:8b, llama3.1:8b. Choose one with "model", or use toolCalls: "text", which every model can.'
      )
      assert.deepStrictEqual(server.chats, [])
    })
    await Effect.runPromise(Effect.scoped(program))
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
