/** Connections that are kept for the next call, with servers that close them. */
import { createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import { layerOpenAi } from "../../../src/plugins/openai/OpenAiModel.ts"
import { liveTest } from "../../support/liveTest.ts"

/* As llama-server answers: it says that it keeps the connection. */
const answer = [
  "HTTP/1.1 200 OK",
  "Content-Type: text/event-stream",
  "Transfer-Encoding: chunked",
  "Keep-Alive: timeout=5, max=100",
  "",
  ...['{"choices":[{"index":0,"delta":{"content":"Done."},"finish_reason":"stop"}]}', "[DONE]"].map((line) => {
    const event = `data: ${line}\n\n`
    return `${event.length.toString(16)}\r\n${event}`
  }),
  "0",
  "",
  ""
].join("\r\n")

/** A server that answers so many requests of a connection, and resets it at the next one. */
const resetting = (answered: number) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let requests = 0
    const server = createServer((socket) => {
      let onThis = 0
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("data", (data) => {
        if (!String(data).startsWith("POST")) return
        requests += 1
        if (++onThis > answered) socket.resetAndDestroy()
        else socket.write(answer)
      })
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))),
      () =>
        Effect.sync(() => {
          for (const socket of sockets) socket.destroy()
          server.close()
        })
    )
    const { port } = server.address() as AddressInfo
    const model = { model: "openai:x", contextWindow: 4096, maxAnswerTokens: 64 }
    return {
      layer: layerOpenAi({ ...model, host: `http://127.0.0.1:${port}/v1` }),
      requests: () => requests,
      connections: () => sockets.size
    }
  })

const ask = Effect.map(LanguageModel.generateText({ prompt: "Do it." }), ({ text }) => text)

liveTest("sends a request again at once whose kept connection the server has closed", function* () {
  const { connections, layer } = yield* resetting(1)
  const answers = yield* Effect.provide(Effect.all([ask, ask, ask]), layer)
  assert.deepStrictEqual(answers, ["Done.", "Done.", "Done."])
  assert.strictEqual(connections(), 3)
})

liveTest("sends no request again whose connection was new", function* () {
  const { layer, requests } = yield* resetting(0)
  assert.strictEqual((yield* Effect.exit(Effect.provide(ask, layer)))._tag, "Failure")
  assert.strictEqual(requests(), 1)
})
