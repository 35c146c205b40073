/**
 * One streamed answer of a model server: the request, the objects of its body as they become complete, and the moment at
 * which it takes too long. It is read by callbacks over node:http with one keep-alive agent: with a `fetch`, web streams
 * and iterators between them a call costs three times the processor time (docs/decisions/067).
 */
import * as http from "node:http"
import { request as secureRequest } from "node:https"
import { urlToHttpOptions } from "node:url"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { asOllamaError, type ServerAddress } from "./OllamaClient.ts"
import { OllamaError } from "./OllamaErrors.ts"
import { type BodyReader, lostConnection } from "./OllamaLines.ts"
import { noResponse, readRefusal } from "./OllamaTransport.ts"
import { type CallTimes, endOfCall } from "./OllamaWaits.ts"

/** How long the server may take to end an answer after its last object before the connection is given up, in ms. */
const endGrace = 250

/** What all calls of a model share. */
export interface Connection {
  readonly agent: http.Agent
  /** When the server last sent an object, to any call. */
  readonly heard: { at: number }
}

/** Where answers come from, as a request names it. */
export type ServerPath = http.RequestOptions

/** A path below the address of a server for requests, or nothing when that is no address. */
export const serverPath = (
  address: string,
  apiKey: ServerAddress["apiKey"],
  accept: string
): ServerPath | undefined => {
  const url = URL.parse(address)
  if (url === null) return undefined
  const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(apiKey)}` }
  const headers = { "content-type": "application/json", accept, ...authorization }
  return { ...urlToHttpOptions(url), method: "POST", headers }
}

export interface AnswerRequest {
  readonly to: ServerPath
  readonly body: string
  readonly reader: BodyReader
  readonly times: CallTimes
  /** Is called when the server has accepted the connection. */
  readonly connected: () => void
}

/** The next objects of an answer, at least one; none when it has ended. */
export type NextObjects = Effect.Effect<ReadonlyArray<unknown>, OllamaError>

const none: ReadonlyArray<unknown> = []

const nothing = (): void => {}

/** Sends the request. `now` is the time in ms. */
const begin = ({ agent, heard }: Connection, asked: AnswerRequest, now: () => number) => {
  const { body, connected, reader, times, to } = asked
  const began = now()
  let objects: Array<unknown> = []
  let failure: OllamaError | undefined
  let heardAt: number | undefined
  let isConnected = false
  let wake = nothing
  let isReleased = false
  let released = nothing

  const fail = (error: () => OllamaError): void => {
    if (failure !== undefined || reader.isDone()) return
    failure = error()
    wake()
  }
  const take = (read: () => void): void => {
    const before = objects.length
    try {
      read()
    } catch (cause) {
      failure = asOllamaError(cause)
    }
    if (objects.length > before) {
      heardAt = now()
      heard.at = heardAt
    }
    wake()
  }
  const endBody = (): void => {
    if (failure === undefined && !reader.isDone()) take(() => reader.end(objects))
  }
  const onConnected = (): void => {
    isConnected = true
    connected()
  }

  const isSecure = to.protocol === "https:"
  const request = (isSecure ? secureRequest : http.request)({ ...to, agent })
  request.on("socket", (socket) => {
    if (request.reusedSocket) onConnected()
    else socket.once(isSecure ? "secureConnect" : "connect", onConnected)
  })
  request.on("error", (cause) => fail(() => noResponse(cause)))
  // The agent has the connection back a moment after this event.
  request.on("close", () => {
    queueMicrotask(() => {
      isReleased = true
      released()
    })
  })
  request.on("response", (response) => {
    if (response.statusCode !== 200) return void readRefusal(response).then((error) => fail(() => error))
    response.on("data", (chunk: Uint8Array) => {
      if (failure === undefined && !reader.isDone()) take(() => reader.read(chunk, objects))
    })
    response.on("end", endBody)
    response.on("error", (cause) => fail(() => lostConnection(cause)))
    response.on("close", () => fail(() => lostConnection({ code: "ERR_STREAM_PREMATURE_CLOSE" })))
  })
  request.end(body)

  /** What the reader gets now; nothing when there is nothing yet. */
  const settled = (): NextObjects | undefined => {
    if (objects.length > 0) {
      const taken = objects
      objects = []
      return Effect.succeed(taken)
    }
    if (failure !== undefined) return Effect.fail(failure)
    return reader.isDone() ? Effect.succeed(none) : undefined
  }
  const arrival: NextObjects = Effect.callback((resume) => {
    wake = () => {
      const answer = settled()
      if (answer === undefined) return
      // The reader may go on at once, and wait for the next objects.
      wake = nothing
      resume(answer)
    }
    return Effect.sync(() => {
      wake = nothing
    })
  })
  const next: NextObjects = Effect.suspend(() => settled() ?? arrival)

  /** Ends the call at the moment at which it takes too long, which moves while it is waited for. */
  const watch = Effect.gen(function* () {
    for (;;) {
      const { at, reason } = endOfCall(times, { began, isConnected, heardAt, heardAny: heard.at })
      const left = at - now()
      if (left <= 0) return fail(() => new OllamaError({ reason }))
      // The first object may shorten the time that is left.
      yield* Effect.sleep(Duration.millis(Math.min(left, times.idle)))
    }
  })

  /** A finished answer leaves its connection to the agent; any other has its socket closed at once. */
  const close = Effect.callback<void>((resume) => {
    const destroy = (): void => {
      request.destroy()
      resume(Effect.void)
    }
    if (isReleased || !reader.isDone()) return destroy()
    const timer = setTimeout(destroy, endGrace)
    released = () => {
      clearTimeout(timer)
      resume(Effect.void)
    }
  })

  return { close, next, watch }
}

/** Sends a request and gives its answer; the end of the scope ends the request in any state. */
export const openAnswer = (
  connection: Connection,
  request: AnswerRequest
): Effect.Effect<NextObjects, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const exchange = yield* Effect.acquireRelease(
      Effect.sync(() => begin(connection, request, () => clock.currentTimeMillisUnsafe())),
      ({ close }) => close
    )
    yield* Effect.forkScoped(exchange.watch)
    return exchange.next
  })
