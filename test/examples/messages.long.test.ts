/** The example `plugin-messages`, packed and installed: a model on a server that speaks another protocol. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { eventsOf, taskWith, testedExample } from "../support/ExampleProject.ts"
import { startFakeServer } from "../support/FakeServer.ts"
import { liveTest } from "../support/liveTest.ts"

const name = "task-conductor-plugin-messages"
const key = "key-of-the-messages-server"

interface MessagesBody {
  readonly model: string
  readonly system?: string
  readonly max_tokens: number
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string | ReadonlyArray<object> }>
}

/** The events of an answer that is this text. */
const eventsWith = (text: string): ReadonlyArray<object> => [
  { type: "message_start", message: { usage: { input_tokens: 100, output_tokens: 1 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  ...(text.match(/[\s\S]{1,20}/g) ?? []).map((piece) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: piece }
  })),
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 50 } },
  { type: "message_stop" }
]

const reply = taskWith("search-code", { name: "read_file", arguments: { path: "README.md" } })

/** A server of this API with a scripted model. */
const openServer = startFakeServer<MessagesBody>({
  chatPath: "/v1/messages",
  answer: () => ({ status: 200, body: { data: [{ id: "tiny", type: "model" }] } }),
  chat: ({ messages, system = "" }) => {
    const asked = messages.map(({ content, role }) => ({
      role,
      content: typeof content === "string" ? content : JSON.stringify(content)
    }))
    return {
      type: "text/event-stream",
      writes: eventsWith(reply([{ role: "system", content: system }, ...asked])).map((event) => ({
        bytes: Buffer.from(`event: any\ndata: ${JSON.stringify(event)}\n\n`)
      }))
    }
  }
})

const installed = testedExample("plugin-messages", (project) => {
  project.write("app/README.md", "Sunny spells in the north.\n")
})

const args = ["run", "--json", "--allow", "read_file:README.md", "--plugin", name]

/** The configuration of the user, which sets the plugin that a flag names, and says that the key is in a file. */
const configure = (config: object) => {
  installed().write("config/task-conductor/key", key)
  chmodSync(join(installed().root, "config/task-conductor/key"), 0o600)
  const own = { plugins: [[name, config]], secrets: { ANTHROPIC_API_KEY: { file: "key" } } }
  installed().write("config/task-conductor/config.json", JSON.stringify(own))
}

const runWith = (model: string, url: string) => {
  configure({ url })
  return Effect.promise(() => installed().conduct([...args, "--model", model, "What is in README.md?"]).ended)
}

describe("the plugin messages", () => {
  liveTest("brings the model of a run, which makes calls and reports", function* () {
    const server = yield* openServer
    const ending = yield* runWith("messages:tiny", server.url)
    expect([ending.code, ending.stderr]).toEqual([0, expect.any(String)])
    expect(eventsOf(ending).find(({ type }) => type === "tool.finished")).toMatchObject({
      name: "read_file",
      result: { success: true }
    })
    expect(server.chats.length).toBeGreaterThan(1)
    for (const { max_tokens, model, system } of server.chats) {
      expect([model, typeof system, max_tokens > 0]).toEqual(["tiny", "string", true])
    }
    for (const { headers } of server.requests) expect(headers["x-api-key"]).toBe(key)
    expect(ending.stdout + ending.stderr).not.toContain(key)
  })
})
