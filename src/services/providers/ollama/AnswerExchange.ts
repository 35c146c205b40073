/**
 * One streamed answer of a model server: the request, the objects of its body as they become complete, and the moment at
 * which it takes too long. It is read by callbacks over node:http with one keep-alive agent: with a `fetch`, web streams
 * and iterators between them a call costs three times the processor time.
 */
import * as http from "node:http"
import { request as secureRequest } from "node:https"
import { urlToHttpOptions } from "node:url"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { CallTimers } from "../CallTimers.ts"
import type { ServerAddress } from "./OllamaClient.ts"
import { OllamaError } from "./OllamaErrors.ts"
import { type BodyReader, lostConnection } from "./OllamaLines.ts"
import { noResponse, readRefusal } from "./OllamaTransport.ts"
import { type CallTimes, endOfCall } from "./OllamaWaits.ts"

/** How long an answer waits for its end after its last object, so that its connection serves the next call; in ms. */
const endGrace = 250

/** What all calls of a model share. */
export interface Connection {
  readonly agent: http.Agent
  readonly timers: CallTimers
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
  readonly take: TakeObjects
}

/**
 * Gets the objects of an answer as they come, at least one; true when `Progress` has to go on. An `OllamaError` that it throws
 * ends the answer.
 */
export type TakeObjects = (objects: ReadonlyArray<unknown>) => boolean

/** Waits until an object asks for it, or the answer has ended, which is what it says. */
export type Progress<E = OllamaError> = Effect.Effect<"asked" | "ended", E>

const asked: Progress<never> = Effect.succeed("asked")
const ended: Progress<never> = Effect.succeed("ended")

const failureOf = (cause: unknown): Effect.Effect<never, OllamaError> =>
  cause instanceof OllamaError ? Effect.fail(cause) : Effect.die(cause)

const nothing = (): void => {}

/** Sends the request. `now` is the time in ms. */
const begin = ({ agent, heard }: Connection, request: AnswerRequest, now: () => number) => {
  const { body, connected, reader, take, times, to } = request
  const began = now()
  let isAsked = false
  let failure: Effect.Effect<never, OllamaError> | undefined
  let heardAt: number | undefined
  let isConnected = false
  let wake = nothing
  let isReleased = false
  let grace: NodeJS.Timeout | undefined

  /** The agent has the connection of a finished answer again, or does not get it. */
  const release = (): void => {
    isReleased = true
    clearTimeout(grace)
    wake()
  }
  const fail = (error: () => OllamaError): void => {
    if (failure !== undefined || reader.isDone()) return
    failure = Effect.fail(error())
    wake()
  }
  const arrived = (read: (objects: Array<unknown>) => void): void => {
    const objects: Array<unknown> = []
    let broken: Effect.Effect<never, OllamaError> | undefined
    try {
      read(objects)
    } catch (cause) {
      broken = failureOf(cause)
    }
    if (objects.length > 0) {
      heardAt = now()
      heard.at = heardAt
      try {
        if (take(objects)) isAsked = true
      } catch (cause) {
        failure = failureOf(cause)
      }
    }
    failure ??= broken
    if (reader.isDone()) grace = setTimeout(release, endGrace)
    wake()
  }
  const endBody = (): void => {
    if (failure === undefined && !reader.isDone()) arrived(reader.end)
  }
  const onConnected = (): void => {
    isConnected = true
    connected()
  }

  const isSecure = to.protocol === "https:"
  const exchange = (isSecure ? secureRequest : http.request)({ ...to, agent })
  exchange.on("socket", (socket) => {
    if (exchange.reusedSocket) onConnected()
    else socket.once(isSecure ? "secureConnect" : "connect", onConnected)
  })
  exchange.on("error", (cause) => fail(() => noResponse(cause)))
  // The agent has the connection back a moment after this event.
  exchange.on("close", () => queueMicrotask(release))
  exchange.on("response", (response) => {
    if (response.statusCode !== 200) return void readRefusal(response).then((error) => fail(() => error))
    response.on("data", (chunk: Uint8Array) => {
      if (failure === undefined && !reader.isDone()) arrived((objects) => reader.read(chunk, objects))
    })
    response.on("end", endBody)
    response.on("error", (cause) => fail(() => lostConnection(cause)))
    response.on("close", () => fail(() => lostConnection({ code: "ERR_STREAM_PREMATURE_CLOSE" })))
  })
  exchange.end(body)

  /** What `progress` comes to now; nothing when it has to wait. */
  const settled = (): Progress | undefined => {
    if (isAsked) {
      isAsked = false
      return asked
    }
    return failure ?? (reader.isDone() && isReleased ? ended : undefined)
  }
  const later: Progress = Effect.callback((resume) => {
    wake = () => {
      const state = settled()
      if (state === undefined) return
      // Who waited may go on at once, and wait again.
      wake = nothing
      resume(state)
    }
    return Effect.sync(() => {
      wake = nothing
    })
  })
  const progress: Progress = Effect.suspend(() => settled() ?? later)

  /** Ends the call at the moment at which it takes too long, which moves while it is waited for. */
  const endLate = (): number | undefined => {
    const { at, reason } = endOfCall(times, { began, isConnected, heardAt, heardAny: heard.at })
    const left = at - now()
    // The first object may shorten the time that is left.
    if (left > 0) return now() + Math.min(left, times.idle)
    fail(() => new OllamaError({ reason }))
    return undefined
  }

  /** A finished answer has left its connection to the agent; any other has its socket closed at once. */
  const close = (): void => {
    clearTimeout(grace)
    exchange.destroy()
  }

  return { close, endLate, progress }
}

/** An answer that is under way. */
export interface OpenAnswer<E = OllamaError> {
  readonly progress: Progress<E>
  /** Ends the request in any state; it has to be run. */
  readonly close: Effect.Effect<void>
}

const start = (connection: Connection, request: AnswerRequest, clock: Clock.Clock): Effect.Effect<OpenAnswer> => {
  const { close, endLate, progress } = begin(connection, request, () => clock.currentTimeMillisUnsafe())
  const timer = connection.timers.start(endLate() ?? 0, Effect.sync(endLate))
  return Effect.map(timer, (endTimer) => ({
    close: Effect.sync(() => {
      endTimer()
      close()
    }),
    progress
  }))
}

/** Sends a request. No function that lives as long as the answer is made here: it would keep the body. */
export const openAnswer = (connection: Connection, request: AnswerRequest): Effect.Effect<OpenAnswer> =>
  Clock.clockWith((clock) => start(connection, request, clock))
