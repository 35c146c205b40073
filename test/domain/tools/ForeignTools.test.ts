import { assert, describe, it } from "@effect/vitest"
import { ownCall } from "../../../src/domain/tools/ForeignTools.ts"

const tools = new Set(["read_file", "edit_file", "write_file", "run_command", "search_files", "get_file_tree"])
const own = (name: string, given: Readonly<Record<string, string | number | ReadonlyArray<number>>>) =>
  ownCall({ name, arguments: given }, (one) => tools.has(one))
const editor = "str_replace_editor"
const view = (view_range: ReadonlyArray<number>) => ({ command: "view", path: "a", view_range })
const change = { path: "a", old_str: "a", new_str: "b" }

describe("tools of other programs", () => {
  it.each([
    ["Bash", { command: "npm test", description: "Run the tests", timeout: 5 }, "run_command", { command: "npm test" }],
    ["execute_command", { command: "ls", requires_approval: "false" }, "run_command", { command: "ls" }],
    ["exec_command", { cmd: "ls" }, "run_command", { command: "ls" }],
    ["Read", { file_path: "a", offset: 9, limit: 2 }, "read_file", { file_path: "a", start_line: 9, end_line: 10 }],
    ["view_file", { target_file: "a.ts", limit: 20 }, "read_file", { path: "a.ts", end_line: 20 }],
    ["write_to_file", { path: "a.ts", content: "a", line_count: 1 }, "write_file", { path: "a.ts", content: "a" }],
    ["grep_search", { regex: "a+" }, "search_files", { pattern: "a+" }],
    ["list_files", { directory: "src", recursive: "true" }, "get_file_tree", { path: "src" }],
    [editor, view([3, 9]), "read_file", { path: "a", start_line: 3, end_line: 9 }],
    [editor, view([3, -1]), "read_file", { path: "a", start_line: 3 }],
    ["str_replace_based_edit_tool", { command: "str_replace", ...change }, "edit_file", change],
    [editor, { command: "create", path: "a", file_text: "a" }, "write_file", { path: "a", content: "a" }]
  ])("are read as tools here: %s %j", (name, given, expected, meant) => {
    assert.deepStrictEqual(own(name, given), { name: expected, arguments: meant })
  })

  it.each([
    ["str_replace_editor", { command: "undo_edit", path: "a.ts" }],
    ["str_replace_editor", { command: "insert", path: "a.ts", insert_line: 3, new_str: "a" }],
    ["fetch", { url: "https://example.test/" }],
    ["deploy", {}]
  ])("are unknown when nothing here does the same: %s %j", (name, given) => {
    assert.isUndefined(own(name, given))
  })

  it("keep an argument whose own name is given as well", () => {
    const given = { path: "a", target_file: "b" }
    assert.deepStrictEqual(own("Read", given)?.arguments, given)
  })
})
