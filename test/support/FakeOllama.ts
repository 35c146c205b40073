/**
 * A server on the loopback that speaks like Ollama and does what a script says, for tests of everything from the
 * transport to the command line; a child process reaches it by its `url`. It closes all its sockets with its scope.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { answerPath, type Document, type FakeModel, fakeModel, findModel, modelMissing } from "./FakeOllamaPaths.ts"
import { type Reply, writesOf } from "./FakeOllamaReply.ts"
import type { ChatBody, Script } from "./FakeOllamaScript.ts"
import { type FakeServerOf, type Played, playedAs, startFakeServer } from "./FakeServer.ts"

export type FakeServer = FakeServerOf<ChatBody>

export interface FakeOllamaOptions {
  /** `qwen3:8b` when absent. */
  readonly models?: ReadonlyArray<FakeModel>
  /** Answers for paths other than /api/chat, instead of what Ollama says there. */
  readonly paths?: Readonly<Record<string, Document>>
  /** The port to listen on, to be the successor of a server that was stopped; a free one when absent. */
  readonly port?: number
}

const playedReply = (model: string, reply: Reply): Played =>
  playedAs(
    reply,
    reply.status === undefined
      ? { type: "application/x-ndjson", writes: writesOf(model, reply) }
      : { refusal: { status: reply.status, body: reply.body ?? { error: reply.error ?? "" } } }
  )

/** Starts a server on a free port. */
const make = Effect.fnUntraced(function* (
  script: Script,
  options: FakeOllamaOptions = {}
): Effect.fn.Return<FakeServer, never, Scope.Scope> {
  const models = options.models ?? [{ name: fakeModel }]
  const loaded = new Map<string, number>()
  return yield* startFakeServer<ChatBody>({
    chatPath: "/api/chat",
    ...(options.port === undefined ? {} : { port: options.port }),
    answer: ({ body, path }) => options.paths?.[path] ?? answerPath(path, body, models, loaded),
    chat: (chat, index) => {
      const model = findModel(models, chat.model)
      if (model === undefined) return { refusal: modelMissing(chat.model) }
      loaded.set(model.name, chat.options?.num_ctx ?? 4096)
      // What is kept for no time is gone after the answer, which nobody asks about before it is there.
      if (String(chat["keep_alive"]).startsWith("0")) loaded.delete(model.name)
      const reply = script(chat, index)
      return playedReply(model.name, typeof reply === "string" ? { text: reply } : reply)
    }
  })
})

export class FakeOllama extends Context.Service<FakeOllama, FakeServer>()("task-conductor/test/FakeOllama") {
  static readonly make = make

  static readonly layer = (script: Script, options?: FakeOllamaOptions): Layer.Layer<FakeOllama> =>
    Layer.effect(FakeOllama, make(script, options))
}
