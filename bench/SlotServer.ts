/**
 * A model server for measurements: it speaks Ollama's API for one model, works on a fixed number of calls at a time in
 * the order of arrival, and takes a fixed time for each, or what a script says. Answers come from a script.
 */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { answerPath, type Document, findModel, modelMissing } from "../test/support/FakeOllamaPaths.ts"

export interface SlotServerOptions {
  /** How many calls are worked on at a time. */
  readonly slots: number
  /** How long one call takes, in ms. */
  readonly latency: number | ((system: string, user: string) => number)
  readonly answer: (system: string, user: string) => string
}

export interface SlotServer {
  readonly url: string
  readonly stats: { calls: number; inFlight: number; mostInFlight: number; first: number; last: number }
  readonly close: () => Promise<void>
}

/** The only model; it can call tools, and does not think. */
export const slotModel = "bench"

const models = [{ name: slotModel, capabilities: ["completion", "tools"], contextLength: 131_072 }]

interface Chat {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly content: string }>
  readonly options?: { readonly num_ctx?: number; readonly num_predict?: number }
  readonly keep_alive?: string
}

const charactersPerToken = 4

const send = (response: http.ServerResponse, { body, status }: Document): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

/** Why a call is not answered. */
const refusalOf = ({ model, options }: Chat, promptTokens: number): Document | undefined => {
  if (findModel(models, model) === undefined) return modelMissing(model)
  return promptTokens <= (options?.num_ctx ?? Infinity)
    ? undefined
    : { status: 400, body: { error: "the input length exceeds the context length" } }
}

/** Writes an answer word by word, as many as may be. */
const writeAnswer = (response: http.ServerResponse, text: string, { options }: Chat, promptTokens: number): void => {
  const words = text.match(/\s*\S+\s*$|\s*\S+|\s+/gu) ?? []
  const said = words.slice(0, options?.num_predict ?? Infinity)
  response.writeHead(200, { "content-type": "application/x-ndjson" })
  for (const content of said) response.write(line({ message: { role: "assistant", content }, done: false }))
  response.end(
    line({
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: said.length < words.length ? "length" : "stop",
      prompt_eval_count: promptTokens,
      eval_count: said.length
    })
  )
}

const line = (value: object): string =>
  `${JSON.stringify({ model: "bench", created_at: "2026-01-01T00:00:00Z", ...value })}\n`

export const startSlotServer = async ({ answer, latency, slots }: SlotServerOptions): Promise<SlotServer> => {
  const stats = { calls: 0, inFlight: 0, mostInFlight: 0, first: 0, last: 0 }
  const waiting: Array<() => void> = []
  /** When each slot is free again: a call starts at the deadline of the one before, so timers do not add up. */
  const freeAt = Array.from({ length: slots }, () => 0)
  let busy = 0
  const loaded = new Map<string, number>()

  const serve = async (takes: number): Promise<void> => {
    if (busy >= slots) await new Promise<void>((go) => waiting.push(go))
    busy += 1
    const now = performance.now()
    const slot = freeAt.indexOf(Math.min(...freeAt))
    const start = waiting.length > 0 || (freeAt[slot] ?? 0) > now - 5 ? Math.max(freeAt[slot] ?? 0, now - 5) : now
    freeAt[slot] = start + takes
    if (takes > 0) await new Promise((done) => setTimeout(done, Math.max(0, start + takes - performance.now())))
    busy -= 1
    waiting.shift()?.()
  }

  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const text = Buffer.concat(chunks).toString()
        const body = text === "" ? undefined : JSON.parse(text)
        if (request.url !== "/api/chat") return send(response, answerPath(request.url ?? "", body, models, loaded))
        const chat: Chat = body
        const promptTokens = Math.ceil(chat.messages.map(({ content }) => content).join("").length / charactersPerToken)
        const refusal = refusalOf(chat, promptTokens)
        if (refusal !== undefined) return send(response, refusal)
        loaded.set(slotModel, chat.options?.num_ctx ?? 4096)
        if (chat.keep_alive?.startsWith("0")) loaded.delete(slotModel)
        stats.calls += 1
        stats.inFlight += 1
        stats.mostInFlight = Math.max(stats.mostInFlight, stats.inFlight)
        if (stats.first === 0) stats.first = performance.now()
        const [first, second] = chat.messages
        const [system = "", user = ""] = second === undefined ? ["", first?.content] : [first?.content, second.content]
        void serve(typeof latency === "number" ? latency : latency(system, user)).then(() => {
          writeAnswer(response, answer(system, user), chat, promptTokens)
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
