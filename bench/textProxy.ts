/**
 * A proxy in front of a real model server. It replaces only the text of the answers. Everything else comes from the
 * server: when it answers, how fast it writes, what it counts and refuses, and what it does when a client leaves. So
 * even a model that writes noise gives good answers.
 *
 *   node bench/textProxy.ts --server URL --answers FILE --port N [--record DIR]
 *
 * `FILE` is JSON. It has the answers of each stage in order, by the name in the prompt ("# Stage: task"). The last
 * answer is repeated. The proxy asks the server for as many tokens as the answer has, at four characters each, and for
 * no form. Speaks the APIs of Ollama and OpenAI. `DIR` gets `req-NNN.txt` and `ans-NNN.txt`, which `real-work.ts judge`
 * reads.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    server: { type: "string", default: "http://127.0.0.1:11434" },
    answers: { type: "string" },
    port: { type: "string", default: "0" },
    record: { type: "string" }
  }
})
if (values.answers === undefined) {
  console.error("Name the file of answers with --answers.")
  process.exit(2)
}
const answers: Readonly<Record<string, ReadonlyArray<string>>> = JSON.parse(readFileSync(values.answers, "utf8"))
const charactersPerToken = 4

interface Chat {
  readonly messages: ReadonlyArray<{ readonly content?: unknown }>
  readonly options?: Readonly<Record<string, unknown>>
}

const given = new Map<string, number>()

/** The next answer for a prompt; undefined for a prompt without a stage. */
const answerTo = ({ messages }: Chat): string | undefined => {
  const stage = /^# Stage: (\w+)$/m.exec(String(messages[0]?.content))?.[1] ?? ""
  const all = answers[stage]
  const number = given.get(stage) ?? 0
  given.set(stage, number + 1)
  return all?.[Math.min(number, all.length - 1)]
}

let calls = 0
const record = (kind: "ans" | "req", number: number, text: string): void => {
  if (values.record === undefined) return
  mkdirSync(values.record, { recursive: true })
  writeFileSync(join(values.record, `${kind}-${String(number).padStart(3, "0")}.txt`), text)
}

/** The request that the server gets in place of the received one. */
const asked = (
  { format: _format, grammar: _grammar, response_format: _response, ...body }: Record<string, unknown>,
  tokens: number
) =>
  "options" in body
    ? { ...body, options: { ...(body["options"] as object), num_predict: tokens } }
    : { ...body, max_tokens: tokens, max_completion_tokens: tokens }

/** The pieces of the new answer, one for each piece that the server writes. */
const makePieces = (text: string) => {
  let at = 0
  return {
    next: (): string => text.slice(at, (at += charactersPerToken)),
    rest: (): string => text.slice(at, (at = text.length))
  }
}

const message = (content: string) => ({ role: "assistant", content })

/** Replaces the text in a line of an Ollama stream. */
const ollamaLines = (line: string, pieces: ReturnType<typeof makePieces>): ReadonlyArray<string> => {
  const said = JSON.parse(line)
  if (said.error !== undefined) return [line]
  if (said.done !== true) return [JSON.stringify({ ...said, message: message(pieces.next()) })]
  return [
    JSON.stringify({ model: said.model, created_at: said.created_at, message: message(pieces.rest()), done: false }),
    JSON.stringify({ ...said, message: message(""), done_reason: "stop" })
  ]
}

/** Replaces the text in a line of an OpenAI stream. */
const openAiLines = (line: string, pieces: ReturnType<typeof makePieces>): ReadonlyArray<string> => {
  if (!line.startsWith("data: {")) return [line]
  const said = JSON.parse(line.slice(6))
  const [choice] = said.choices ?? []
  if (choice === undefined) return [line]
  const ends = choice.finish_reason != null
  const delta = { role: "assistant", content: ends ? pieces.rest() : pieces.next() }
  const changed = { ...said, choices: [{ ...choice, delta, finish_reason: ends ? "stop" : null }] }
  return [`data: ${JSON.stringify(changed)}`]
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = "GET", url = "/" } = request
  const body = await textOf(request)
  const isOpenAi = url.endsWith("/chat/completions")
  const chat = isOpenAi || url === "/api/chat" ? JSON.parse(body) : undefined
  const text = chat === undefined ? undefined : answerTo(chat)
  const number = ++calls
  const sent = text === undefined ? body : JSON.stringify(asked(chat, Math.ceil(text.length / charactersPerToken)))
  const headers = { ...request.headers, "content-length": String(Buffer.byteLength(sent)) }
  /** Each call has a connection of its own, because llama-server closes connections after streamed answers. */
  const upstream = send(new URL(url, values.server), { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    if (text === undefined || answer.statusCode !== 200) return void answer.pipe(response)
    record("req", number, chat.messages.map(({ content }: { content: unknown }) => String(content)).join("\n\n"))
    record("ans", number, text)
    const pieces = makePieces(text)
    const change = isOpenAi ? openAiLines : ollamaLines
    answer.on("error", () => response.destroy())
    createInterface({ input: answer, crlfDelay: Infinity })
      .on("error", () => response.destroy())
      .on("line", (line) => {
        const lines = line === "" ? [""] : change(line, pieces)
        response.write(lines.map((one) => `${one}\n`).join(""))
      })
      .on("close", () => response.end())
  })
  upstream.on("error", () => response.destroy())
  /** If the client leaves, the call to the server is ended, too. */
  response.on("close", () => upstream.destroy())
  upstream.end(sent)
}

const server = createServer((request, response) => void forward(request, response)).listen(
  Number(values.port),
  "127.0.0.1",
  () => {
    const address = server.address()
    console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
  }
)
