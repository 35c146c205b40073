import { assert, describe, it } from "@effect/vitest"
import { CommandOutput } from "../../../src/domain/commands/CommandOutput.ts"

const outputOf = (chunks: ReadonlyArray<string | Uint8Array>) => {
  const output = new CommandOutput()
  for (const chunk of chunks) output.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk)
  return output
}

const longest = 16_384

const shown = (text: string) => outputOf([...text]).text()

describe("the output of a command", () => {
  it("is kept whole when it is short", () => {
    const text = `${"x".repeat(1000)}\n`.repeat(60)
    assert.strictEqual(outputOf([text]).text(), text)
    assert.strictEqual(outputOf(["a", "", "b\n"]).text(), "ab\n")
    assert.strictEqual(outputOf(["a\n\n", "b"]).text(), "a\n\nb")
    assert.strictEqual(outputOf([]).text(), "")
  })

  it("has no escape sequences, and of a line that was written over again its last state", () => {
    assert.strictEqual(shown("\u001b[31mred\u001b[0m \u001b[1;38;5;4mblue\u001b[m\n"), "red blue\n")
    assert.strictEqual(shown("\u001b]8;;https://a.example\u0007link\u001b]8;;\u001b\\ \u001b(Bend"), "link end")
    assert.strictEqual(shown(" 10 %\r 50 %\r100 %\u001b[K\r\nready\r\n"), "100 %\nready\n")
    assert.strictEqual(shown("-\b\\\b|\bdone\ta\u0000b\n"), "done\tab\n")
    assert.strictEqual(shown("\u001b]never ended"), "never ended")
  })

  it("keeps beginning and end of what is longer and says which lines are missing", () => {
    const output = outputOf(Array.from({ length: 10_000 }, (_, index) => `line ${index + 1}\n`))
    const text = output.text()
    const [, from = "", to = ""] = /\n\(Lines (\d+) to (\d+) of 10000 are left out\.\)\n/.exec(text) ?? []
    assert.strictEqual(output.bytes, 98_894)
    assert.isTrue(text.startsWith("line 1\nline 2\n") && text.endsWith("\nline 10000\n"))
    assert.include(text, `line ${Number(from) - 1}\n(Lines ${from} to ${to}`)
    assert.include(text, `are left out.)\nline ${Number(to) + 1}\n`)
    assert.isBelow(text.length, 70_000)
  })

  it("keeps the lines between them that say what went wrong", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `test ${index + 1} of the error handler ... ok`)
    lines[9000] = "--- FAIL: TestSum (0.00s)"
    lines[9001] = "    sum_test.go:12: got 3, want 4"
    lines[12_000] = "src/a.ts(3,5): error TS2322: Type 'string' is not assignable."
    const text = outputOf([lines.join("\n")]).text()
    assert.match(
      text,
      /\n\(Lines \d+ to 9000 of 20000 are left out\.\)\n--- FAIL: TestSum \(0\.00s\)\n {4}sum_test\.go:12: got 3, want 4\ntest 9003 [^\n]*\n\(Lines 9004 to 12000 of 20000 are left out\.\)\nsrc\/a\.ts\(3,5\): error/
    )
    assert.isBelow(text.length, 80_000)
  })

  it("cuts the middle of a line that never ends", () => {
    const output = outputOf(Array.from({ length: 100 }, (_, index) => String(index % 10).repeat(1000)))
    const [head = "", left, tail = ""] = output.text().split(/ \.\.\. \((\d+) characters left out\) \.\.\. /)
    assert.deepStrictEqual([head.length, tail.length, head[0], tail.at(-1)], [longest / 2, longest / 2, "0", "9"])
    assert.strictEqual(Number(left), 100_000 - longest)
    assert.strictEqual(outputOf([...Array.from({ length: 90 }, () => "x".repeat(1000)), "\rdone\n"]).text(), "done\n")
  })

  it("says the same however the bytes are cut", () => {
    const bytes = new TextEncoder().encode("äöü€😀".repeat(20_000))
    const whole = outputOf([bytes]).text()
    assert.notInclude(whole, "\ufffd")
    assert.isTrue(whole.isWellFormed())
    for (const size of [1, 7, 4096, 100_000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size)
      )
      assert.strictEqual(outputOf(chunks).text(), whole)
    }
  })

  it("stays below the cap for results, whatever the bytes are", () => {
    for (const byte of [0, 0x0a, 0x0d, 0x1b, 0x22, 0xff])
      for (const end of ["", "\n"]) {
        const chunk = new Uint8Array(5000).fill(byte)
        const text = outputOf(Array.from({ length: 100 }, () => [chunk, end]).flat()).text()
        assert.isAtMost(new TextEncoder().encode(JSON.stringify(text)).length, 196_608)
      }
    const failing = outputOf(Array.from({ length: 5000 }, () => `error ${'"'.repeat(900)}\n`)).text()
    assert.isAtMost(new TextEncoder().encode(JSON.stringify(failing)).length, 196_608)
  })
})
