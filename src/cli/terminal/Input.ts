/** Reads text from a file or from stdin. Stdin is named `-`, or is a pipe. */
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

/** Decodes text in any known encoding. Prints a note with the encoding if it is not UTF-8. */
const readNoted = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
  const { encoding, text } = readableText(bytes)
  if (encoding !== undefined) yield* (yield* Output).emit(`note: ${name}: ${encoding}`)
  return text
})

export const readPromptStdin = Effect.flatMap(stdinBytes, (bytes) => readNoted("stdin", bytes))

/** Reads the prompt from a file. The name `-` stands for stdin. */
export const readPromptFile = Effect.fn("readPromptFile")(function* (path: string) {
  return path === "-" ? yield* readPromptStdin : yield* readNoted(path, yield* readGivenBytes(path))
})

/** The maximum number of bytes of an attachment. */
export const attachedBytes = 1_048_576

/** Without data on stdin for this long, the program stops waiting. */
const silence = "3 seconds"

/** The attachment with these bytes. If there are too many bytes, the end is cut off between two characters. */
const attachmentOf = (name: string, bytes: Buffer): Attachment => {
  const isCut = bytes.length > attachedBytes
  const most = Math.min(bytes.length, attachedBytes)
  let end = most
  if (isCut) while (end > most - 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return { name, ...readableText(bytes.subarray(0, end)), ...(isCut ? { isCut } : {}) }
}

/** Reads stdin until its end or the size limit. `onFirstInput` is called at the first bytes. */
const collectStdin = Effect.fnUntraced(function* (onFirstInput: () => void) {
  const stdio = yield* Stdio.Stdio
  const chunks: Array<Uint8Array> = []
  let size = 0
  yield* stdio.stdin.pipe(
    Stream.takeWhile((chunk) => {
      onFirstInput()
      chunks.push(chunk)
      size += chunk.length
      return size <= attachedBytes
    }),
    Stream.runDrain,
    Effect.mapError(() => new GivenFileError({ path: "stdin", reason: "unreadable" }))
  )
  return attachmentOf("stdin", Buffer.concat(chunks))
})

/** Reads stdin until its end. Returns "silent" if neither data nor the end arrives in time. */
export const readWaitingStdin = Effect.gen(function* () {
  let hasData = false
  const reading = collectStdin(() => void (hasData = true))
  const giveUp = Effect.flatMap(Effect.sleep(silence), () =>
    hasData ? Effect.never : Effect.succeed("silent" as const)
  )
  return yield* Effect.raceFirst(reading, giveUp)
})

/** Reads an attachment from a file. The name `-` stands for stdin. */
export const readAttached = Effect.fn("readAttached")(function* (path: string) {
  if (path === "-") return yield* collectStdin(() => undefined)
  return attachmentOf(path, Buffer.from(yield* readGivenBytes(path)))
})

/** Reads a document in UTF-8 from a file. The name `-` stands for stdin. */
export const readInput = Effect.fn("readInput")(function* (path: string) {
  return path === "-" ? yield* decodeUtf8("stdin", yield* stdinBytes) : yield* readGivenFile(path)
})
