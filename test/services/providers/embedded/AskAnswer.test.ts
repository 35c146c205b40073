import { assert, describe, it } from "@effect/vitest"
import { askAnswer, type AskView } from "../../../../src/services/providers/embedded/AskAnswer.ts"
import type { OfferedTool } from "../../../../src/services/providers/embedded/PromptText.ts"

const string = { type: "string" }
const offered = (name: string, required: ReadonlyArray<string>, optional: ReadonlyArray<string> = []): OfferedTool => ({
  name,
  description: "",
  parameters: { required, properties: Object.fromEntries([...required, ...optional].map((one) => [one, string])) }
})
const tools = [
  offered("get_file_tree", []),
  offered("read_file", ["path"], ["start_line", "end_line"]),
  offered("search_files", ["pattern"], ["path"]),
  offered("write_file", ["path", "content"]),
  offered("run_command", ["argv"])
]

const saying = (text: string, outcomes: AskView["outcomes"] = [], offers = tools) =>
  askAnswer({ text, tools: offers, outcomes })
const searched = {
  call: { name: "search_files", arguments: { pattern: "loadUser" } },
  output: "src/a.ts:7: loadUser()"
}

describe("the embedded model in a conversation", () => {
  it("searches for the words, then reads around the best line, then quotes", () => {
    const text = "Where is `loadUser` called?"
    assert.deepStrictEqual(saying(text).calls, [{ name: "search_files", arguments: { pattern: "loadUser" } }])
    assert.deepStrictEqual(saying(text, [searched]).calls, [
      { name: "read_file", arguments: { path: "src/a.ts", start_line: 1, end_line: 27 } }
    ])
    const read = { call: { name: "read_file", arguments: { path: "src/a.ts" } }, output: "loadUser()" }
    const last = saying(text, [searched, read])
    assert.deepStrictEqual(last.calls, [])
    assert.include(last.text, "- [src/a.ts](src/a.ts#L7) `loadUser()`")
    assert.include(last.text, "It is not a language model")
  })

  it("reads the file that is named, and writes what is dictated", () => {
    assert.deepStrictEqual(saying("What is in src/b.ts:30?").calls, [
      { name: "read_file", arguments: { path: "src/b.ts", start_line: 10, end_line: 50 } }
    ])
    assert.deepStrictEqual(saying('Write a file notes.md with the text "hello".').calls, [
      { name: "write_file", arguments: { path: "notes.md", content: "hello\n" } }
    ])
  })

  it("runs no command but one that is ordered", () => {
    assert.deepStrictEqual(saying("Where is `npm test` described?").calls, [
      { name: "search_files", arguments: { pattern: "npm test" } }
    ])
    assert.deepStrictEqual(
      saying("Run `npm test`.").calls.map(({ name }) => name),
      ["run_command"]
    )
  })

  it("leaves tools alone that it does not understand, and looks around when there is nothing to look for", () => {
    const strange = offered("annotate", ["kind"])
    assert.deepStrictEqual(saying("What is this?", [], [strange, ...tools]).calls, [
      { name: "get_file_tree", arguments: {} }
    ])
  })

  it("says what failed and what was not found", () => {
    const failed = { call: { name: "read_file", arguments: { path: "a.ts" } }, output: "ERROR (not_found): no file" }
    assert.include(
      saying("What is in a.ts?", [failed]).text,
      "`read_file` on [a.ts](a.ts) failed: `ERROR (not_found): no file`"
    )
    const nothing = { call: searched.call, output: "No line of the 3 files holds it." }
    assert.match(saying("Where is `loadUser`?", [nothing]).text, /^- Nothing was found for `loadUser`\./)
  })

  it("answers from what it has when it may call nothing more", () => {
    assert.include(saying("Where is `loadUser` called?", [searched], []).text, "[src/a.ts](src/a.ts#L7)")
  })

  it("takes no time for a file", () => {
    const clock = { call: { name: "get_current_time", arguments: {} }, output: "2026-11-20T12:40:35.266Z" }
    assert.deepStrictEqual(saying("What time is it?", [clock]).calls, [])
  })
})
