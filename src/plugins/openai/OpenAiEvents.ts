/**
 * Parses the body of an answer in OpenAI's format into objects. The body is a stream of server-sent events with JSON,
 * up to `[DONE]`. Some servers send objects outside of events, or one whole answer instead.
 */
import * as Predicate from "effect/Predicate"
import * as Option from "effect/Option"
import * as Sse from "effect/encoding/Sse"
import {
  badLine,
  brokenOff,
  drain,
  endedForAnother,
  linesOf,
  maxBytes,
  reportedError,
  ServerError
} from "../../plugin-kit.ts"

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const parseObject = (text: string): object | undefined => {
  const value = Option.getOrUndefined(parse(text))
  return Predicate.isObject(value) ? value : undefined
}

/**
 * True for an object that reports an error. Servers write it in one of three forms: in the field `error`, as the object
 * itself (old vLLM), or in the form of FastAPI.
 */
const isError = (value: object): boolean => {
  const { detail, error, message, object } = value as Readonly<Record<string, unknown>>
  if (error != null || object === "error") return true
  return !("choices" in value) && (typeof message === "string" || detail != null)
}

/** The object in an event. Throws if the event reports an error or has no object. */
const objectOf = ({ data, event }: Sse.Event): object => {
  const value = parseObject(data)
  if (event === "error") throw reportedError(value ?? data)
  if (value === undefined) throw badLine(data.trim())
  if (isError(value)) throw reportedError(value)
  return value
}

/** Checks an object outside of events. */
const bareObject = (value: object, text: string): object => {
  if (isError(value)) throw reportedError(value)
  // Some servers send lines of JSON in place of events. Only lines with `choices` are accepted.
  if (!("choices" in value)) throw badLine(text)
  return value
}

/** True for a whole answer, and for an object with a finish reason. Some servers send no `[DONE]` after this object. */
const isLast = (value: object): boolean =>
  Predicate.hasProperty(value, "choices") &&
  Array.isArray(value.choices) &&
  value.choices.some(
    (choice) =>
      (Predicate.hasProperty(choice, "finish_reason") && choice.finish_reason != null) ||
      (Predicate.hasProperty(choice, "message") && choice.message != null && !("delta" in choice))
  )

const tooLarge = new ServerError({ failure: { _tag: "TooLarge", limit: maxBytes } })

/** Collects the lines of an object. */
const makeBareText = () => {
  let text = ""
  return {
    /**
     * Adds a line. Returns the object if the first line is a whole object. Otherwise, `end` returns the object later.
     * `isBegun` tells whether an object has begun.
     */
    add: (line: string): object | undefined => {
      const isFirst = text === ""
      text += `${line}\n`
      if (text.length > maxBytes) throw tooLarge
      // Only the first line is parsed at once. With more lines, `end` parses them together.
      return isFirst ? complete() : undefined
    },
    isBegun: () => text !== "",
    /** Parses all collected lines as one object. */
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

/** A line end after the body, because the parser may wait for one. */
const endOfBody = [{ text: "\n" }]

/**
 * Returns the objects of an answer one by one. The answer is complete after `[DONE]`, or at the end of the body after a
 * finish reason. If `isFollowed` tells that a later call has begun, `[DONE]` without a finish reason is an error.
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
      // Another kind of server may answer with an HTML page.
      if (text.startsWith("<")) throw badLine(text)
      if (done !== true && (bare.isBegun() || text.startsWith("{"))) {
        const value = bare.add(text)
        if (value !== undefined) yield passed(value)
        continue
      }
      // Older servers report errors in a field `error:`, which is read as an event.
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
