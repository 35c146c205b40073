/**
 * The model server of the job, on the loopback, with OpenAI's API. It calls the two tools one after another and then
 * answers in JSON. Some cases differ:
 * - `malformed`: the first call lacks an argument.
 * - `misfit`: the first answer that needs a form has another form.
 * - `endless`: it calls a tool again and again.
 * - `killed`: it never sends its third answer.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

interface Completion {
  readonly stream?: boolean
  readonly response_format?: unknown
  readonly tools?: ReadonlyArray<{ readonly function: { readonly name: string } }>
}

interface Call {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** What the server saw. */
export interface Seen {
  requests: number
  /** The length of the largest request, in characters. */
  largest: number
}

const calls: ReadonlyArray<Call> = [
  { name: "grep", arguments: { word: "rounds" } },
  { name: "read", arguments: { path: "limits.md" } }
]

/** A call as text. For a client that offers its tools in the prompt. */
const inText = (call: Call): string =>
  `## Tool Calls\n\n\`\`\`json\n${JSON.stringify({ uid: "call-1", ...call })}\n\`\`\`\n`

/** The message for each request. Some clients expect an answer with a form as the call of an additional tool. */
const makeScript = (kind: string) => {
  const wrong = kind === "malformed" ? [{ name: "grep", arguments: { wrod: "rounds" } }] : []
  let isMisfit = kind === "misfit"
  return ({ response_format: format, tools = [] }: Completion, index: number) => {
    const call = kind === "endless" ? calls[0] : [...wrong, ...calls][index]
    const form = tools.map((one) => one.function.name).find((name) => /^(?:extract|response|structured)/i.test(name))
    const answer = { file: "limits.md", rounds: isMisfit ? "five" : 5 }
    if (call === undefined && (form !== undefined || format !== undefined)) isMisfit = false
    const made = call ?? (form === undefined ? undefined : { name: form, arguments: answer })
    if (made === undefined) return { role: "assistant", content: JSON.stringify(answer) }
    if (tools.length === 0) return { role: "assistant", content: inText(made) }
    const { arguments: args, name } = made
    const called = {
      index: 0,
      id: `call_${index}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) }
    }
    return { role: "assistant", content: null, tool_calls: [called] }
  }
}

type Message = ReturnType<ReturnType<typeof makeScript>>

const send = (
  response: ServerResponse,
  { index, stream }: { readonly index: number; readonly stream: boolean },
  message: Message
): void => {
  const reason = message.content === null ? "tool_calls" : "stop"
  const base = { id: `chatcmpl-${index}`, created: 1, model: "bench" }
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason: reason }]
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ ...base, object: "chat.completion", choices, usage }))
    return
  }
  const chunk = (delta: object, finish: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    return `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices, usage: finish === null ? null : usage })}\n\n`
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.end(`${chunk(message, null)}${chunk({}, reason)}data: [DONE]\n\n`)
}

/** Starts the server. `held` resolves when a request came that the server will not answer. */
export const startJobServer = async (kind: string) => {
  const script = makeScript(kind)
  const seen: Seen = { requests: 0, largest: 0 }
  const held = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString()
      if (!request.url?.endsWith("/chat/completions")) {
        response.writeHead(200, { "content-type": "application/json" })
        response.end(
          JSON.stringify({ object: "list", data: [{ id: "bench", object: "model", max_model_len: 131_072 }] })
        )
        return
      }
      const completion = JSON.parse(text) as Completion
      const index = seen.requests++
      seen.largest = Math.max(seen.largest, text.length)
      if (kind === "killed" && index === calls.length) return held.resolve()
      send(response, { index, stream: completion.stream === true }, script(completion, index))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { seen, held: held.promise, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close }
}
