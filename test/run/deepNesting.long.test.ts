/**
 * Answers and requests over the wire that are nested more deeply than a call stack: a call of a model becomes an issue that
 * the model is told, a request of a client an error, and the program goes on.
 */
import { afterAll, assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { serveTools } from "../../src/plugins/mcp/McpToolServer.ts"
import { liveTest } from "../support/liveTest.ts"
import { makeSandbox } from "../support/binary.ts"
import { deepTexts, deepValues } from "../support/deepJson.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { inOrder } from "../support/FakeOllamaScript.ts"
import { inProcess } from "../support/inProcess.ts"

const sandbox = inProcess(makeSandbox())
afterAll(() => sandbox.remove())

/** JSON in one line. */
const oneLine = (text: string): string => text.replaceAll("\n", " ")

/** A line with a call whose arguments are this JSON, as it is. */
const callLine = (given: string): string =>
  `{"model":"${fakeModel}","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"read_file","arguments":${oneLine(given)}}}]},"done":false}`

const doneLine = `{"model":"${fakeModel}","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}`

const asking = (first: ReadonlyArray<string>, command: ReadonlyArray<string> = ["ask"]) =>
  Effect.gen(function* () {
    const body = [...first, doneLine].map((line) => `${line}\n`)
    const server = yield* FakeOllama.make(inOrder({ chunks: body }, "It is over."), { models: [{ name: fakeModel }] })
    const args = [...command, "--model", fakeModel, "--json", "Read it."]
    const ended = yield* Effect.promise(() => sandbox.run(args, { env: { OLLAMA_HOST: server.url } }))
    return { ...ended, chats: server.chats }
  }).pipe(Effect.scoped)

describe("a call of a model over the wire", () => {
  const [value] = deepValues
  const given = [value!, [`${value![0]}, as a text`, JSON.stringify(value![1])]] as const
  for (const [form, text] of given) {
    liveTest(`is answered with what is wrong, and the conversation goes on: ${form}`, function* () {
      const { chats, code, stderr, stdout } = yield* asking([callLine(text)])
      assert.notInclude(stderr + stdout, "internal error")
      assert.strictEqual(code, 0, stdout.slice(-2000) + stderr)
      const last = chats[1]?.messages.at(-1)
      assert.strictEqual(last?.role, "user")
      assert.match(String(last?.content), /nested \d+ levels deep; at most 64 are read|has \d+ characters; at most/)
    })
  }

  liveTest("ends no program when it is deep in a field that nobody knows", function* () {
    const line = `{"model":"m","extra":${deepTexts["lists"]},"message":{"content":"ok"},"done":false}`
    const { stderr, stdout } = yield* asking([line])
    assert.notMatch(stderr + stdout, /internal error|call stack/)
  })
})

describe("an answer in text", () => {
  for (const command of ["ask", "run"]) {
    liveTest(`ends no ${command}`, function* () {
      const call = `{"name":"read_file","arguments":${deepTexts["objects that are never closed"]}}`
      const content = JSON.stringify(`\`\`\`json\n${call}\n\`\`\`\n`)
      const line = `{"model":"${fakeModel}","message":{"role":"assistant","content":${content}},"done":false}`
      const { stderr, stdout } = yield* asking([line], [command])
      assert.notInclude(stderr + stdout, "internal error")
    })
  }
})

/** What the MCP server answers to these lines, after it was opened. */
const served = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  let written = ""
  const take = (chunk: string | Uint8Array) => Effect.sync(() => void (written += Buffer.from(chunk).toString()))
  const clientInfo = { name: "test", version: "0" }
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
  const opening = [
    JSON.stringify({ jsonrpc: "2.0", id: "first", method: "initialize", params }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
  ]
  const stdin = Stream.make(Buffer.from([...opening, ...lines].map((line) => `${line}\n`).join("")))
  const say = {
    name: "say",
    description: "Says.",
    parameters: Schema.Struct({ text: Schema.String }),
    output: Schema.Struct({ text: Schema.optionalKey(Schema.String) }),
    hints: { isReadOnly: true, isDestructive: false, isIdempotent: true, isOpenWorld: false },
    execute: ({ text }: { readonly text: string }) => Effect.succeed({ text, data: {}, isError: false })
  }
  yield* serveTools({ name: "t", version: "0", instructions: "", tools: [say] }).pipe(
    Effect.provide(Stdio.layerTest({ stdin, stdout: () => Sink.forEach(take) }))
  )
  const answers = written.trimEnd().split("\n")
  return answers.map((line) => JSON.parse(line) as { readonly id: unknown; readonly error?: { readonly code: number } })
})

const request = (id: number, given: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"say","arguments":${oneLine(given)}}}`

describe("a request to the MCP server", () => {
  liveTest("is an error for its id, and the next is served", function* () {
    const answers = yield* served(request(2, deepValues[0]![1]), request(3, '{"text":"a"}'))
    const ended = answers.filter(({ id }) => id !== "first").map(({ error, id }) => `${String(id)} ${error?.code}`)
    assert.deepStrictEqual(ended, ["2 -32600", "3 undefined"])
  })
})
