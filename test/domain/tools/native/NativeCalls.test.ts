import { assert, describe, expect, it } from "@effect/vitest"
import { callSyntaxes } from "../../../../src/domain/tools/native/CallSyntaxes.ts"
import { readNative } from "../../../../src/domain/tools/native/NativeCalls.ts"
import { families, gradesOf } from "../../../support/Families.ts"
import { cpuTime } from "../../../support/cpuTime.ts"

const isTool = (name: string): boolean => ["read_file", "write_file", "search"].includes(name)

/** The calls that an answer holds afterwards, as JSON. */
const callsOf = (answer: string): ReadonlyArray<unknown> =>
  [...readNative(answer, isTool).text.matchAll(/<tool_call>(.*)<\/tool_call>/g)].map(([, json = ""]) =>
    JSON.parse(json)
  )

const tagged = (value: string) =>
  `<function=write_file>\n<parameter=content>\n${value}\n</parameter>\n<parameter=path>\na.ts\n</parameter>\n</function>`

describe("calls as families of models write them", () => {
  const documents = families.flatMap(({ documents: all, family }) =>
    all.map((one) => [`${family}: ${one.name}`, one] as const)
  )

  it.each(documents)("%s", (_, document) => {
    for (const { grade, place, read } of gradesOf(document)) {
      const expected = document.useful?.includes(place) === true ? "useful" : "right"
      assert.strictEqual(grade, expected, `${place}: ${JSON.stringify(read)}`)
    }
  })

  it("occur in every syntax that has a code, and in no other", () => {
    const read = new Set(
      documents.flatMap(([, { text }]) => readNative(text).repairs.flatMap(({ syntax }) => syntax ?? []))
    )
    assert.deepStrictEqual([...read].toSorted(), Object.keys(callSyntaxes).toSorted())
  })

  it("come from 12 families at least, with 8 documents each and a report", () => {
    assert.isAtLeast(families.length, 12)
    for (const { documents: all, family } of families) assert.isAtLeast(all.length, 8, family)
  })
})

describe("native calls", () => {
  it("keep the values of parameters as they stand, without the line breaks of the tags", () => {
    for (const value of ['a "b" \\n', "\n  x\n", "if a < b && c > d:", "{ }", "2", "# A\n\n## Tool Calls\n\nx"]) {
      assert.deepStrictEqual(callsOf(tagged(value)), [
        { name: "write_file", arguments: { content: value, path: "a.ts" } }
      ])
    }
  })

  it("are left alone in changes of files, in comments and in code blocks of other languages", () => {
    const call = tagged("x")
    for (const text of [
      `a.md\n<<<<<<< OLD\nx\n=======\n${call}\n>>>>>>> NEW`,
      `<!--\n${call}\n-->`,
      `\`\`\`markdown\n${call}\n\`\`\``,
      `\`\`\`ts\nread_file("a.ts")\n\`\`\``,
      `\`\`\`python\nprint(len(x))\n\`\`\``,
      `In a sentence ${call.replaceAll("\n", "")}`
    ])
      assert.strictEqual(readNative(text, isTool).text, text)
  })

  it("are no calls when their tags may belong to the text of a file", () => {
    const nested = tagged("<parameter=path>\nb.ts\n</parameter>")
    const { issues, text } = readNative(nested, isTool)
    assert.lengthOf(issues, 1)
    assert.notInclude(text, "<tool_call>")
  })

  it("are words where no tool has the name", () => {
    for (const text of [
      "Action: raise the limit\n\nThen it works.",
      "- **Name:** limit\n- **Value:** 5",
      "<details>\n<summary>More</summary>\n</details>",
      "compute(1, 2)\n\nis a call in the code.",
      "```yaml\nname: build\non: push\n```"
    ])
      assert.deepStrictEqual(readNative(text, isTool), { text, answer: text, issues: [], repairs: [] })
  })

  it("end where the model makes up the reply", () => {
    const { repairs, text } = readNative(
      'Action: read_file\nAction Input: {"path": "a.ts"}\nObservation: none\nAction: write_file\nAction Input: {}',
      isTool
    )
    assert.strictEqual(text.match(/<tool_call>/g)?.length, 1)
    expect(repairs.map(({ code }) => code)).toStrictEqual(["tool-call-syntax", "text-ignored"])
  })

  it("keep the number of lines, so that places in the answer stay right", () => {
    const text = `First.\n${tagged("x")}\nLast.`
    const lines = readNative(text, isTool).text.split("\n")
    assert.strictEqual(lines.indexOf("Last."), text.split("\n").indexOf("Last."))
  })

  it("are found in time that grows with the length", () => {
    for (const text of [
      "<function=a><parameter=b>\n".repeat(20_000),
      "<function=a>\n<parameter=b>\nx\n".repeat(20_000),
      "[TOOL_CALLS]a[ARGS]{".repeat(20_000),
      "<read_file>\n<path>\n".repeat(20_000),
      "Action: search\nArguments:\n".repeat(20_000),
      "[search(".repeat(20_000),
      "<tool_call>\n".repeat(20_000),
      "Text. <".repeat(20_000),
      "x.<tool_call>{".repeat(20_000),
      "<!-- ".repeat(20_000),
      "tool_calls:\n- a\n".repeat(20_000)
    ]) {
      assert.isBelow(
        cpuTime(() => readNative(text, isTool)),
        2000,
        text.slice(0, 30)
      )
    }
  })
})
