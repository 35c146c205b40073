/**
 * A server on the loopback that speaks like Ollama and does what a script says, for tests of everything from the
 * transport to the command line; a child process reaches it by its `url`. It closes all its sockets with its scope.
 */
import * as http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { answerPath, type Document, type FakeModel, fakeModel, findModel, modelMissing } from "./FakeOllamaPaths.ts"
import { type Reply, writesOf } from "./FakeOllamaReply.ts"
import type { ChatBody, Script } from "./FakeOllamaScript.ts"
import { waitLimit } from "./withinLimit.ts"

export interface FakeOllamaOptions {
  /** `qwen3:8b` when absent. */
  readonly models?: ReadonlyArray<FakeModel>
  /** Answers for paths other than /api/chat, instead of what Ollama says there. */
  readonly paths?: Readonly<Record<string, Document>>
  /** The port to listen on, to be the successor of a server that was stopped; a free one when absent. */
  readonly port?: number
}

/** A request; `body` is undefined for GET. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: unknown
}

/** The server while its scope is open. Lists and counts grow as requests come in. */
export interface FakeServer {
  readonly url: string
  /** Every request, in the order of arrival. */
  readonly requests: ReadonlyArray<RecordedRequest>
  /** The bodies of /api/chat, in the order of arrival. */
  readonly chats: ReadonlyArray<ChatBody>
  /** How many sockets are open. */
  readonly connections: () => number
  /** How many connections were ever accepted. */
  readonly acceptedCount: () => number
  /** How many requests the client left before they were answered. */
  readonly abortedCount: () => number
  /** Lets every reply go on that waits at this latch, now or later. */
  release(latch: string): Effect.Effect<void>
  /** Waits until the condition holds; it is looked at after each request, end of a request and closed socket. */
  until(condition: (server: FakeServer) => boolean): Effect.Effect<void>
}

interface State {
  readonly requests: Array<RecordedRequest>
  readonly chats: Array<ChatBody>
  readonly sockets: Set<Socket>
  readonly loaded: Map<string, number>
  readonly latches: Map<string, PromiseWithResolvers<void>>
  readonly watchers: Set<() => void>
  accepted: number
  aborted: number
}

const makeState = (): State => ({
  requests: [],
  chats: [],
  sockets: new Set(),
  loaded: new Map(),
  latches: new Map(),
  watchers: new Set(),
  accepted: 0,
  aborted: 0
})

const latchOf = (state: State, name: string): PromiseWithResolvers<void> => {
  const latch = state.latches.get(name) ?? Promise.withResolvers<void>()
  state.latches.set(name, latch)
  return latch
}

const changed = (state: State): void => {
  for (const watcher of Array.from(state.watchers)) watcher()
}

const sendDocument = (response: http.ServerResponse, { status, body }: Document, headers = {}): void => {
  const type = typeof body === "string" ? "text/plain" : "application/json; charset=utf-8"
  response.writeHead(status, { "content-type": type, ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

const play = async (state: State, response: http.ServerResponse, model: string, reply: Reply): Promise<void> => {
  if (reply.hold !== undefined) await latchOf(state, reply.hold).promise
  if (reply.status !== undefined) {
    const body = reply.body ?? { error: reply.error ?? "" }
    return sendDocument(response, { status: reply.status, body }, reply.headers)
  }
  response.writeHead(200, { "content-type": "application/x-ndjson", ...reply.headers })
  response.flushHeaders()
  let left = reply.cutAfter ?? Infinity
  for (const write of writesOf(model, reply)) {
    if ("latch" in write) {
      await latchOf(state, write.latch).promise
      continue
    }
    const bytes = write.bytes.subarray(0, left)
    left -= bytes.length
    // Each write leaves on its own, so that the client sees the chunks as they were cut.
    await new Promise((resolve) => response.write(bytes, () => setImmediate(resolve)))
    if (left === 0) return void response.destroy(new Error("cut"))
  }
  if (reply.end !== false) response.end()
}

const readText = async (request: http.IncomingMessage): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString("utf8")
}

const serve =
  (state: State, script: Script, options: FakeOllamaOptions) =>
  async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    response.on("error", () => {})
    response.on("close", () => {
      if (!response.writableFinished && response.errored === null) state.aborted++
      changed(state)
    })
    const models = options.models ?? [{ name: fakeModel }]
    const text = await readText(request)
    const path = request.url ?? ""
    const body = text === "" ? undefined : JSON.parse(text)
    state.requests.push({ method: request.method ?? "", path, headers: request.headers, body })
    if (path !== "/api/chat") {
      changed(state)
      const document = options.paths?.[path] ?? answerPath(path, body, models, state.loaded)
      return document.hold === true ? undefined : sendDocument(response, document)
    }
    const chat: ChatBody = body
    const index = state.chats.push(chat) - 1
    changed(state)
    const model = findModel(models, chat.model)
    if (model === undefined) return sendDocument(response, modelMissing(chat.model))
    state.loaded.set(model.name, chat.options?.num_ctx ?? 4096)
    const reply = script(chat, index)
    return play(state, response, model.name, typeof reply === "string" ? { text: reply } : reply)
  }

const openServer = (
  state: State,
  script: Script,
  options: FakeOllamaOptions
): Effect.Effect<http.Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const answer = serve(state, script, options)
      const server = http.createServer((request, response) => {
        answer(request, response).catch(() => response.destroy())
      })
      server.on("connection", (socket) => {
        state.accepted++
        state.sockets.add(socket)
        // Counted after the request on it, which closes later in the same turn.
        socket.on("close", () =>
          setImmediate(() => {
            state.sockets.delete(socket)
            changed(state)
          })
        )
      })
      server.listen(options.port ?? 0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** What is said of a condition that never held. */
const lateText = ({ abortedCount, chats, connections, requests }: FakeServer): string =>
  `What a test waits for did not happen at the server: ${requests.length} requests, ${chats.length} of them chats, ${abortedCount()} left by the client, ${connections()} connections open`

/** Starts a server on a free port. */
const make = Effect.fnUntraced(function* (
  script: Script,
  options: FakeOllamaOptions = {}
): Effect.fn.Return<FakeServer, never, Scope.Scope> {
  const state = makeState()
  const server = yield* openServer(state, script, options)
  const { port } = server.address() as AddressInfo
  const fake: FakeServer = {
    url: `http://127.0.0.1:${port}`,
    requests: state.requests,
    chats: state.chats,
    connections: () => state.sockets.size,
    acceptedCount: () => state.accepted,
    abortedCount: () => state.aborted,
    release: (latch) => Effect.sync(() => latchOf(state, latch).resolve()),
    until: (condition) =>
      Effect.callback<void>((resume) => {
        const late = setTimeout(() => resume(Effect.die(new Error(lateText(fake)))), waitLimit)
        const end = () => {
          clearTimeout(late)
          state.watchers.delete(watcher)
        }
        const watcher = () => {
          if (!condition(fake)) return
          end()
          resume(Effect.void)
        }
        state.watchers.add(watcher)
        watcher()
        return Effect.sync(end)
      })
  }
  return fake
})

export class FakeOllama extends Context.Service<FakeOllama, FakeServer>()("task-conductor/test/FakeOllama") {
  static readonly make = make

  static readonly layer = (script: Script, options?: FakeOllamaOptions): Layer.Layer<FakeOllama> =>
    Layer.effect(FakeOllama, make(script, options))
}
