/**
 * A model server on the loopback that plays what it is told, for stand-ins that speak different APIs: it records requests,
 * waits at latches, cuts connections, and closes all its sockets with its scope.
 */
import * as http from "node:http"
import type { AddressInfo, Socket } from "node:net"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Document } from "./FakeOllamaPaths.ts"
import type { Write } from "./FakeOllamaReply.ts"
import { waitLimit } from "./withinLimit.ts"

/** A request; `body` is undefined for GET. */
export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: unknown
}

/** The server while its scope is open. Lists and counts grow as requests come in. */
export interface FakeServerOf<Chat> {
  readonly url: string
  /** Every request, in the order of arrival. */
  readonly requests: ReadonlyArray<RecordedRequest>
  /** The bodies of requests for an answer, in the order of arrival. */
  readonly chats: ReadonlyArray<Chat>
  /** How many sockets are open. */
  readonly connections: () => number
  /** How many connections were ever accepted. */
  readonly acceptedCount: () => number
  /** How many requests the client left before they were answered. */
  readonly abortedCount: () => number
  /** Lets every reply go on that waits at this latch, now or later. */
  release(latch: string): Effect.Effect<void>
  /** Waits until the condition holds; it is looked at after each request, end of a request and closed socket. */
  until(condition: (server: FakeServerOf<Chat>) => boolean): Effect.Effect<void>
}

/** One answer to a request for an answer of the model. */
export interface Played {
  /** Waits for `release` of this name before the status line. */
  readonly hold?: string
  /** Is sent instead of the writes. */
  readonly refusal?: Document
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: string
  readonly writes?: ReadonlyArray<Write>
  /** Destroys the socket after that many bytes of the body. */
  readonly cutAfter?: number
  /** False leaves the answer open after the last byte. */
  readonly end?: boolean
}

/** How a reply is sent, of what replies of every API may say: an answer, or what is refused. */
export const playedAs = (
  { cutAfter, end, headers, hold }: Pick<Played, "cutAfter" | "end" | "headers" | "hold">,
  answer: Pick<Played, "refusal" | "type" | "writes">
): Played => ({
  ...answer,
  ...(hold === undefined ? {} : { hold }),
  ...(headers === undefined ? {} : { headers }),
  ...(cutAfter === undefined ? {} : { cutAfter }),
  ...(end === undefined ? {} : { end })
})

/** What a stand-in speaks. */
export interface Spoken<Chat> {
  /** What its clients take for its address, behind host and port. */
  readonly base?: string
  readonly chatPath: string
  readonly port?: number
  /** The answer to any other path. */
  readonly answer: (request: RecordedRequest) => Document
  readonly chat: (body: Chat, index: number, request: RecordedRequest) => Played
}

interface State<Chat> {
  readonly requests: Array<RecordedRequest>
  readonly chats: Array<Chat>
  readonly sockets: Set<Socket>
  readonly latches: Map<string, PromiseWithResolvers<void>>
  readonly watchers: Set<() => void>
  accepted: number
  aborted: number
}

type AnyState = Pick<State<unknown>, "latches" | "watchers">

const latchOf = ({ latches }: AnyState, name: string): PromiseWithResolvers<void> => {
  const latch = latches.get(name) ?? Promise.withResolvers<void>()
  latches.set(name, latch)
  return latch
}

const changed = ({ watchers }: AnyState): void => {
  for (const watcher of Array.from(watchers)) watcher()
}

const sendDocument = (response: http.ServerResponse, { status, body }: Document, headers = {}): void => {
  const type = typeof body === "string" ? "text/plain" : "application/json; charset=utf-8"
  response.writeHead(status, { "content-type": type, ...headers })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

const play = async (state: AnyState, response: http.ServerResponse, played: Played): Promise<void> => {
  if (played.hold !== undefined) await latchOf(state, played.hold).promise
  if (played.refusal !== undefined) return sendDocument(response, played.refusal, played.headers)
  response.writeHead(200, { "content-type": played.type ?? "application/json", ...played.headers })
  response.flushHeaders()
  let left = played.cutAfter ?? Infinity
  for (const write of played.writes ?? []) {
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
  if (played.end !== false) response.end()
}

const readText = async (request: http.IncomingMessage): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString("utf8")
}

const serve =
  <Chat>(state: State<Chat>, spoken: Spoken<Chat>) =>
  async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    response.on("error", () => {})
    response.on("close", () => {
      if (!response.writableFinished && response.errored === null) state.aborted++
      changed(state)
    })
    const text = await readText(request)
    const path = request.url ?? ""
    const body = text === "" ? undefined : JSON.parse(text)
    const recorded = { method: request.method ?? "", path, headers: request.headers, body }
    state.requests.push(recorded)
    if (path !== spoken.chatPath) {
      changed(state)
      const document = spoken.answer(recorded)
      return document.hold === true ? undefined : sendDocument(response, document)
    }
    const index = state.chats.push(body) - 1
    changed(state)
    return play(state, response, spoken.chat(body, index, recorded))
  }

const openServer = <Chat>(state: State<Chat>, spoken: Spoken<Chat>): Effect.Effect<http.Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const answer = serve(state, spoken)
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
      server.listen(spoken.port ?? 0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** What is said of a condition that never held. */
const lateText = ({ abortedCount, chats, connections, requests }: FakeServerOf<unknown>): string =>
  `What a test waits for did not happen at the server: ${requests.length} requests, ${chats.length} of them chats, ${abortedCount()} left by the client, ${connections()} connections open`

/** Starts a server, on a free port unless one is named. */
export const startFakeServer = Effect.fnUntraced(function* <Chat>(
  spoken: Spoken<Chat>
): Effect.fn.Return<FakeServerOf<Chat>, never, Scope.Scope> {
  const state: State<Chat> = {
    requests: [],
    chats: [],
    sockets: new Set(),
    latches: new Map(),
    watchers: new Set(),
    accepted: 0,
    aborted: 0
  }
  const server = yield* openServer(state, spoken)
  const { port } = server.address() as AddressInfo
  const fake: FakeServerOf<Chat> = {
    url: `http://127.0.0.1:${port}${spoken.base ?? ""}`,
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
