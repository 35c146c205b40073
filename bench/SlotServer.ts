/**
 * A model server for measurements: it speaks enough of Ollama's /api/chat, works on a fixed number of calls at a time in
 * the order of arrival, and takes a fixed time for each. Answers come from a script.
 */
import * as http from "node:http"
import type { AddressInfo } from "node:net"

export interface SlotServerOptions {
  /** How many calls are worked on at a time. */
  readonly slots: number
  /** How long one call takes, in ms. */
  readonly latency: number
  readonly answer: (system: string, user: string) => string
}

export interface SlotServer {
  readonly url: string
  readonly stats: { calls: number; inFlight: number; mostInFlight: number; first: number; last: number }
  readonly close: () => Promise<void>
}

const line = (value: object): string =>
  `${JSON.stringify({ model: "bench", created_at: "2026-01-01T00:00:00Z", ...value })}\n`

export const startSlotServer = async ({ answer, latency, slots }: SlotServerOptions): Promise<SlotServer> => {
  const stats = { calls: 0, inFlight: 0, mostInFlight: 0, first: 0, last: 0 }
  const waiting: Array<() => void> = []
  /** When each slot is free again: a call starts at the deadline of the one before, so timers do not add up. */
  const freeAt = Array.from({ length: slots }, () => 0)
  let busy = 0

  const serve = async (): Promise<void> => {
    if (busy >= slots) await new Promise<void>((go) => waiting.push(go))
    busy += 1
    const now = performance.now()
    const slot = freeAt.indexOf(Math.min(...freeAt))
    const start = waiting.length > 0 || (freeAt[slot] ?? 0) > now - 5 ? Math.max(freeAt[slot] ?? 0, now - 5) : now
    freeAt[slot] = start + latency
    if (latency > 0) await new Promise((done) => setTimeout(done, Math.max(0, start + latency - performance.now())))
    busy -= 1
    waiting.shift()?.()
  }

  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        stats.calls += 1
        stats.inFlight += 1
        stats.mostInFlight = Math.max(stats.mostInFlight, stats.inFlight)
        if (stats.first === 0) stats.first = performance.now()
        const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
          messages: ReadonlyArray<{ role: string; content: string }>
        }
        void serve().then(() => {
          const content = answer(messages[0]?.content ?? "", messages[1]?.content ?? "")
          response.writeHead(200, { "content-type": "application/x-ndjson" })
          response.write(line({ message: { role: "assistant", content }, done: false }))
          response.end(line({ message: { role: "assistant", content: "" }, done: true, done_reason: "stop" }))
          stats.inFlight -= 1
          stats.last = performance.now()
        })
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stats,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
