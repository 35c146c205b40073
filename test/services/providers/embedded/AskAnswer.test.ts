import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import { assert, describe, it } from "@effect/vitest"
import { readMessageTurn } from "../../../../src/domain/conversation/MessageTurn.ts"
import { callBlocks } from "../../../../src/domain/models/ExecutionBlocks.ts"
import type { CallOutcome } from "../../../../src/domain/tools/ToolCall.ts"
import { askAnswer } from "../../../../src/services/providers/embedded/EmbeddedModel.ts"
import { failed, gave } from "../../../support/sampleTasks.ts"

const string = { type: "string" }
const offered = (
  name: string,
  required: ReadonlyArray<string>,
  optional: ReadonlyArray<string> = [],
  description = ""
) => {
  const properties = Object.fromEntries([...required, ...optional].map((one) => [one, string]))
  return Tool.dynamic(name, { description, parameters: { type: "object", required: [...required], properties } })
}
const tools = [
  offered("get_file_tree", []),
  offered("read_file", ["path"], ["start_line", "end_line"]),
  offered("search_files", ["pattern"], ["path"]),
  offered("write_file", ["path", "content"]),
  offered("run_command", ["argv"])
]

/** What is said to the last message of a conversation, with the calls that were made for it. */
const saying = (text: string, outcomes: ReadonlyArray<CallOutcome> = [], offers = tools) => {
  const earlier = [
    { role: "user" as const, content: "Where is `other`?" },
    { role: "assistant" as const, content: "There." }
  ]
  const prompt = Prompt.make([
    ...earlier,
    { role: "user", content: text },
    ...(outcomes.length === 0
      ? []
      : [
          { role: "assistant" as const, content: "## Tool Calls" },
          { role: "user" as const, content: `${callBlocks(outcomes, 10_000)}## Now\n\nGo on.` }
        ])
  ])
  const said = askAnswer({ prompt, tools: offers }, "")
  const { calls, report } = readMessageTurn(said, { tools: new Set(offers.map(({ name }) => name)), mayChange: false })
  return {
    text: report ?? "",
    calls: calls.map(({ arguments: given, name }) => ({ name, arguments: given }))
  }
}
const searched = gave("search_files", { pattern: "loadUser" }, "src/a.ts:7: loadUser()")

describe("the embedded model in a conversation", () => {
  it("searches for the words, then reads around the best line, then quotes", () => {
    const text = "Where is `loadUser` called?"
    assert.deepStrictEqual(saying(text).calls, [{ name: "search_files", arguments: { pattern: "loadUser" } }])
    assert.deepStrictEqual(saying(text, [searched]).calls, [
      { name: "read_file", arguments: { path: "src/a.ts", start_line: 1, end_line: 27 } }
    ])
    const read = gave("read_file", { path: "src/a.ts" }, "loadUser()", "call-2")
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

  it("lists the files and not its own empty list of things to do, whatever the question is called", () => {
    const own = offered("list_tasks", [], [], "Returns your own list of things to do as a JSON array.")
    assert.deepStrictEqual(saying("Which things can I do with this?", [], [own, ...tools]).calls, [
      { name: "get_file_tree", arguments: {} }
    ])
    assert.notInclude(saying("Which things?", [gave("list_tasks", {}, [])], [own]).text, "The project has")
  })

  it("says what failed and what was not found", () => {
    const missing = failed("read_file", { path: "a.ts" }, "not_found", "no file")
    assert.include(
      saying("What is in a.ts?", [missing]).text,
      "`read_file` on [a.ts](a.ts) failed: `ERROR (not_found): no file`"
    )
    const nothing = gave("search_files", { pattern: "loadUser" }, "No line of the 3 files holds it.")
    assert.match(saying("Where is `loadUser`?", [nothing]).text, /^- Nothing was found for `loadUser`\./)
  })

  it("answers from what it has when it may call nothing more", () => {
    assert.include(saying("Where is `loadUser` called?", [searched], []).text, "[src/a.ts](src/a.ts#L7)")
  })

  it("takes no time for a file", () => {
    const clock = gave("get_current_time", {}, "2026-11-20T12:40:35.266Z")
    assert.deepStrictEqual(saying("What time is it?", [clock]).calls, [])
  })
})
