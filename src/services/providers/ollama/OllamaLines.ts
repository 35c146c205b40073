/**
 * Reads the body of a streamed answer: lines with a JSON object each, the last of which says that it is. Anything else ends
 * the answer with an OllamaError.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { readErrorValue } from "./OllamaErrorBody.ts"
import { OllamaError } from "./OllamaErrors.ts"

/** The longest line and the largest document that is taken, in bytes. */
export const maxBytes = 8 * 1024 * 1024

/** One valid line: a JSON object, and whether it is the last of its answer. */
export interface Line {
  readonly value: object
  readonly done: boolean
}

const excerptLength = 80
const newline = 0x0a
const strict = new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder("utf-8")

/** What is said of an error without a word. */
const unnamed = "the server ended its answer with an error and gave no reason"

const badLine = (text: string): OllamaError =>
  new OllamaError({ reason: { _tag: "BadLine", excerpt: text.slice(0, excerptLength) } })

/** The text of a line; nothing when it is not UTF-8. */
const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return strict.decode(bytes).trim()
  } catch {
    return undefined
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads one line without its end; nothing for a blank one. A document is read as one long line. */
export const readLine = (bytes: Uint8Array): Result.Result<Line | undefined, OllamaError> => {
  const text = textOf(bytes)
  if (text === undefined) return Result.fail(badLine(lenient.decode(bytes)))
  if (text === "") return Result.succeed(undefined)
  const value = jsonOf(text)
  if (!Predicate.isObject(value)) return Result.fail(badLine(text))
  return "error" in value
    ? Result.fail(
        new OllamaError({ reason: { _tag: "ErrorLine", detail: readErrorValue(value.error).detail || unnamed } })
      )
    : Result.succeed({ value, done: "done" in value && value.done === true })
}

const brokenOff = (detail: string): OllamaError => new OllamaError({ reason: { _tag: "BrokenOff", detail } })

/** The error of a connection in the middle of a body. */
export const lostConnection = (cause: unknown): OllamaError => {
  const code = Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : String(cause)
  return brokenOff(`the connection was lost (${code})`)
}

/** The end of a body that may lack the end of its last line; anything but the last line of an answer is a failure. */
const readEnd = (rest: Uint8Array): Result.Result<Line, OllamaError> => {
  const line = readLine(rest)
  if (Result.isFailure(line)) {
    const cut = line.failure.reason._tag === "BadLine"
    return Result.fail(cut ? brokenOff("the answer ended in the middle of a line") : line.failure)
  }
  return line.success?.done === true
    ? Result.succeed(line.success)
    : Result.fail(brokenOff("the answer ended without its last line"))
}

/** Reads the objects of one body. */
export interface BodyReader {
  /** Adds the objects that a chunk completes; throws an `OllamaError` at the first bad one, after those before it. */
  readonly read: (chunk: Uint8Array, objects: Array<unknown>) => void
  /** Adds what is left at the end of the body; throws an `OllamaError` when the answer is not whole. */
  readonly end: (objects: Array<unknown>) => void
  /** True when the last object of the answer has been read; what follows does not matter. */
  readonly isDone: () => boolean
}

/**
 * Makes the reader of one answer. Bytes of a line that is not complete yet wait for the next chunk, so that a character
 * which is split between two chunks is whole again. What follows the last line of the answer is ignored.
 */
export const makeLineReader = (): BodyReader => {
  let pieces: Array<Uint8Array> = []
  let size = 0
  let isDone = false

  const hold = (bytes: Uint8Array): void => {
    if (bytes.length > 0) pieces.push(bytes)
    size += bytes.length
    if (size > maxBytes) throw new OllamaError({ reason: { _tag: "TooLarge", limit: maxBytes } })
  }
  const held = (): Uint8Array => {
    const line = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
    pieces = []
    size = 0
    return line ?? new Uint8Array()
  }
  /** True for the last line. */
  const add = (line: Result.Result<Line | undefined, OllamaError>, objects: Array<unknown>): boolean => {
    if (Result.isFailure(line)) throw line.failure
    if (line.success === undefined) return false
    objects.push(line.success.value)
    isDone = line.success.done
    return isDone
  }

  return {
    isDone: () => isDone,
    read: (chunk, objects) => {
      if (isDone) return
      let start = 0
      while (start < chunk.length) {
        const end = chunk.indexOf(newline, start)
        hold(chunk.subarray(start, end === -1 ? chunk.length : end))
        if (end === -1 || add(readLine(held()), objects)) return
        start = end + 1
      }
    },
    end: (objects) => void add(readEnd(held()), objects)
  }
}
