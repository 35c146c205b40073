/**
 * The model server of the job: it calls the two tools one after another, and answers in JSON. In the case `malformed` its first call
 * lacks an argument.
 */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { answerPath } from "../../../test/support/FakeOllamaPaths.ts"

interface Chat {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content?: string }>
  readonly tools?: ReadonlyArray<unknown>
  readonly stream?: boolean
}

export interface Seen {
  calls: number
  /** The characters of the largest prompt. */
  largest: number
}

const models = [{ name: "bench", capabilities: ["completion", "tools"], contextLength: 131_072 }]

export const startJobServer = async (name: string) => {
  const seen: Seen = { calls: 0, largest: 0 }
  const callsOf: ReadonlyArray<object> = [
    ...(name === "malformed" ? [{ name: "grep", arguments: { wrod: "rounds" } }] : []),
    { name: "grep", arguments: { word: "rounds" } },
    { name: "read", arguments: { path: "limits.md" } }
  ]
  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const text = Buffer.concat(chunks).toString()
        const body = text === "" ? undefined : (JSON.parse(text) as Chat)
        if (request.url !== "/api/chat" || body === undefined) {
          const { body: sent, status } = answerPath(request.url ?? "", body, models, new Map())
          response.writeHead(status, { "content-type": "application/json" })
          return response.end(JSON.stringify(sent))
        }
        seen.calls += 1
        seen.largest = Math.max(seen.largest, text.length)
        const done = body.messages.filter(({ role }) => role === "tool").length
        const call = (body.tools ?? []).length === 0 ? undefined : callsOf[done]
        const message =
          call === undefined
            ? { role: "assistant", content: '{"file":"limits.md","rounds":5}' }
            : { role: "assistant", content: "", tool_calls: [{ function: call }] }
        const head = { model: "bench", created_at: "2026-01-01T00:00:00Z" }
        const end = { done: true, done_reason: "stop", prompt_eval_count: Math.ceil(text.length / 4), eval_count: 20 }
        response.writeHead(200, { "content-type": "application/x-ndjson" })
        if (body.stream === false) return response.end(JSON.stringify({ ...head, message, ...end }))
        response.write(`${JSON.stringify({ ...head, message, done: false })}\n`)
        return response.end(`${JSON.stringify({ ...head, message: { role: "assistant", content: "" }, ...end })}\n`)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { seen, url, close: () => server.close() }
}
