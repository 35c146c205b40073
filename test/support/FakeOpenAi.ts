/**
 * A server on the loopback that speaks the API of OpenAI and does what a script says, in the same way as FakeOllama.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Document } from "./FakeOllamaPaths.ts"
import { type OpenAiReply, openAiWrites } from "./FakeOpenAiReply.ts"
import { type FakeServerOf, type Played, playedAs, type RecordedRequest, startFakeServer } from "./FakeServer.ts"

/** The body of a request to /chat/completions. */
export interface CompletionBody {
  readonly model: string
  readonly messages: ReadonlyArray<{
    readonly role: string
    readonly content: string | null
    readonly [key: string]: unknown
  }>
  readonly max_tokens?: number
  readonly [key: string]: unknown
}

/** What the server answers to the request with this number, counted from 0; a string is the text of an answer. */
export type OpenAiScript = (body: CompletionBody, index: number) => OpenAiReply | string

export interface FakeOpenAiOptions {
  /** The entries of /models; one without a window when absent. */
  readonly models?: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Answers for other paths. */
  readonly paths?: Readonly<Record<string, Document>>
  /** The key that has to be sent. */
  readonly key?: string
  readonly port?: number
}

export const fakeOpenAiModel = "Qwen/Qwen3-8B"

const listed = { id: fakeOpenAiModel, object: "model", created: 1_763_600_000, owned_by: "library" }

/** An error in the form of OpenAI. */
export const openAiError = (
  status: number,
  message: string,
  type: string,
  code: string | number | null = null
): Document => ({ status, body: { error: { message, type, param: null, code } } })

const unauthorized = openAiError(401, "Incorrect API key provided", "invalid_request_error", "invalid_api_key")

const playedReply = (model: string, reply: OpenAiReply): Played => {
  const { body, error = "", status } = reply
  if (status === undefined) return playedAs(reply, { type: "text/event-stream", writes: openAiWrites(model, reply) })
  const refusal = openAiError(status, error, "server_error")
  return playedAs(reply, { refusal: body === undefined ? refusal : { status, body } })
}

/** Starts a server on a free port; its `url` is the base address. */
const make = (
  script: OpenAiScript,
  options: FakeOpenAiOptions = {}
): Effect.Effect<FakeServerOf<CompletionBody>, never, Scope.Scope> => {
  const isRefused = ({ headers }: RecordedRequest) =>
    options.key !== undefined && headers.authorization !== `Bearer ${options.key}`
  return startFakeServer<CompletionBody>({
    base: "/v1",
    chatPath: "/v1/chat/completions",
    ...(options.port === undefined ? {} : { port: options.port }),
    answer: (request) => {
      if (isRefused(request)) return unauthorized
      const { path } = request
      if (path === "/v1/models") return { status: 200, body: { object: "list", data: options.models ?? [listed] } }
      return options.paths?.[path] ?? openAiError(404, "File Not Found", "not_found_error", 404)
    },
    chat: (body, index, request) => {
      if (isRefused(request)) return { refusal: unauthorized }
      const reply = script(body, index)
      return playedReply(body.model, typeof reply === "string" ? { text: reply } : reply)
    }
  })
}

export const FakeOpenAi = { make }
