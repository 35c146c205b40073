import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { checkedLines } from "../../../../src/services/providers/ollama/OllamaModel.ts"
import { ServerError, type ServerFailure } from "../../../../src/services/providers/ServerFailure.ts"
import { maxBytes } from "../../../../src/services/providers/ServerTransport.ts"

async function* bodyOf(chunks: ReadonlyArray<string | Uint8Array>) {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

/** The lines of a body up to the last, and the failure it ended with. The reader asks for no more after the last, as the package. */
const read = (chunks: ReadonlyArray<string | Uint8Array>) =>
  Effect.promise(async () => {
    const pieces: Array<string> = []
    try {
      const lines = checkedLines(bodyOf(chunks))
      for (let next = await lines.next(); !next.done; next = await lines.next()) {
        for (const [line] of Buffer.from(next.value).toString("utf8").matchAll(/.*\n/g)) {
          pieces.push(line)
          if (JSON.parse(line).done === true) return { pieces, done: true, reason: undefined }
        }
      }
      return { pieces, done: false, reason: undefined }
    } catch (cause) {
      return { pieces, done: false, reason: cause instanceof ServerError ? cause.failure : assert.fail(String(cause)) }
    }
  })

const one = '{"message":{"content":"Grüße, 世界 🎉"},"done":false}'
const two = '{"message":{"content":"b"}}'
const last = '{"done":true}'

const whole = { pieces: [`${one}\n`, `${two}\n`, `${last}\n`], done: true, reason: undefined }

describe("the lines of an answer", () => {
  it.effect("gives the lines that arrive together", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([`${one}\n${two}\n${last}\n`]), whole)
    })
  )

  it.effect("gives each object as soon as it is complete", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([`${one}\n${two.slice(0, 5)}`, `${two.slice(5)}\n`, `${last}\n`]), whole)
    })
  )

  it.effect("drops blank lines and carriage returns", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([`\r\n${one}\r\n\r\n\n${two}\r\n  \n${last}\r\n`]), whole)
    })
  )

  it.effect("takes a last line without its end", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([`${one}\n${two}\n`, last]), whole)
    })
  )

  it.effect("ignores what follows the last line", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([`${one}\n${two}\n${last}\nnonsense\n`, "more\n"]), whole)
    })
  )

  const failing: ReadonlyArray<
    readonly [name: string, tail: ReadonlyArray<string | Uint8Array>, reason: ServerFailure]
  > = [
    ["a line that is not JSON", ["nonsense\n"], { _tag: "BadLine", excerpt: "nonsense" }],
    ["a line that is no object", ["[1]\n"], { _tag: "BadLine", excerpt: "[1]" }],
    ["two objects on a line", [`${two}${two}\n`], { _tag: "BadLine", excerpt: `${two}${two}` }],
    [
      "bytes that are not UTF-8",
      [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a])],
      { _tag: "BadLine", excerpt: '{"\uFFFD"}' }
    ],
    ["an error line", ['{"error":"runner died"}\n'], { _tag: "ErrorLine", detail: "runner died" }],
    [
      "an error line without a word",
      ['{"error":""}\n'],
      { _tag: "ErrorLine", detail: "the server ended its answer with an error and gave no reason" }
    ],
    ["an error line without its end", ['{"error":"runner died"}'], { _tag: "ErrorLine", detail: "runner died" }],
    ["an end without the last line", [], { _tag: "BrokenOff", detail: "the answer ended without its last line" }],
    [
      "an end inside a line",
      [two.slice(0, 9)],
      { _tag: "BrokenOff", detail: "the answer ended in the middle of a line" }
    ],
    [
      "an end inside a character",
      [Buffer.from(one).subarray(0, 26)],
      { _tag: "BrokenOff", detail: "the answer ended in the middle of a line" }
    ],
    ["a line that is too long", ["x".repeat(maxBytes), "x"], { _tag: "TooLarge", limit: maxBytes }]
  ]
  it.effect.each(failing)("fails on %s after what came before", ([, tail, reason]) =>
    Effect.gen(function* () {
      const result = yield* read([`${one}\n`, ...tail])
      assert.deepStrictEqual(result, { pieces: [`${one}\n`], done: false, reason })
    })
  )

  it.effect("gives the good objects of a chunk before it fails on the bad one", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read([`${one}\nnonsense\n${two}\n`]), {
        pieces: [`${one}\n`],
        done: false,
        reason: { _tag: "BadLine", excerpt: "nonsense" }
      })
    })
  )

  it.effect("takes the longest line there may be", () =>
    Effect.gen(function* () {
      const line = `{"a":"${"x".repeat(maxBytes - 8)}"}`
      assert.strictEqual(line.length, maxBytes)
      const result = yield* read([line, "\n", `${last}\n`])
      assert.deepStrictEqual([result.pieces.length, result.done, result.reason], [2, true, undefined])
    })
  )

  it.effect.prop(
    "reads the same lines however the bytes are cut",
    { cuts: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 120 }))) },
    ({ cuts }) =>
      Effect.gen(function* () {
        const bytes = Buffer.from(`${one}\n\r\n${two}\r\n${last}\n`)
        const at = [0, ...cuts.filter((cut) => cut <= bytes.length).toSorted((a, b) => a - b), bytes.length]
        const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end))
        const result = yield* read(chunks)
        assert.deepStrictEqual(result, whole)
      })
  )
})
