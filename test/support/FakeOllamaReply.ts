/**
 * What the fake server answers to /api/chat and the bytes this becomes: the same lines, in the same key order and with
 * the same escapes, that Ollama writes.
 */

/** A tool call; `arguments` is an object as Ollama sends it, or a string as other servers do. */
export interface FakeToolCall {
  readonly id?: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>> | string
}

/** One answer to /api/chat. All parts are optional; together they can be as broken as a real server gets. */
export interface Reply {
  /** What the model thinks before it answers. */
  readonly thinking?: string
  readonly text?: string
  /** Into how many lines `thinking` and `text` are cut, each; one line per word when absent. */
  readonly pieces?: number
  readonly toolCalls?: ReadonlyArray<FakeToolCall>
  /** `stop` when absent; null leaves the key out. */
  readonly doneReason?: string | null
  /** False leaves counts and durations out of the last line. */
  readonly stats?: boolean
  readonly promptTokens?: number
  /** What of them the server had in its cache; a server that does not say has no such field. */
  readonly cachedTokens?: number
  readonly answerTokens?: number
  /** How long the model was loaded, 250 ms when absent. */
  readonly loadMs?: number

  /** Refuses with this status and an error object, or with `body` as it is. */
  readonly status?: number
  readonly error?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>

  /** Waits for `release` of this name before the status line. */
  readonly hold?: string
  /** Waits for `release` of `latch` after that many lines. */
  readonly holdAfter?: { readonly lines: number; readonly latch: string }

  /** Lines put in before the last one, as they are. */
  readonly extraLines?: ReadonlyArray<string>
  /** An error line instead of the last one. */
  readonly errorLine?: string
  /** False leaves the last line out. */
  readonly done?: boolean
  readonly lineEnd?: "\n" | "\r\n"
  /** Puts a blank line after each line. */
  readonly blankLines?: boolean
  /** Writes the body in chunks of that many bytes, whatever they cut through. */
  readonly chunkBytes?: number
  /** Writes these chunks instead of anything above. */
  readonly chunks?: ReadonlyArray<string | Uint8Array>
  /** Writes these instead of anything above, each once its latch is released; the answer stays open. */
  readonly drips?: ReadonlyArray<{ readonly latch: string; readonly bytes: string }>
  /** Destroys the socket after that many bytes of the body. */
  readonly cutAfter?: number
  /** False leaves the answer open after the last byte. */
  readonly end?: boolean
}

const createdAt = "2025-11-20T09:30:00.123456789Z"

/** Go's encoder escapes these; a client sees the difference only in the bytes. */
const goJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** A line of JSON as Ollama writes it, without its end. */
export const chatLine = (model: string, message: Readonly<Record<string, unknown>>, rest = {}): string =>
  goJson({
    model,
    created_at: createdAt,
    message: { role: "assistant", content: "", ...message },
    done: false,
    ...rest
  })

/** A text word by word, each with the blanks before it. */
export const words = (text: string): ReadonlyArray<string> => text.match(/\s*\S+\s*$|\s*\S+|\s+/gu) ?? []

const cut = (text: string, pieces: number | undefined): ReadonlyArray<string> => {
  if (pieces === undefined) return words(text)
  const characters = Array.from(text)
  const size = Math.max(1, Math.ceil(characters.length / pieces))
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join("")
  )
}

const stats = (reply: Reply, lines: number): Readonly<Record<string, number>> =>
  reply.stats === false
    ? {}
    : {
        total_duration: 1_500_000_000,
        load_duration: (reply.loadMs ?? 250) * 1_000_000,
        prompt_eval_count: reply.promptTokens ?? 26,
        ...(reply.cachedTokens === undefined ? {} : { prompt_eval_cached_count: reply.cachedTokens }),
        prompt_eval_duration: 130_000_000,
        eval_count: reply.answerTokens ?? lines,
        eval_duration: 1_000_000_000
      }

/** The lines of a reply, in order, without their ends. */
const linesOf = (model: string, reply: Reply): ReadonlyArray<string> => {
  const thinking = cut(reply.thinking ?? "", reply.pieces).map((piece) => chatLine(model, { thinking: piece }))
  const text = cut(reply.text ?? "", reply.pieces).map((piece) => chatLine(model, { content: piece }))
  const calls = (reply.toolCalls ?? []).map(({ id, ...call }, index) =>
    chatLine(model, { tool_calls: [{ ...(id === undefined ? {} : { id }), function: { index, ...call } }] })
  )
  const lines = [...thinking, ...text, ...calls, ...(reply.extraLines ?? [])]
  if (reply.errorLine !== undefined) return [...lines, goJson({ error: reply.errorLine })]
  if (reply.done === false) return lines
  const reason = reply.doneReason === null ? {} : { done_reason: reply.doneReason ?? "stop" }
  return [...lines, chatLine(model, {}, { done: true, ...reason, ...stats(reply, lines.length) })]
}

/** One write of the server, or a place where it waits. */
export type Write = { readonly bytes: Uint8Array } | { readonly latch: string }

const slice = (bytes: Buffer, size: number): ReadonlyArray<Buffer> =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

/** Writes of these pieces, or of chunks of that many bytes; a latch holds those behind the first `held`. */
export const writesIn = (
  pieces: ReadonlyArray<Buffer>,
  chunkBytes: number | undefined,
  held?: { readonly count: number; readonly latch: string }
): ReadonlyArray<Write> => {
  const group = (some: ReadonlyArray<Buffer>): ReadonlyArray<Write> =>
    (chunkBytes === undefined ? some : slice(Buffer.concat(some), chunkBytes)).map((bytes) => ({ bytes }))
  return held === undefined
    ? group(pieces)
    : [...group(pieces.slice(0, held.count)), { latch: held.latch }, ...group(pieces.slice(held.count))]
}

/** What is written to the socket, in order, before the answer ends or is cut. */
export const writesOf = (model: string, reply: Reply): ReadonlyArray<Write> => {
  if (reply.drips !== undefined)
    return reply.drips.flatMap(({ bytes, latch }) => [{ latch }, { bytes: Buffer.from(bytes) }])
  if (reply.chunks !== undefined) return reply.chunks.map((chunk) => ({ bytes: Buffer.from(chunk) }))
  const lineEnd = reply.lineEnd ?? "\n"
  const lines = linesOf(model, reply).map((line) => Buffer.from(line + lineEnd + (reply.blankLines ? lineEnd : "")))
  const { chunkBytes, holdAfter } = reply
  return writesIn(lines, chunkBytes, holdAfter && { count: holdAfter.lines, latch: holdAfter.latch })
}
