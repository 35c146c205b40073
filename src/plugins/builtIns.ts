/**
 * The tools that every run has, as plugins that import nothing but what a package can import.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, tool, type Plugin } from "../plugin-kit.ts"
import { writeFile } from "./WriteFile.ts"
import { fetchUrl } from "./FetchUrl.ts"
import { fileTree } from "./FileTree.ts"
import { readFile } from "./ReadFile.ts"
import { runCommand } from "./RunCommand.ts"
import { scratchTasks } from "./ScratchTasks.ts"
import { searchFiles } from "./SearchFiles.ts"

const currentTime = definePlugin({
  name: "current-time",
  tools: Effect.succeed({
    get_current_time: tool({
      description: "Returns the current date and time in UTC, as ISO 8601.",
      parameters: Schema.Struct({}),
      risk: "safe",
      effect: "pure",
      execute: () => Effect.map(DateTime.now, DateTime.formatIso)
    })
  })
})

/** What the person may limit. */
interface BuiltInLimits {
  /** The largest file that is read as a whole, in bytes. */
  readonly maxFileBytes: number
  /** How long a page may take. */
  readonly fetchSeconds: number
  /** How long a command may run that names no time itself. */
  readonly commandSeconds: number
}

/** The plugins, in the order in which their tools are listed. */
export const builtInPlugins = ({
  commandSeconds,
  fetchSeconds,
  maxFileBytes
}: BuiltInLimits): ReadonlyArray<Plugin> => [
  fileTree,
  readFile(maxFileBytes),
  searchFiles(maxFileBytes),
  currentTime,
  scratchTasks,
  fetchUrl(fetchSeconds),
  writeFile(maxFileBytes),
  runCommand(commandSeconds)
]
