/**
 * The body of an answer of the API of OpenAI as the objects that it holds: server-sent events with a JSON object each, the last of
 * them `[DONE]`. Some servers write the objects without events, or the whole answer as one object although a stream was asked for.
 */
import * as Predicate from "effect/Predicate"
import * as Option from "effect/Option"
import * as Sse from "effect/encoding/Sse"
import {
  badLine,
  brokenOff,
  endedForAnother,
  reportedError,
  ServerError
} from "../../services/providers/ServerFailure.ts"
import { drain, linesOf, maxBytes } from "../../services/providers/ServerTransport.ts"

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const parseObject = (text: string): object | undefined => {
  const value = Option.getOrUndefined(parse(text))
  return Predicate.isObject(value) ? value : undefined
}

/** True for an object that reports an error: under `error`, as vLLM once sent the error itself, or as FastAPI does. */
const isError = (value: object): boolean => {
  const { detail, error, message, object } = value as Readonly<Record<string, unknown>>
  if (error != null || object === "error") return true
  return !("choices" in value) && (typeof message === "string" || detail != null)
}

/** The object of an event. */
const objectOf = ({ data, event }: Sse.Event): object => {
  const value = parseObject(data)
  if (event === "error") throw reportedError(value ?? data)
  if (value === undefined) throw badLine(data.trim())
  if (isError(value)) throw reportedError(value)
  return value
}

/** A part of the answer that stands in no event. */
const bareObject = (value: object, text: string): object => {
  if (isError(value)) throw reportedError(value)
  // Another server answers with lines of JSON too.
  if (!("choices" in value)) throw badLine(text)
  return value
}

/** True for a chunk that says why the answer ended, and for a whole answer; some servers send no `[DONE]` after it. */
const isLast = (value: object): boolean =>
  Predicate.hasProperty(value, "choices") &&
  Array.isArray(value.choices) &&
  value.choices.some(
    (choice) =>
      (Predicate.hasProperty(choice, "finish_reason") && choice.finish_reason != null) ||
      (Predicate.hasProperty(choice, "message") && choice.message != null && !("delta" in choice))
  )

const tooLarge = new ServerError({ failure: { _tag: "TooLarge", limit: maxBytes } })

/** Collects the lines of an object that is written in several. */
const makeBareText = () => {
  let text = ""
  return {
    /** The object that ends with this line; nothing while it is not complete, which `isBegun` says. */
    add: (line: string): object | undefined => {
      const isFirst = text === ""
      text += `${line}\n`
      if (text.length > maxBytes) throw tooLarge
      // Only a first line is tried: what it does not hold is read when all is there.
      return isFirst ? complete() : undefined
    },
    isBegun: () => text !== "",
    /** The object that all lines hold. */
    end: (): object => {
      const all = text
      const value = complete()
      if (value === undefined) throw badLine(all)
      return value
    }
  }
  function complete(): object | undefined {
    const value = parseObject(text)
    if (value === undefined) return undefined
    const all = text
    text = ""
    return bareObject(value, all)
  }
}

/** What a body ends with for the reader of its events, which may wait for the end of one. */
const endOfBody = [{ text: "\n" }]

/**
 * The objects of an answer as they come. It has ended with `[DONE]`, or with the end of the body after the reason for the end was
 * given. `[DONE]` without a reason is no end where another call was sent meanwhile (`isFollowed`).
 */
export async function* objectsOf(
  pieces: AsyncIterable<Uint8Array>,
  isFollowed: () => boolean
): AsyncGenerator<object, void> {
  const events: Array<Sse.Event> = []
  const parser = Sse.makeParser(
    (event) => {
      if (event._tag === "Event") events.push(event)
    },
    { maxEventSize: maxBytes }
  )
  const bare = makeBareText()
  const body = linesOf(pieces)
  let hasFinished = false
  const passed = (value: object): object => {
    hasFinished ||= isLast(value)
    return value
  }
  for (;;) {
    const { done, value: lines = endOfBody } = await body.next()
    for (const { text } of lines) {
      // A server that is no server of this API answers with a page.
      if (text.startsWith("<")) throw badLine(text)
      if (done !== true && (bare.isBegun() || text.startsWith("{"))) {
        const value = bare.add(text)
        if (value !== undefined) yield passed(value)
        continue
      }
      // Older servers report an error in a field of its own.
      if (parser.feed(`${text.replace(/^error:/, "event: error\ndata:")}\n`) !== undefined) throw tooLarge
      for (const event of events.splice(0)) {
        if (event.data.trim() === "") continue
        if (event.data.trim() === "[DONE]") {
          await drain(body)
          if (!hasFinished && isFollowed()) throw reportedError(endedForAnother)
          return
        }
        if (done === true && parseObject(event.data) === undefined) throw unfinished()
        yield passed(objectOf(event))
      }
    }
    if (done !== true) continue
    if (bare.isBegun()) yield passed(bare.end())
    if (!hasFinished) throw unfinished()
    return
  }
}

const unfinished = (): ServerError => brokenOff("the answer ended without its last event")
