/**
 * A conversation of the library with a server that speaks like Ollama: what is sent is asserted whole.
 */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { openConversation } from "../../src/index.ts"
import { liveTest } from "../support/liveTest.ts"
import { scopedSandbox } from "../support/binary.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { inOrder } from "../support/FakeOllamaScript.ts"

const sandbox = scopedSandbox()

/** A call of read_file, and a reply to one. */
const readFile = (id: string, given: object) => ({ id, function: { name: "read_file", arguments: given } })
const reply = (id: string, content: string) => ({ role: "tool", content, tool_name: "read_file", tool_call_id: id })

liveTest("sends the whole conversation again, in both shapes of arguments, over several messages", function* () {
  const { root, write } = yield* sandbox
  write("project/a.txt", "one\ntwo\nthree\n")
  const server = yield* FakeOllama.make(
    inOrder(
      {
        thinking: "I read.",
        text: "Reading.",
        toolCalls: [
          { id: "call_1", name: "read_file", arguments: { path: "a.txt", start_line: 2, end_line: 2 } },
          { name: "read_file", arguments: '{"path":"a.txt","start_line":1,"end_line":"1"}' }
        ]
      },
      "Two and one.",
      { toolCalls: [{ id: "call_1", name: "read_fil", arguments: "{ broken" }] },
      "I could not."
    )
  )
  process.env["XDG_CONFIG_HOME"] = `${root}/config`
  const conversation = openConversation({
    project: `${root}/project`,
    model: fakeModel,
    host: server.url,
    toolCalls: "native",
    allow: ["read_file"]
  })
  const pieces: Array<string> = []
  const first = yield* Effect.promise(() => conversation.send("What is in it?", (piece) => void pieces.push(piece)))
  const second = yield* Effect.promise(() => conversation.send("And more?"))
  const report = yield* Effect.promise(conversation.close)
  assert.deepStrictEqual(
    [first.answer, second.answer, report.status, pieces.join("")],
    ["Two and one.", "I could not.", "done", "Reading.\n\nTwo and one."]
  )

  const [opening, ...others] = server.chats
  const { messages, options, tools, ...rest } = opening!
  const { num_predict, ...sent } = options as Readonly<Record<string, number>>
  assert.deepStrictEqual(rest, { model: fakeModel, stream: true, keep_alive: "30m", truncate: false })
  /* The values of the family, and no more tokens than the window has left. */
  assert.deepStrictEqual(sent, { num_ctx: 8192, temperature: 0.6, top_p: 0.95, top_k: 20, min_p: 0 })
  assert.isTrue(num_predict !== undefined && num_predict > 4096 && num_predict < 8192)
  assert.match(messages[0]?.content ?? "", /^# Stage: ask$/m)
  assert.lengthOf(messages, 2)
  const offered = tools as ReadonlyArray<{ readonly function: { readonly name: string } }>
  const names = offered.map((tool) => tool.function.name)
  assert.includeMembers(names, ["get_file_tree", "read_file", "search_files", "write_file"])
  for (const { messages: _, options, ...chat } of others) {
    assert.deepStrictEqual({ ...chat, tools }, { ...rest, tools })
    assert.deepStrictEqual({ ...(options as object), num_predict }, { ...sent, num_predict })
  }

  const last = server.chats.at(-1)!.messages.slice(1)
  const generated = String(last[3]?.["tool_call_id"])
  assert.match(generated, /^[0-9a-f]{9}$/)
  const unknown = last[7]?.content ?? ""
  assert.deepStrictEqual(last, [
    { role: "user", content: "What is in it?" },
    {
      role: "assistant",
      content: "Reading.",
      thinking: "I read.",
      tool_calls: [
        readFile("74196fe72", { path: "a.txt", start_line: 2, end_line: 2 }),
        readFile(generated, { path: "a.txt", start_line: 1, end_line: "1" })
      ]
    },
    reply("74196fe72", "2: two\n\n(Line 2 of 3.)"),
    reply(generated, "1: one\n\n(Line 1 of 3.)"),
    { role: "assistant", content: "Two and one." },
    { role: "user", content: "And more?" },
    {
      role: "assistant",
      content: "",
      tool_calls: [{ id: "42bee6b5d", function: { name: "read_fil", arguments: { value: "{ broken" } } }]
    },
    { role: "tool", content: unknown, tool_name: "read_fil", tool_call_id: "42bee6b5d" }
  ])
  assert.match(unknown, /^ERROR \(validation_failed\): /)
})
