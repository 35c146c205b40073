import { assert, describe, it } from "@effect/vitest"
import { callsInText, readAskedCall, RepeatedCallDetector } from "../../../src/domain/conversation/AskedCalls.ts"
import type { CallOutcome } from "../../../src/domain/tools/ToolCall.ts"

const asked = (given: never) => readAskedCall({ id: "c1", name: "read_file", arguments: given }, "call-1-1")
const read = (given: unknown) => {
  const { call, issues, repairs } = asked(given as never)
  return {
    arguments: call.arguments,
    issues: issues.map(({ code }) => code),
    repairs: repairs.map(({ code }) => code)
  }
}

describe("arguments of a call", () => {
  it("are an object, or an object as text, also one with a slip of the pen", () => {
    const plain = { arguments: { path: "a", lines: 3 }, issues: [], repairs: [] }
    assert.deepStrictEqual(read({ path: "a", lines: 3 }), plain)
    assert.deepStrictEqual(read('{"path":"a","lines":3}'), { ...plain, repairs: ["tool-call-alias"] })
    assert.deepStrictEqual(read("{'path': 'a', 'lines': 3,}"), { ...plain, repairs: ["tool-call-alias"] })
  })

  it("are refused with one issue when they are anything else", () => {
    for (const wrong of ["{ path: ", '{"path": "a', "a.txt", "[1]", [1], 7, true]) {
      assert.strictEqual(read(wrong).issues.length, 1, JSON.stringify(wrong))
      assert.deepStrictEqual(read(wrong).arguments, {})
    }
  })

  it("may be missing", () => {
    assert.deepStrictEqual(read(null), { arguments: {}, issues: [], repairs: ["tool-call-alias"] })
  })
})

describe("calls in a text", () => {
  const tools = new Set(["read_file", "search_files"])
  const find = (text: string) => callsInText(text, tools, (position) => `id-${position}`)

  it("are found in every common form", () => {
    const call = '{"name": "read_file", "arguments": {"path": "a"}}'
    for (const text of [
      call,
      `\`\`\`json\n${call}\n\`\`\``,
      `<tool_call>\n${call}\n</tool_call>`,
      `<tool_call>\n${call}`,
      `[TOOL_CALLS] [${call}]`,
      `{"tool_calls": [${call}]}`
    ]) {
      const found = find(text)
      assert.deepStrictEqual(found?.calls, [{ id: "id-1", name: "read_file", arguments: { path: "a" } }], text)
      assert.strictEqual(found?.text, "", text)
    }
  })

  it("keep their order and leave the words around them", () => {
    const text =
      'First this.\n<tool_call>{"name":"search_files","arguments":{"pattern":"x"}}</tool_call>\n<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>'
    const found = find(text)
    assert.deepStrictEqual(
      [found?.text, found?.calls.map(({ id, name }) => `${id} ${name}`), found?.repairs.at(-1)?.message],
      ["First this.", ["id-1 search_files", "id-2 read_file"], "Read 2 tool calls out of the text of the answer."]
    )
  })

  it("are none in an answer that only looks a little like one", () => {
    for (const text of [
      "",
      "The tool is called read_file.",
      '{"name": "weather", "arguments": {}}',
      '{"version": 1}',
      '{"name": "read_file", "arguments": ',
      'Use it so:\n\n```json\n{"name": "read_file", "arguments": {"path": "a"}}\n```\n\nThat is all.'
    ]) {
      assert.isUndefined(find(text), text)
    }
  })
})

const outcome = (name: string, given: CallOutcome["call"]["arguments"], data: string, time = 1): CallOutcome => ({
  call: { uid: `${name}-${time}`, name, arguments: given },
  result: {
    success: true,
    data,
    error_message: null,
    error_type: "none",
    metadata: { execution_time_ms: time, data_size_bytes: 1, timestamp: time }
  }
})

it("finds the third same call with the same result, however its arguments are ordered and whenever it ran", () => {
  const same = new RepeatedCallDetector(3)
  assert.isUndefined(same.add([outcome("read", { a: 1, b: 2 }, "x", 1)]))
  assert.isUndefined(same.add([outcome("read", { b: 2, a: 1 }, "x", 2), outcome("other", {}, "y")]))
  assert.strictEqual(same.add([outcome("read", { a: 1, b: 2 }, "x", 3)]), "read")
})

it("begins anew with a new result, and with other arguments", () => {
  const same = new RepeatedCallDetector(2)
  assert.isUndefined(same.add([outcome("read", { a: 1 }, "x")]))
  assert.isUndefined(same.add([outcome("read", { a: 1 }, "y")]))
  assert.isUndefined(same.add([outcome("read", { a: 2 }, "y")]))
  assert.strictEqual(same.add([outcome("read", { a: 1 }, "y")]), "read")
})

it("counts a call once in each iteration", () => {
  const same = new RepeatedCallDetector(2)
  assert.isUndefined(same.add([outcome("read", {}, "x", 1), outcome("read", {}, "x", 2), outcome("read", {}, "x", 3)]))
  assert.strictEqual(same.add([outcome("read", {}, "x", 4)]), "read")
})
