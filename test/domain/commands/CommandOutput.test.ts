import { assert, describe, it } from "@effect/vitest"
import { CommandOutput } from "../../../src/domain/commands/CommandOutput.ts"

const outputOf = (chunks: ReadonlyArray<string | Uint8Array>) => {
  const output = new CommandOutput()
  for (const chunk of chunks) output.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk)
  return output
}

const kept = 32_768

describe("the output of a command", () => {
  it("is kept whole up to 64 KiB", () => {
    const text = "x".repeat(kept * 2)
    assert.strictEqual(outputOf([text]).text(), text)
    assert.strictEqual(outputOf(["a", "", "b\n"]).text(), "ab\n")
  })

  it("keeps beginning and end of what is longer and counts what is missing", () => {
    const output = outputOf(Array.from({ length: 100 }, (_, index) => String(index % 10).repeat(1000)))
    const text = output.text()
    assert.strictEqual(output.bytes, 100_000)
    assert.include(text, `\n... (${100_000 - kept * 2} bytes left out) ...\n`)
    const [head = "", tail = ""] = text.split(/\n\.\.\. .* \.\.\.\n/)
    assert.deepStrictEqual([head.length, tail.length, head[0], tail.at(-1)], [kept, kept, "0", "9"])
  })

  it("says the same however the bytes are cut", () => {
    const bytes = new TextEncoder().encode("äöü€😀".repeat(20_000))
    const whole = outputOf([bytes]).text()
    assert.notInclude(whole, "\ufffd")
    for (const size of [1, 7, 4096, 100_000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size)
      )
      assert.strictEqual(outputOf(chunks).text(), whole)
    }
  })

  it("stays below the cap for results, whatever the bytes are", () => {
    for (const byte of [0, 0x1b, 0x22, 0xff]) {
      const text = outputOf([new Uint8Array(100_000).fill(byte)]).text()
      assert.isAtMost(new TextEncoder().encode(JSON.stringify(text)).length, 196_608)
      assert.include(text, "bytes left out")
    }
  })
})
