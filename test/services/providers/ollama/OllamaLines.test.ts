import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { checkedLines } from "../../../../src/services/providers/ollama/OllamaModel.ts"
import { ServerError, type ServerFailure } from "../../../../src/services/providers/ServerFailure.ts"
import { maxBytes } from "../../../../src/services/providers/ServerTransport.ts"
import { nodeTest } from "../../../support/nodeTest.ts"

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

const badLine = (excerpt: string): ServerFailure => ({ _tag: "BadLine", excerpt })
const errorLine = (detail: string): ServerFailure => ({ _tag: "ErrorLine", detail })
const brokenOff = (detail: string): ServerFailure => ({ _tag: "BrokenOff", detail })

describe("the lines of an answer", () => {
  nodeTest("are whole objects, without blank lines and carriage returns, up to the last", function* () {
    for (const chunks of [
      [`${one}\n${two}\n${last}\n`],
      [`${one}\n${two.slice(0, 5)}`, `${two.slice(5)}\n`, `${last}\n`],
      [`\r\n${one}\r\n\r\n\n${two}\r\n  \n${last}\r\n`],
      [`${one}\n${two}\n`, last],
      [`${one}\n${two}\n${last}\nnonsense\n`, "more\n"]
    ]) {
      assert.deepStrictEqual(yield* read(chunks), whole)
    }
  })

  const noLast = "the answer ended without its last line"
  const inLine = "the answer ended in the middle of a line"
  const noWord = "the server ended its answer with an error and gave no reason"
  const badBytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a])
  const failing: ReadonlyArray<
    readonly [name: string, tail: ReadonlyArray<string | Uint8Array>, reason: ServerFailure]
  > = [
    ["a line that is not JSON", ["nonsense\n"], badLine("nonsense")],
    ["a line that is no object", ["[1]\n"], badLine("[1]")],
    ["two objects on a line", [`${two}${two}\n`], badLine(`${two}${two}`)],
    ["bytes that are not UTF-8", [badBytes], badLine('{"\uFFFD"}')],
    ["an error line", ['{"error":"runner died"}\n'], errorLine("runner died")],
    ["an error line without a word", ['{"error":""}\n'], errorLine(noWord)],
    ["an error line without its end", ['{"error":"runner died"}'], errorLine("runner died")],
    ["an end without the last line", [], brokenOff(noLast)],
    ["an end inside a line", [two.slice(0, 9)], brokenOff(inLine)],
    ["an end inside a character", [Buffer.from(one).subarray(0, 26)], brokenOff(inLine)],
    ["a line that is too long", ["x".repeat(maxBytes), "x"], { _tag: "TooLarge", limit: maxBytes }]
  ]
  for (const [name, tail, reason] of failing) {
    nodeTest(`fail on ${name}`, function* () {
      const result = yield* read([`${one}\n`, ...tail])
      assert.deepStrictEqual(result, { pieces: [`${one}\n`], done: false, reason })
    })
  }

  nodeTest("come before the bad one of the same chunk", function* () {
    const result = yield* read([`${one}\nnonsense\n${two}\n`])
    assert.deepStrictEqual(result, { pieces: [`${one}\n`], done: false, reason: badLine("nonsense") })
  })

  nodeTest("takes the longest line there may be", function* () {
    const line = `{"a":"${"x".repeat(maxBytes - 8)}"}`
    assert.strictEqual(line.length, maxBytes)
    const result = yield* read([line, "\n", `${last}\n`])
    assert.deepStrictEqual([result.pieces.length, result.done, result.reason], [2, true, undefined])
  })

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
