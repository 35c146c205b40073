/**
 * The tools that every run has, as a plugin that imports nothing but what a package can import.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, tool, type Plugin } from "../../plugin-kit.ts"
import { editFile, moveFile, removeFile, writeFile } from "./WriteFile.ts"
import { fetchUrl } from "../web/FetchUrl.ts"
import { fileTree } from "./FileTree.ts"
import { readFile } from "./ReadFile.ts"
import { runCommand } from "./RunCommand.ts"
import { scratchTasks } from "./ScratchTasks.ts"
import { searchFiles, type SearchTime } from "./SearchFiles.ts"

const currentTime = tool({
  description: "Returns the current date and time in UTC, as ISO 8601.",
  parameters: Schema.Struct({}),
  risk: "safe",
  effect: "pure",
  execute: () => Effect.map(DateTime.now, DateTime.formatIso)
})

/** What the person may limit. */
interface BuiltInLimits {
  /** The largest file that is read as a whole, in bytes. */
  readonly maxFileBytes: number
  /** How long a page may take. */
  readonly fetchSeconds: number
  /** How long a command may run that names no time itself. */
  readonly commandSeconds: number
  /** How long a search may take before it ends with what it has. */
  readonly searchTime: SearchTime
}

/** The plugin with this name; its tools are listed in this order. */
export const builtInPlugin = (
  name: string,
  { commandSeconds, fetchSeconds, maxFileBytes, searchTime }: BuiltInLimits
): Plugin =>
  definePlugin({
    name,
    tools: Effect.map(scratchTasks, (ofList) => ({
      get_file_tree: fileTree,
      read_file: readFile(maxFileBytes),
      search_files: searchFiles(maxFileBytes, searchTime),
      get_current_time: currentTime,
      ...ofList,
      fetch_url: fetchUrl(fetchSeconds),
      write_file: writeFile(maxFileBytes),
      edit_file: editFile(maxFileBytes),
      remove_file: removeFile(maxFileBytes),
      move_file: moveFile,
      run_command: runCommand(commandSeconds)
    }))
  })
