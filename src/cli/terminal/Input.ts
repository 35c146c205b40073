/**
 * Reads text that a person gives: a file, or stdin as `-` or through a pipe.
 */
import * as Effect from "effect/Effect"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import type { Attachment } from "../../domain/models/Briefing.ts"
import { readableText } from "../../domain/text/ReadableText.ts"
import { decodeUtf8, GivenFileError, readGivenBytes, readGivenFile } from "../../services/files/GivenFile.ts"
import { Output } from "./Output.ts"

const stdinBytes = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const chunks = yield* Stream.runCollect(stdio.stdin).pipe(
    Effect.mapError(() => new GivenFileError({ path: "stdin", reason: "unreadable" }))
  )
  return Buffer.concat(chunks)
})

/** A text in whatever encoding it has; a note says which, and how bytes are shown that are no text. */
const readNoted = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
  const { encoding, text } = readableText(bytes)
  if (encoding !== undefined) yield* (yield* Output).emit(`note: ${name}: ${encoding}`)
  return text
})

export const readPromptStdin = Effect.flatMap(stdinBytes, (bytes) => readNoted("stdin", bytes))

/** The prompt in a file; `-` is stdin. */
export const readPromptFile = Effect.fn("readPromptFile")(function* (path: string) {
  return path === "-" ? yield* readPromptStdin : yield* readNoted(path, yield* readGivenBytes(path))
})

/** The most bytes of what is attached to a prompt. */
export const attachedBytes = 1_048_576

/** Stdin that is silent for so long is not read. */
const silence = "3 seconds"

/** The beginning of what may be attached, without half a character at its end. */
const attachmentOf = (name: string, bytes: Buffer): Attachment => {
  const isCut = bytes.length > attachedBytes
  const most = Math.min(bytes.length, attachedBytes)
  let end = most
  if (isCut) while (end > most - 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return { name, ...readableText(bytes.subarray(0, end)), ...(isCut ? { isCut } : {}) }
}

/** Collects stdin until its end, or until it is more than may be attached; `heard` is called with the first bytes. */
const collectStdin = Effect.fnUntraced(function* (heard: () => void) {
  const stdio = yield* Stdio.Stdio
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* stdio.stdin.pipe(
    Stream.takeWhile((chunk) => {
      heard()
      chunks.push(chunk)
      size += chunk.length
      return size <= attachedBytes
    }),
    Stream.runDrain,
    Effect.mapError(() => new GivenFileError({ path: "stdin", reason: "unreadable" }))
  )
  return attachmentOf("stdin", Buffer.concat(chunks))
})

/** What is on stdin, to its end; "silent" when nothing comes, not even the end. */
export const readWaitingStdin = Effect.gen(function* () {
  let isHeard = false
  const read = collectStdin(() => void (isHeard = true))
  const giveUp = Effect.flatMap(Effect.sleep(silence), () =>
    isHeard ? Effect.never : Effect.succeed("silent" as const)
  )
  return yield* Effect.raceFirst(read, giveUp)
})

/** A file that is attached to a prompt; `-` is stdin. */
export const readAttached = Effect.fn("readAttached")(function* (path: string) {
  if (path === "-") return yield* collectStdin(() => undefined)
  return attachmentOf(path, Buffer.from(yield* readGivenBytes(path)))
})

/** The text of a document, which is UTF-8; `-` is stdin. */
export const readInput = Effect.fn("readInput")(function* (path: string) {
  return path === "-" ? yield* decodeUtf8("stdin", yield* stdinBytes) : yield* readGivenFile(path)
})
