import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

const large = (line: string, bytes: number) => `${line}\n`.repeat(Math.ceil(bytes / (line.length + 1)))

describe("a very large file", () => {
  const variants: Readonly<Record<string, { readonly text: string; readonly begins: string }>> = {
    "lines of usual length": {
      text: large("a usual line of a log", 10_600_000),
      begins: "1: a usual line of a log\n2: "
    },
    "empty lines": { text: "\n".repeat(10_600_000), begins: "1:\n2:\n3:" },
    "long lines": { text: large("x".repeat(3000), 10_600_000), begins: `1: ${"x".repeat(3000)}\n2: ` },
    "lines longer than a part": { text: large("y".repeat(500_000), 10_600_000), begins: "1: yyy" },
    "carriage returns": { text: large("a line\r", 10_600_000), begins: "1: a line" },
    "wide characters": { text: large("äöü€😀", 10_600_000), begins: "1: äöü€😀\n2: " }
  }
  for (const [what, { begins, text }] of Object.entries(variants)) {
    nodeTest(`is read in part, which says how to go on: ${what}`, () =>
      Effect.gen(function* () {
        const { run } = yield* openTools({ files: { "big.log": text } })
        const calls: ReadonlyArray<Arguments> = [{ path: "big.log" }, { path: "big.log", line_numbers: false }]
        for (const given of calls) {
          const { data, error_message, success } = yield* run("read_file", given)
          assert.isTrue(success, error_message ?? "")
          assert.match(
            String(data),
            /big\.log is larger than 10 MB\..* Search it, or read on with start_line and end_line\.\)$/
          )
          assert.isBelow(String(data).length, 17_000)
          if (!("line_numbers" in given)) assert.strictEqual(String(data).slice(0, begins.length), begins)
        }
      })
    )
  }

  nodeTest("with one endless line says that it can only be searched", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools({ files: { "big.json": "x".repeat(10_600_000) } })
      const { error_message, error_type } = yield* run("read_file", { path: "big.json" })
      assert.strictEqual(error_type, "output_limit")
      assert.include(error_message ?? "", "and so is its first line. Search it for what you need.")
    })
  )
})
