/**
 * The formats in which the model server for measurements answers: Ollama as lines, Ollama as a single object, and
 * OpenAI as a single object.
 */
import type * as http from "node:http"

export interface Counts {
  readonly prompt: number
  readonly answer: number
}

/** What the model answers: a text, or a tool call. */
export type Said = string | { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }

/** An answer, shortened to the allowed length. */
export interface Cut {
  readonly said: Said
  readonly pieces: ReadonlyArray<string>
  readonly isCut: boolean
}

/** Cuts a text into its words, or into `pieces` parts of equal length. */
export const cutAnswer = (said: Said, mostWords: number, pieces?: number): Cut => {
  if (typeof said !== "string") return { said, pieces: [], isCut: false }
  const words = said.match(/\s*\S+\s*$|\s*\S+|\s+/gu) ?? []
  const kept = words.slice(0, mostWords)
  const isCut = kept.length < words.length
  if (pieces === undefined) return { said: kept.join(""), pieces: kept, isCut }
  const text = kept.join("")
  const size = Math.max(1, Math.ceil(text.length / pieces))
  const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size))
  return { said: text, pieces: parts, isCut }
}

const head = { model: "bench", created_at: "2026-01-01T00:00:00Z" }

const messageOf = (said: Said) =>
  typeof said === "string"
    ? { role: "assistant", content: said }
    : { role: "assistant", content: "", tool_calls: [{ function: said }] }

const ending = (isCut: boolean, { answer, prompt }: Counts) => ({
  done: true,
  done_reason: isCut ? "length" : "stop",
  prompt_eval_count: prompt,
  eval_count: answer
})

const line = (value: object): string => `${JSON.stringify({ ...head, ...value })}\n`

/** Writes an answer as lines of /api/chat. */
export const writeLines = (response: http.ServerResponse, { isCut, pieces, said }: Cut, counts: Counts): void => {
  response.writeHead(200, { "content-type": "application/x-ndjson" })
  if (typeof said !== "string") response.write(line({ message: messageOf(said), done: false }))
  for (const content of pieces) response.write(line({ message: { role: "assistant", content }, done: false }))
  response.end(line({ message: { role: "assistant", content: "" }, ...ending(isCut, counts) }))
}

/** The answer to /api/chat with `stream: false`. */
export const wholeAnswer = ({ isCut, said }: Cut, counts: Counts): object => ({
  ...head,
  message: messageOf(said),
  ...ending(isCut, counts)
})

/** The answer to /v1/chat/completions. */
export const completion = ({ isCut, said }: Cut, { answer, prompt }: Counts, number: number): object => {
  const called = typeof said === "string" ? undefined : said
  const message =
    called === undefined
      ? { role: "assistant", content: said }
      : {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: `call_${number}`,
              type: "function",
              function: { name: called.name, arguments: JSON.stringify(called.arguments) }
            }
          ]
        }
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    created: 1_767_225_600,
    model: head.model,
    choices: [{ index: 0, finish_reason: called === undefined ? (isCut ? "length" : "stop") : "tool_calls", message }],
    usage: { prompt_tokens: prompt, completion_tokens: answer, total_tokens: prompt + answer }
  }
}
