import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { callBlocks, callFrame } from "../../../src/domain/models/ExecutionBlocks.ts"
import { cutOutput, outcomeText } from "../../../src/domain/models/OutputText.ts"
import { numberLines } from "../../../src/domain/text/NumberedLines.ts"
import { failed, gave } from "../../support/sampleTasks.ts"

const file = (from: number, to: number, of: number) => {
  const lines = Array.from({ length: to - from + 1 }, (_, index) => `line of the file ${from + index}`)
  const note = to < of ? `\n\n(Lines ${from} to ${to} of ${of}. Read on with start_line ${to + 1}.)` : ""
  return gave("read_file", { path: "a.ts" }, `${numberLines(lines, from).join("\n")}${note}`)
}

describe("outcomeText", () => {
  it.each([
    ["a text", "a text"],
    [{ exitCode: 1, output: "one\ntwo\n" }, "exitCode: 1\n\none\ntwo\n"],
    [{ a: "x\ny", b: "z\n" }, "a:\nx\ny\n\nb:\nz\n"],
    [["a", "b"], '[\n  "a",\n  "b"\n]'],
    [{ nested: { a: 1 }, text: "x\ny" }, '{\n  "nested": {\n    "a": 1\n  },\n  "text": "x\\ny"\n}'],
    [null, "null"]
  ] as ReadonlyArray<[Schema.Json, string]>)("shows %j as text", (data, text) => {
    expect(outcomeText({ ...gave("any", {}, ""), result: { ...gave("any", {}, "").result, data } })).toBe(text)
  })

  it("shows why a call failed", () => {
    expect(outcomeText(failed("any", {}, "io_error", "No disk."))).toBe("ERROR (io_error): No disk.")
  })
})

describe("cutOutput", () => {
  it("names the lines of a file that are left out, and how many it has", () => {
    const text = cutOutput(file(1800, 1890, 5000), 1200)
    const [, first] = /\n\(Lines (\d+) to 1890 of 5000 are left out; read on with start_line \1\.\)$/.exec(text) ?? []
    expect(text.split("\n").at(-2)).toBe(`${Number(first) - 1}: line of the file ${Number(first) - 1}`)
    expect(text.length).toBeLessThanOrEqual(1200)
  })

  it("keeps the end of what a command wrote", () => {
    const lines = Array.from({ length: 500 }, (_, index) => `test ${index} passed`)
    const text = cutOutput(gave("run_command", {}, [...lines, "1 failed"].join("\n")), 2000)
    expect(text).toMatch(
      /^test 0 passed\n[^]*\(Lines \d+ to \d+ of this output are left out\. A narrower call shows them\.\)[^]*\n1 failed$/
    )
  })

  it("says where a page is to be read on", () => {
    const page = Array.from({ length: 300 }, (_, index) => `Paragraph ${index}.`).join("\n")
    const outcome = gave("fetch_url", { url: "https://a.example" }, "")
    const cut = (text: string) =>
      cutOutput(
        { ...outcome, result: { ...outcome.result, data: { url: "https://a.example/", title: "A", text } } },
        900
      )
    const [, at] = /read on with start (\d+)\.\)$/.exec(cut(page)) ?? []
    const shown = cut(page).split("\n\n").slice(1).join("\n\n").split("\n(The rest")[0] ?? ""
    expect(page.startsWith(shown)).toBe(true)
    expect(Number(at)).toBe(shown.length)
    const later = `${page}\n\n(Characters 5000 to 9000 of 20000. Read on with start 9000.)`
    expect(Number(/read on with start (\d+)\.\)$/.exec(cut(later))?.[1])).toBe(5000 + shown.length)
  })

  const Lines = Schema.Array(Schema.String).check(Schema.isMaxLength(100))
  const Shape = Schema.Literals(["text", "crlf", "numbered", "emoji", "fences"])

  const textOf = (shape: typeof Shape.Type, lines: ReadonlyArray<string>): string => {
    const long = lines.map((line) => line.repeat(10))
    if (shape === "numbered") return numberLines(long.join("\n").split("\n"), 90).join("\n")
    if (shape === "emoji") return "🍵".repeat(lines.join("").length * 10)
    if (shape === "fences") return `${"`".repeat(lines.length)}\n${"`".repeat(5)}`
    return long.join(shape === "crlf" ? "\r\n" : "\n")
  }

  it.effect.prop(
    "never exceeds the budget, and cuts nothing that fits",
    { shape: Shape, lines: Lines, limit: Schema.Int.check(Schema.isBetween({ minimum: 200, maximum: 4000 })) },
    ({ limit, lines, shape }) =>
      Effect.sync(() => {
        const text = textOf(shape, lines)
        const shown = cutOutput(gave("read_file", { path: "a" }, text), limit)
        expect(shown.length).toBeLessThanOrEqual(limit)
        if (text.length <= limit) expect(shown).toBe(text)
        if (text.isWellFormed()) expect(shown.isWellFormed()).toBe(true)
      })
  )

  it.effect.prop(
    "keeps all calls of a task within the frame and the budget",
    {
      all: Schema.Array(Schema.Struct({ shape: Shape, lines: Lines })).check(Schema.isMaxLength(8)),
      budget: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9000 }))
    },
    ({ all, budget }) =>
      Effect.sync(() => {
        const texts = all.map(({ lines, shape }) => textOf(shape, lines))
        const outcomes = texts.map((text, index) => gave("read_file", { path: "a" }, text, `call-${index}`))
        const blocks = callBlocks(outcomes, budget)
        expect(blocks.length).toBeLessThanOrEqual(callFrame(outcomes) + budget)
        const whole = texts.reduce((sum, text) => sum + text.length, 0)
        if (whole <= budget) for (const text of texts) expect(blocks).toContain(text)
      })
  )
})
