import { assert, describe, it } from "@effect/vitest"
import { endsInCall, hasMarkedLine, markedCalls, markedParts } from "../../../src/domain/tools/MarkedCalls.ts"

const tag = (name: string, value: string) => `<function=${name}>\n<parameter=path>\n${value}\n</parameter>\n</function>`

describe("marked calls", () => {
  it("keep the values of parameters as they stand, without the line breaks of the tags", () => {
    const values = ['a "b" \\n', "\n  x\n", "if a < b && c > d:", "{ }", "2"]
    for (const value of values) {
      const [call] = markedCalls(tag("write_file", value)) ?? []
      assert.deepStrictEqual(JSON.parse(call?.json ?? ""), { name: "write_file", arguments: { path: value } })
    }
  })

  it("may have no parameters", () => {
    const [call] = markedCalls("<function=current_time>\n</function>") ?? []
    assert.deepStrictEqual(JSON.parse(call?.json ?? ""), { name: "current_time", arguments: {} })
  })

  it("leave what is inside of JSON alone", () => {
    const json = JSON.stringify({ name: "write_file", arguments: { content: tag("x", "y") } })
    const tagged = `<tool_call>\n${json}\n</tool_call>`
    assert.deepStrictEqual(
      markedCalls(tagged)?.map((call) => [call.json.trim(), call.tag]),
      [[json, undefined]]
    )
    assert.isUndefined(markedCalls(json))
  })

  it("are none when anything else stands beside them", () => {
    for (const text of [
      `Text. ${tag("a", "b")}`,
      `${tag("a", "b")} and more`,
      `${tag("a", "b")}\n<function=c>`,
      "<tool_call></tool_call>",
      "<function=a>text</function>",
      "<function=a><parameter=b>c</function>",
      "<functions=a></functions>"
    ])
      assert.isUndefined(markedCalls(text), text)
  })

  it("are not read where a tag begins before another one has ended", () => {
    const torn = `<function=a>\n${tag("b", "c")}`
    assert.deepStrictEqual(
      markedParts(torn).filter(({ kind }) => kind === "call"),
      []
    )
    const many = `${"<function=a><parameter=b>\n".repeat(20_000)}</parameter></function>`
    assert.isUndefined(markedCalls(many))
  })

  it("are seen where a text ends inside of one", () => {
    for (const text of ["<function=a>\n<parameter=b>\nx", '<tool_call>\n{"name": "a", "arguments": {"b": "x'])
      assert.isTrue(endsInCall(text), text)
    for (const text of [
      tag("a", "b"),
      '<tool_call>\n{"name": "a"}',
      '<tool_call>{"a": [}</tool_call>',
      "Text { and <parameter"
    ])
      assert.isFalse(endsInCall(text), text)
  })

  it("begin lines of a text in which they stand", () => {
    const text = `First.\n${tag("a", "b")}\nThen ${tag("c", "d")}\n<tool_call>{}</tool_call>`
    assert.deepStrictEqual(
      markedParts(text).map(({ kind }) => kind),
      ["text", "call", "text", "call"]
    )
    assert.isTrue(hasMarkedLine(text))
    assert.isFalse(hasMarkedLine(`Then ${tag("c", "d")}`))
  })
})
