import { assert, describe, expect, it } from "@effect/vitest"
import { endsInCall, hasMarkedLine, markedCalls, markedParts } from "../../../src/domain/tools/MarkedCalls.ts"

const tag = (name: string) => `<tool_call>{"name": "${name}", "arguments": {}}</tool_call>`

describe("marked calls", () => {
  it("are none when anything else stands beside them", () => {
    for (const text of [`Text. ${tag("a")}`, `${tag("a")} and more`, "<tool_call></tool_call>", tag("a").slice(11)])
      assert.isUndefined(markedCalls(text), text)
    assert.lengthOf(markedCalls(`${tag("a")}\n${tag("b")}`) ?? [], 2)
  })

  it("are seen where a text ends inside of one", () => {
    assert.isTrue(endsInCall('<tool_call>\n{"name": "a", "arguments": {"b": "x'))
    for (const text of ['<tool_call>\n{"name": "a"}', '<tool_call>{"a": [}</tool_call>', "Text { and <tool_call"])
      assert.isFalse(endsInCall(text), text)
  })

  it("begin lines of a text in which they stand", () => {
    const text = `First.\n${tag("a")}\nThen ${tag("c")}\n<tool_call>{}</tool_call>`
    expect(markedParts(text).map(({ kind }) => kind)).toStrictEqual(["text", "call", "text", "call"])
    assert.isTrue(hasMarkedLine(text))
    assert.isFalse(hasMarkedLine(`Then ${tag("c")}`))
  })
})
