import { describe, expect, it } from "@effect/vitest"
import { noFindings } from "../../../src/domain/findings/Issue.ts"
import { numberCalls, readCallBlock } from "../../../src/domain/tools/ToolCallFormat.ts"

const read = (...blocks: ReadonlyArray<string>) => {
  const findings = noFindings()
  const calls = numberCalls(
    blocks.flatMap((text, index) => readCallBlock(text, { line: index + 1 }, findings)),
    findings
  )
  const { issues, repairs } = findings
  return { calls, issues: issues.map(({ code }) => code), repairs: repairs.map(({ code }) => code) }
}

const call = (values: unknown, uid = "a") => ({ uid, name: "read_file", arguments: values })
const withPath = (path: string, uid = "a") => [call({ path }, uid)]

const source = (values: string) => `{"uid":"a","name":"read_file","arguments":${values}}`

const whatOf = (text: string): string => {
  const findings = noFindings()
  readCallBlock(text, { line: 1 }, findings)
  return findings.issues.map(({ what }) => what).join(" ")
}

describe("readCallBlock", () => {
  it.each([
    ["read_file(a.ts)", "where it says `read_file(a.ts)`, invalid symbol."],
    ['{"name": "x"\n "arguments": {"a": ...}}', 'where it says `"arguments": {"a": ...}}`, comma expected.'],
    ['{"path":"a","x"}', "where it says `}`, colon expected."],
    ['{"a": }', "where it says `}`, value expected."],
    [`{"a": 1 ${"2 ".repeat(40)}}`, `where it says \`${"2 ".repeat(20)}...\`, comma expected.`],
    ["", "value expected."]
  ])("says where a block is no JSON and what is expected there, without the engine's words: %j", (text, words) => {
    expect(whatOf(text)).toBe(`The block is not valid JSON: ${words}`)
  })

  it("reads strict JSON as it is", () => {
    expect(read(source('{"path":"a","n":1.5,"deep":[{"x":null}],"":true}'))).toEqual({
      calls: [call({ path: "a", n: 1.5, deep: [{ x: null }], "": true })],
      issues: [],
      repairs: []
    })
  })

  it.each([
    ["a trailing comma", '{"path":"a",}'],
    ["single quotes", "{'path':'a'}"],
    ["typographic quotes", "{“path”: “a”}"],
    ["bare keys", '{path: "a"}'],
    ["a line comment", '{"path":"a" // the file\n}'],
    ["a block comment", '{/* the file */ "path":"a"}'],
    ["a missing brace", '{"path":"a"'],
    ["a brace too many", '{"path":"a"}}']
  ])("mends %s", (_, values) => {
    expect(read(source(values))).toEqual({ calls: withPath("a"), issues: [], repairs: ["tool-call-repaired"] })
  })

  it.each([
    ["backslashes that JSON does not know", String.raw`{"path":"C:\Users\d+"}`, String.raw`C:\Users\d+`],
    ["a short unicode escape", String.raw`{"path":"\u12"}`, String.raw`\u12`],
    ["line breaks and tabs in a text", '{"path":"a\n\tb"}', "a\n\tb"],
    ["quotes in a text", '{"path":"find "main" here"}', 'find "main" here']
  ])("keeps every character when it mends %s", (_, values, path) => {
    expect(read(source(values))).toEqual({ calls: withPath(path), issues: [], repairs: ["tool-call-repaired"] })
  })

  it.each([
    ["a missing value", '{"path": }', "tool-call-json"],
    ["a value that was left out", '{"path":"a", ...}', "tool-call-json"],
    ["a key without value", '{"path":"a","x"}', "tool-call-json"],
    ["a text that breaks off", '{"path":"src/ma', "tool-call-truncated"],
    ["a key given twice", '{"path":"a","path":"b"}', "tool-call-key-duplicate"],
    ["a key given twice under another spelling", '{"path":"a","p\\u0061th":"b"}', "tool-call-key-duplicate"],
    ["a prototype", '{"x":{"__proto__":{"a":1}}}', "tool-call-key-forbidden"],
    ["a number that would lose digits", '{"id":12345678901234567890}', "tool-call-number"],
    ["a number without end", '{"id":1e999}', "tool-call-number"],
    ["a list for arguments", '["a"]', "tool-call-arguments"],
    ["a word for arguments", '"a.ts"', "tool-call-arguments"],
    ["far too many levels", "[".repeat(100_000), "tool-call-too-deep"],
    ["far too many levels behind a quote", `"${"[".repeat(100_000)}`, "tool-call-truncated"],
    ["a megabyte", `{"a":"${"x".repeat(1_100_000)}"}`, "tool-call-too-large"]
  ])("never guesses: %s", (_, values, code) => {
    const { calls, issues } = read(source(values))
    expect({ calls, issues }).toEqual({ calls: [], issues: [code] })
  })

  it.each([
    ["no JSON at all", "read_file('a')", "tool-call-json"],
    ["an empty block", "", "tool-call-json"],
    ["a number that breaks off", '{"name":"x","arguments":{"n":12', "tool-call-truncated"],
    ["a text", '"read_file"', "tool-call-not-object"],
    ["no name", '{"uid":"a","arguments":{}}', "tool-call-name"],
    ["a name that is no text", '{"uid":"a","name":1,"arguments":{}}', "tool-call-name"],
    ["parameters beside the arguments", '{"name":"x","arguments":{},"path":"a"}', "tool-call-key-unknown"],
    ["parameters beside two names", '{"name":"x","tool":"y","path":"a"}', "tool-call-key-unknown"],
    ["parameters beside an id that may be one", '{"tool":"x","id":"7","path":"a"}', "tool-call-key-unknown"],
    ["two names for one key", '{"name":"x","args":{},"params":{}}', "tool-call-key-duplicate"]
  ])("quotes the block for %s", (_, text, code) => {
    const findings = noFindings()
    expect(readCallBlock(text, { line: 3 }, findings)).toEqual([])
    expect(findings.issues.map(({ code, quote, where }) => ({ found: code, quote, where }))).toEqual([
      { found: code, quote: text, where: { line: 3 } }
    ])
  })

  it.each([
    ["id, tool, args", '{"id":"a","tool":"read_file","args":{"path":"a"}}', 3],
    ["function, parameters", '{"uid":"a","function":"read_file","parameters":{"path":"a"}}', 2],
    ["a function object", '{"id":"a","function":{"name":"read_file","arguments":{"path":"a"}}}', 2],
    ["arguments as text", '{"uid":"a","name":"read_file","arguments":"{\\"path\\":\\"a\\"}"}', 1]
  ])("reads other names: %s", (_, text, count) => {
    expect(read(text)).toEqual({
      calls: withPath("a"),
      issues: [],
      repairs: Array.from({ length: count }, () => "tool-call-alias")
    })
  })

  it("reads several calls out of one block", () => {
    const one = source('{"path":"a"}')
    const two = one.replace('"uid":"a"', '"uid":"b"')
    const calls = [...withPath("a"), ...withPath("a", "b")]
    for (const text of [
      `[${one},${two}]`,
      `${one}\n${two}`,
      `${one},\n${two}`,
      `{"tool_calls":[${one},${two}]}`,
      `${one}\n\`\`\`\n\`\`\`json\n${two}`
    ]) {
      expect(read(text)).toEqual({ calls, issues: [], repairs: ["tool-call-split"] })
    }
  })

  it("reads a call between tags", () => {
    expect(read(`<tool_call>\n${source('{"path":"a"}')}\n</tool_call>`).calls).toEqual(withPath("a"))
  })
})

it("numberCalls makes missing uids by position and repeated ones different", () => {
  const anonymous = '{"name":"read_file","arguments":{}}'
  const empty = source("{}")
  const { calls, repairs } = read(anonymous, empty, empty, empty.replace('"a"', '"call-5"'), anonymous)
  expect({ uids: calls.map((one) => one.uid), repairs }).toEqual({
    uids: ["call-1", "a", "a-2", "call-5", "call-5-2"],
    repairs: ["tool-call-uid", "tool-call-uid", "tool-call-uid"]
  })
})
