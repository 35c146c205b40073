/**
 * Reads the body of a streamed answer: server-sent events with a JSON object each, the last of them `[DONE]`. Anything
 * else ends the answer with an OllamaError.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { OllamaError } from "../ollama/OllamaErrors.ts"
import { type BodyReader, maxBytes } from "../ollama/OllamaLines.ts"
import { readErrorEvent } from "./OpenAiErrors.ts"

const badEvent = (text: string): OllamaError =>
  new OllamaError({ reason: { _tag: "BadLine", excerpt: text.slice(0, 80) } })

const unfinished = (): OllamaError =>
  new OllamaError({ reason: { _tag: "BrokenOff", detail: "the answer ended without its last event" } })

/** What an event says: one object, the end, or nothing. */
type Event = { readonly value: object; readonly hasFinished: boolean } | "done" | undefined

/** True for a chunk that says why the answer ended; some servers send no `[DONE]` after it. */
const saysWhyItEnded = (value: object): boolean =>
  Predicate.hasProperty(value, "choices") &&
  Array.isArray(value.choices) &&
  value.choices.some((choice) => Predicate.hasProperty(choice, "finish_reason") && choice.finish_reason != null)

const readData = (data: string): Result.Result<Event, OllamaError> => {
  const text = data.trim()
  if (text === "") return Result.succeed(undefined)
  if (text === "[DONE]") return Result.succeed("done")
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed) || !Predicate.isObject(parsed.success)) return Result.fail(badEvent(text))
  const failure = readErrorEvent(parsed.success)
  if (failure !== undefined) return Result.fail(failure)
  return Result.succeed({ value: parsed.success, hasFinished: saysWhyItEnded(parsed.success) })
}

/** Cuts a body into events. Lines of `data` belong together until a blank line; other fields and comments mean nothing. */
const makeCutter = () => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let rest = ""
  let data: Array<string> = []
  let held = 0

  const take = (): Result.Result<Event, OllamaError> => {
    const read = readData(data.join("\n"))
    data = []
    held = 0
    return read
  }
  const readLine = (line: string): Result.Result<Event, OllamaError> => {
    if (line === "") return take()
    const field = /^(data|error): ?(.*)$/s.exec(line)
    if (field?.[1] === "error") return readData(`{"error":${field[2] ?? ""}}`)
    if (field !== null) {
      data.push(field[2] ?? "")
      held += field[0].length
    }
    // A server that is no server of this API answers with a page or with lines of JSON.
    else if (/^[<{]/.test(line)) return Result.fail(badEvent(line))
    return Result.succeed(undefined)
  }
  return {
    *cut(chunk: Uint8Array): Generator<Result.Result<Event, OllamaError>, void, void> {
      const decoded = Result.try(() => decoder.decode(chunk, { stream: true }))
      if (Result.isFailure(decoded)) return yield Result.fail(badEvent("text that is not UTF-8"))
      rest += decoded.success
      if (held + rest.length > maxBytes) {
        return yield Result.fail(new OllamaError({ reason: { _tag: "TooLarge", limit: maxBytes } }))
      }
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = lines.pop() ?? ""
      for (const line of lines) yield readLine(line)
    },
    /** What is left at the end of the body. */
    *end(): Generator<Result.Result<Event, OllamaError>, void, void> {
      if (rest !== "") yield readLine(rest.trimEnd())
      yield take()
    }
  }
}

/**
 * Makes the reader of one answer. It has ended with `[DONE]`, or with the end of the body after the reason for the end was
 * given.
 */
export const makeEventReader = (): BodyReader => {
  const cutter = makeCutter()
  let isDone = false
  let hasFinished = false

  const take = (events: Iterable<Result.Result<Event, OllamaError>>, objects: Array<unknown>): void => {
    for (const event of events) {
      if (Result.isFailure(event)) throw event.failure
      if (event.success === "done") {
        isDone = true
        return
      }
      if (event.success === undefined) continue
      objects.push(event.success.value)
      hasFinished ||= event.success.hasFinished
    }
  }

  return {
    isDone: () => isDone,
    read: (chunk, objects) => take(cutter.cut(chunk), objects),
    end: (objects) => {
      const end = Result.try({
        try: () => take(cutter.end(), objects),
        catch: (cause) => cause
      })
      if (Result.isFailure(end)) {
        const isBad = end.failure instanceof OllamaError && end.failure.reason._tag === "BadLine"
        throw isBad ? unfinished() : end.failure
      }
      if (!isDone && !hasFinished) throw unfinished()
      isDone = true
    }
  }
}
