/**
 * The tools of every run. Like a package of tools, this file imports nothing from the core except the interface for
 * plugins.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { secondsOfTool, tool, ToolLimits } from "../../plugin-kit.ts"
import { editFile, moveFile, removeFile, writeFile } from "./WriteFile.ts"
import { fileTree } from "./FileTree.ts"
import { readFile } from "./ReadFile.ts"
import { runCommand } from "./RunCommand.ts"
import { scratchTasks } from "./ScratchTasks.ts"
import { searchFiles } from "./SearchFiles.ts"

const currentTime = tool({
  description: "Returns the current date and time in UTC, as ISO 8601.",
  parameters: Schema.Struct({}),
  risk: "safe",
  effect: "pure",
  execute: () => Effect.map(DateTime.now, DateTime.formatIso)
})

/** The built-in tools, in the order in which prompts list them. The limits that the user set apply to them. */
export const builtInTools = Effect.gen(function* () {
  const limits = yield* ToolLimits
  const { commandSeconds, readFileBytes } = limits
  const { name, value: seconds } = secondsOfTool(limits, "search_files")
  const ofList = yield* scratchTasks
  return {
    get_file_tree: fileTree,
    read_file: readFile(readFileBytes),
    search_files: searchFiles(readFileBytes, { seconds, setting: name }),
    get_current_time: currentTime,
    ...ofList,
    write_file: writeFile(readFileBytes),
    edit_file: editFile(readFileBytes),
    remove_file: removeFile(readFileBytes),
    move_file: moveFile,
    run_command: runCommand(commandSeconds)
  }
})
