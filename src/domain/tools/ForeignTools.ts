/** Maps tools of other programs to tools of this program, because models write names that they learnt elsewhere. */

import type * as Schema from "effect/Schema"
import type { Arguments } from "./ToolCall.ts"

/** For each tool, the names that other programs use. */
const names: ReadonlyMap<string, string> = new Map(
  Object.entries({
    read_file:
      "read_file read view view_file open_file cat show_file get_file_contents read_text_file view_source file_read",
    write_file: "write_file write create_file write_to_file save_file create overwrite_file new_file file_write",
    edit_file:
      "edit_file edit str_replace replace replace_in_file search_replace apply_edit update_file modify_file string_replace apply_diff",
    search_files:
      "search_files search grep grep_search ripgrep rg search_code codebase_search find_in_files search_file_content content_search",
    get_file_tree: "get_file_tree list_files list_dir list_directory ls tree file_tree directory_tree glob find_files",
    run_command:
      "run_command bash shell terminal execute_command exec execute_bash run_shell_command run_in_terminal run_terminal_cmd exec_command execute run local_shell",
    fetch_url: "fetch_url fetch web_fetch webfetch fetch_webpage read_url open_url browse"
  }).flatMap(([own, others]) => others.split(" ").map((other) => [other, own] as const))
)

/** Tools of other programs whose `command` argument selects an action. */
const editors = new Set(["str_replace_editor", "str_replace_based_edit_tool", "text_editor"])
const actions: ReadonlyMap<string, string> = new Map([
  ["view", "read_file"],
  ["create", "write_file"],
  ["str_replace", "edit_file"]
])

/** Foreign tools that end the work or ask the user. This program has no such tools. */
const ends = new Set(["attempt_completion", "ask_followup_question", "plan_mode_respond"])

const plain = (name: string): string =>
  name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll("-", "_")

/**
 * Finds this program's tool for the tool name of another program. Returns the given name unchanged for tools that end
 * the work, and for tools whose argument `command` selects an action. Undefined for an unknown name.
 */
export const foreignTool = (name: string): string | undefined =>
  names.get(plain(name)) ?? (editors.has(name) || ends.has(name) ? name : undefined)

const renamed: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries({
    run_command: {
      cmd: "command",
      script: "command",
      command_line: "command",
      workdir: "cwd",
      working_directory: "cwd"
    },
    search_files: {
      regex: "pattern",
      search: "pattern",
      search_term: "pattern",
      text: "pattern",
      file_pattern: "glob"
    },
    read_file: { target_file: "path", absolute_path: "path", offset: "start_line" },
    write_file: { target_file: "path", file_text: "content", code: "content" },
    edit_file: { target_file: "path" },
    get_file_tree: { directory: "path", dir: "path", dir_path: "path", folder: "path", target_directory: "path" }
  }).map(([tool, given]) => [tool, new Map(Object.entries(given))] as const)
)

/** Arguments that other programs' tools have, and that mean nothing to this program. */
const remarks = new Set([
  "requires_approval",
  "line_count",
  "recursive",
  "is_background",
  "timeout",
  "description",
  "instructions"
])

interface Named {
  readonly name: string
  readonly arguments: Arguments
}

/** The lines to read, from `[first, last]` or from a start and a count. */
const linesOf = (
  range: Schema.Json | undefined,
  limit: Schema.Json | undefined,
  start: Schema.Json | undefined
): Arguments => {
  if (Array.isArray(range)) {
    const [first, last] = range
    return typeof first !== "number"
      ? {}
      : { start_line: first, ...(typeof last === "number" && last > 0 ? { end_line: last } : {}) }
  }
  const count = Number(limit)
  return limit !== undefined && Number.isInteger(count) ? { end_line: Math.max(1, Number(start ?? 1)) + count - 1 } : {}
}

/** Translates a call of a foreign tool. Undefined if this program has no such tool. */
export const ownCall = (call: Named, has: (name: string) => boolean): Named | undefined => {
  const action = editors.has(call.name) ? call.arguments["command"] : undefined
  const name = typeof action === "string" ? actions.get(action) : names.get(plain(call.name))
  if (name === undefined || !has(name)) return undefined
  const { limit, view_range: range, ...others } = call.arguments
  const ownNames = renamed.get(name)
  const entries = Object.entries(others).flatMap(([key, value]): ReadonlyArray<[string, typeof value]> => {
    if (remarks.has(key) || (action !== undefined && key === "command")) return []
    const other = ownNames?.get(key)
    return [[other === undefined || Object.hasOwn(others, other) ? key : other, value]]
  })
  const given: Arguments = Object.fromEntries(entries)
  return { name, arguments: { ...given, ...linesOf(range, limit, given["start_line"]) } satisfies Arguments }
}
