/**
 * A model server for measurements. It has Ollama's API for one model. It also has the part of OpenAI's API that clients
 * without streaming need. It processes a fixed number of calls at the same time, in order of arrival. Each call takes a
 * fixed or scripted time. A script gives the answers. Other requests are refused.
 */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { answerPath, type Document, findModel, modelMissing } from "../test/support/FakeOllamaPaths.ts"
import { completion, cutAnswer, type Said, wholeAnswer, writeLines } from "./SlotAnswers.ts"
import { makeSlots } from "./Slots.ts"

export interface SlotServerOptions {
  /** How many calls are processed at the same time. With `Infinity`, no call waits. */
  readonly slots: number
  /** The time of a call in ms. */
  readonly latency: number | ((system: string, user: string) => number)
  /** How many pieces a streamed answer has. If absent, one for each word. */
  readonly pieces?: number
  /** `tools` says what the model can do next: call a tool, report the result of a call, or neither. */
  readonly answer: (system: string, user: string, tools: "offered" | "answered" | "none") => Said
}

/** `first` is when the first call came, `last` when the last answer went. A token has four characters. */
export interface SlotStats {
  calls: number
  inFlight: number
  mostInFlight: number
  first: number
  last: number
  promptTokens: number
  /** Tokens of prompts that a slot need not read again. */
  cachedTokens: number
}

export interface SlotServer {
  readonly url: string
  readonly stats: SlotStats
  readonly close: () => Promise<void>
}

/** The only model. It can call tools and does not think. */
export const slotModel = "bench"

const models = [{ name: slotModel, capabilities: ["completion", "tools"], contextLength: 131_072 }]

interface Message {
  readonly role: string
  readonly content: string | null | ReadonlyArray<{ readonly text?: string }>
  readonly tool_calls?: unknown
}

interface Chat {
  readonly model: string
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<unknown>
  readonly stream?: boolean
  readonly options?: { readonly num_ctx?: number; readonly num_predict?: number }
  readonly keep_alive?: string | number
}

const charactersPerToken = 4

const tokensOf = (characters: number): number => Math.ceil(characters / charactersPerToken)

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("")

const callsOf = ({ tool_calls }: Message): string => (tool_calls === undefined ? "" : JSON.stringify(tool_calls))

/** What the user or the program wrote. In the turns of a task all messages, otherwise only the last. */
const userTextOf = ({ messages }: Chat, texts: ReadonlyArray<string>): string | undefined =>
  /^# Stage: task$/m.test(texts[0] ?? "")
    ? texts.filter((_, at) => messages[at]?.role === "user").join("\n")
    : texts.at(-1)

const toolsOf = ({ messages, tools = [] }: Chat) => {
  if (messages.some(({ role }) => role === "tool")) return "answered"
  return tools.length === 0 ? "none" : "offered"
}

const openAiPath = "/v1/chat/completions"

/** Why a call is refused, or undefined. */
const refusalOf = ({ model, options, stream }: Chat, path: string, promptTokens: number): Document | undefined => {
  if (findModel(models, model) === undefined) return modelMissing(model)
  if (path === openAiPath && stream === true)
    return { status: 400, body: { error: { message: "this server does not stream completions" } } }
  return promptTokens <= (options?.num_ctx ?? Infinity)
    ? undefined
    : { status: 400, body: { error: "the input length exceeds the context length" } }
}

const send = (response: http.ServerResponse, { body, status }: Document): void => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

export const startSlotServer = async (options: SlotServerOptions): Promise<SlotServer> => {
  const { answer, latency, pieces, slots } = options
  const stats: SlotStats = {
    calls: 0,
    inFlight: 0,
    mostInFlight: 0,
    first: 0,
    last: 0,
    promptTokens: 0,
    cachedTokens: 0
  }
  const { work } = makeSlots(slots)
  const loaded = new Map<string, number>()

  const converse = async (chat: Chat, path: string, response: http.ServerResponse): Promise<void> => {
    const texts = chat.messages.map(textOf)
    const promptTokens = tokensOf(texts.reduce((sum, text) => sum + text.length, 0))
    const refusal = refusalOf(chat, path, promptTokens)
    if (refusal !== undefined) return send(response, refusal)
    loaded.set(slotModel, chat.options?.num_ctx ?? 4096)
    if (String(chat.keep_alive).startsWith("0")) loaded.delete(slotModel)
    stats.calls += 1
    const number = stats.calls
    stats.inFlight += 1
    stats.mostInFlight = Math.max(stats.mostInFlight, stats.inFlight)
    if (stats.first === 0) stats.first = performance.now()
    const [system, user] = texts.length === 1 ? ["", texts[0]] : [texts[0], userTextOf(chat, texts)]
    const most = chat.options?.num_predict ?? Infinity
    const cut = cutAnswer(answer(system ?? "", user ?? "", toolsOf(chat)), most, pieces)
    const said = typeof cut.said === "string" ? cut.said : JSON.stringify(cut.said)
    const prompt = chat.messages.map((message, at) => `${message.role}\n${texts[at]}${callsOf(message)}\n`).join("")
    const takes = typeof latency === "number" ? latency : latency(system ?? "", user ?? "")
    const common = await work(prompt, `assistant\n${said}\n`, takes)
    stats.promptTokens += promptTokens
    stats.cachedTokens += Math.min(promptTokens, Math.floor(common / charactersPerToken))
    const counts = { prompt: promptTokens, answer: pieces === undefined ? cut.pieces.length : tokensOf(said.length) }
    if (path === openAiPath) send(response, { status: 200, body: completion(cut, counts, number) })
    else if (chat.stream === false) send(response, { status: 200, body: wholeAnswer(cut, counts) })
    else writeLines(response, cut, counts)
    stats.inFlight -= 1
    stats.last = performance.now()
  }

  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const text = Buffer.concat(chunks).toString()
        const body = text === "" ? undefined : JSON.parse(text)
        const path = request.url ?? ""
        if (path === "/api/chat" || path === openAiPath) {
          return void converse(body, path, response).catch((error: unknown) =>
            send(response, { status: 500, body: { error: String(error) } })
          )
        }
        return send(response, answerPath(path, body, models, loaded))
      })
  })
  await new Promise<void>((resolve) => server.listen({ port: 0, host: "127.0.0.1", backlog: 16_384 }, resolve))
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
