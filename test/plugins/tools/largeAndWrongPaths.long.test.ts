import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

const large = (line: string) => `${line}\n`.repeat(Math.ceil(10_600_000 / (line.length + 1)))

describe("a very large file", () => {
  for (const [what, line, begins] of [
    ["lines of usual length", "a usual line of a log", "1: a usual line of a log\n2: "],
    ["empty lines", "", "1:\n2:\n3:"],
    ["long lines", "x".repeat(3000), `1: ${"x".repeat(3000)}\n2: `],
    ["lines longer than a part", "y".repeat(500_000), "1: yyy"],
    ["carriage returns", "a line\r", "1: a line"],
    ["wide characters", "äöü€😀", "1: äöü€😀\n2: "]
  ] as const) {
    nodeTest(`is read in part, which says how to go on: ${what}`, function* () {
      const { run } = yield* openTools({ files: { "big.log": large(line) } })
      const calls: ReadonlyArray<Arguments> = [{}, { line_numbers: false }]
      const texts = yield* Effect.forEach(calls, (given) =>
        Effect.map(run("read_file", { path: "big.log", ...given }), ({ data }) => String(data))
      )
      for (const text of texts) {
        assert.match(text, /big\.log is larger than 10 MB\..* Search it, or read on with start_line and end_line\.\)$/)
        assert.isBelow(text.length, 17_000)
      }
      assert.strictEqual(texts[0]?.slice(0, begins.length), begins)
    })
  }

  nodeTest("with one endless line says that it can only be searched", function* () {
    const { run } = yield* openTools({ files: { "big.json": "x".repeat(10_600_000) } })
    const { error_message, error_type } = yield* run("read_file", { path: "big.json" })
    assert.strictEqual(error_type, "output_limit")
    assert.include(error_message ?? "", "and so is its first line. Search it for what you need.")
  })
})
