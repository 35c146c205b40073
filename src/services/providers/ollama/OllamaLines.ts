/**
 * Validates the body of an answer before the ollama package reads it: the package prints lines that it cannot read and
 * ignores them. So only complete, valid lines pass, and anything else ends the body with an OllamaError.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { readErrorValue } from "./OllamaErrorBody.ts"
import { OllamaError } from "./OllamaErrors.ts"

/** The longest line and the largest document that is taken, in bytes. */
export const maxBytes = 8 * 1024 * 1024

/** One valid line: the text of a JSON object, and whether it is the last of its answer. */
export interface Line {
  readonly text: string
  readonly done: boolean
}

const excerptLength = 80
const newline = 0x0a
const strict = new TextDecoder("utf-8", { fatal: true })
const lenient = new TextDecoder("utf-8")
const encoder = new TextEncoder()

/** What is said of an error without a word. */
const unnamed = "the server ended its answer with an error and gave no reason"

const badLine = (text: string): OllamaError =>
  new OllamaError({ reason: { _tag: "BadLine", excerpt: text.slice(0, excerptLength) } })

/** Reads one line without its end; nothing for a blank one. A document is read as one long line. */
export const readLine = (bytes: Uint8Array): Result.Result<Line | undefined, OllamaError> => {
  const decoded = Result.try(() => strict.decode(bytes).trim())
  if (Result.isFailure(decoded)) return Result.fail(badLine(lenient.decode(bytes)))
  const text = decoded.success
  if (text === "") return Result.succeed(undefined)
  const parsed = Result.try((): unknown => JSON.parse(text))
  if (Result.isFailure(parsed) || !Predicate.isObject(parsed.success)) return Result.fail(badLine(text))
  const value = parsed.success
  return "error" in value
    ? Result.fail(
        new OllamaError({ reason: { _tag: "ErrorLine", detail: readErrorValue(value.error).detail || unnamed } })
      )
    : Result.succeed({ text, done: "done" in value && value.done === true })
}

/** Cuts chunks of bytes into lines; bytes of a line that is not complete yet wait for the next chunk. */
const makeCutter = () => {
  let pieces: Array<Uint8Array> = []
  let size = 0
  const hold = (bytes: Uint8Array): boolean => {
    if (bytes.length > 0) pieces.push(bytes)
    size += bytes.length
    return size <= maxBytes
  }
  const take = (): Uint8Array => {
    const line = pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
    pieces = []
    size = 0
    return line ?? new Uint8Array()
  }
  /** The complete lines of a chunk, up to the first bad one or the last of the answer. */
  const cut = function* (chunk: Uint8Array): Generator<Result.Result<Line, OllamaError>, void, void> {
    let rest = chunk
    while (rest.length > 0) {
      const end = rest.indexOf(newline)
      if (!hold(end === -1 ? rest : rest.subarray(0, end))) {
        return yield Result.fail(new OllamaError({ reason: { _tag: "TooLarge", limit: maxBytes } }))
      }
      if (end === -1) return
      rest = rest.subarray(end + 1)
      const line = readLine(take())
      if (Result.isFailure(line)) return yield Result.fail(line.failure)
      if (line.success !== undefined) yield Result.succeed(line.success)
    }
  }
  return { cut, take }
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

/** The state of a body that is being read. */
export interface BodyState {
  /** The last line of the answer has been seen; what follows does not matter. */
  done: boolean
}

/**
 * Yields the valid lines of a body as they become complete, several at once when they arrive together. A character that
 * is split between two chunks is whole again. What came before a bad line is yielded before the failure is thrown.
 * After the last line of the answer the rest is read and ignored: that frees the connection for the next request.
 */
export async function* guardLines(
  body: AsyncIterable<Uint8Array>,
  state: BodyState
): AsyncGenerator<Uint8Array, void, void> {
  const cutter = makeCutter()
  let failure: OllamaError | undefined
  try {
    for await (const chunk of body) {
      if (state.done) continue
      let good = ""
      for (const line of cutter.cut(chunk)) {
        if (Result.isFailure(line)) failure = line.failure
        else good += `${line.success.text}\n`
        state.done = Result.isSuccess(line) && line.success.done
        if (state.done) break
      }
      if (good !== "") yield encoder.encode(good)
      if (failure !== undefined) break
    }
  } catch (cause) {
    failure = lostConnection(cause)
  }
  if (state.done) return
  if (failure !== undefined) throw failure
  const last = readEnd(cutter.take())
  if (Result.isFailure(last)) throw last.failure
  state.done = true
  yield encoder.encode(`${last.success.text}\n`)
}
