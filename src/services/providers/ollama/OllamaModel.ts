/**
 * The language model of an Ollama server: `/api/chat` through the ollama package. Each request has a client of its own,
 * since the package can only stop all requests of a client together, and its lines are checked before the package reads
 * them, since it skips those that it cannot read.
 */
import { type ChatRequest, Ollama } from "ollama/browser"
import type { Sampling } from "../../../domain/models/Generation.ts"
import { brokenOff, readObject, ServerError } from "../ServerFailure.ts"
import { authorization, drain, linesOf, makeFetch } from "../ServerTransport.ts"
import type { ModelOptions } from "../Provider.ts"
import { layerStreamed } from "../StreamedModel.ts"
import { spoken } from "./OllamaHost.ts"
import { makePartReader } from "./OllamaParts.ts"
import { readProviderOptions } from "./OllamaRequest.ts"

/** Parameters of sampling by their names in a request; absent ones are left to the Modelfile. */
const sampledWith = (sampling: Sampling) => ({
  temperature: sampling.temperature,
  top_p: sampling.topP,
  top_k: sampling.topK,
  min_p: sampling.minP,
  seed: sampling.seed,
  repeat_penalty: sampling.repeatPenalty
})

/** The last line of a body, which may lack more than its end. */
const readRest = (text: string): object => {
  try {
    return readObject(text)
  } catch (cause) {
    const isCut = cause instanceof ServerError && cause.failure._tag === "BadLine"
    throw isCut ? brokenOff("the answer ended in the middle of a line") : cause
  }
}

/** Passes the lines of an answer on, a JSON object each, up to the one that says that it is the last. */
export async function* checkedLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const lines = linesOf(pieces)
  for await (const { isWhole, text } of lines) {
    if (text === "") continue
    const value = isWhole ? readObject(text) : readRest(text)
    if ("done" in value && value.done === true) await drain(lines)
    // The package asks for nothing after the last line.
    yield Buffer.from(`${text}\n`)
  }
  throw brokenOff("the answer ended without its last line")
}

/** The finish part carries `metadata.ollama`: `doneReason` and `totalMs`, `loadMs`, `promptMs`, `answerMs`. */
export const layerOllama = (options: ModelOptions) =>
  layerStreamed(
    {
      spoken,
      url: `${options.host}/api/chat`,
      readOptions: readProviderOptions,
      makeReader: makePartReader,
      async *open(question, { contextWindow, format, maxTokens, model, sampling, think }, exchange) {
        const fetch = makeFetch({ ...exchange, read: checkedLines })
        const client = new Ollama({ host: options.host, fetch, headers: authorization(options) })
        const request = {
          model,
          format,
          ...question,
          stream: true as const,
          keep_alive: options.keepAlive ?? "30m",
          think,
          // The server fails instead of cutting what does not fit. The package does not know these two.
          truncate: false,
          shift: false,
          options: { num_ctx: contextWindow, num_predict: maxTokens, ...sampledWith(sampling) }
        }
        yield* await client.chat(request as unknown as ChatRequest & { readonly stream: true })
      }
    },
    options
  )
