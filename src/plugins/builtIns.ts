/**
 * The tools that every run has, as plugins that import nothing but what a package can import.
 */
import type { Plugin } from "../plugin-kit.ts"
import { currentTime } from "./CurrentTime.ts"
import { editFile } from "./EditFile.ts"
import { fetchUrl } from "./FetchUrl.ts"
import { fileTree } from "./FileTree.ts"
import { readFile } from "./ReadFile.ts"
import { runCommand } from "./RunCommand.ts"
import { scratchTasks } from "./ScratchTasks.ts"
import { searchFiles } from "./SearchFiles.ts"
import { writeFile } from "./WriteFile.ts"

/** What the person may limit; `maxFileBytes` is the largest file that is read as a whole, in bytes. */
export interface BuiltInLimits {
  readonly maxFileBytes: number
}

/** The plugins, in the order in which their tools are listed. */
export const builtInPlugins = ({ maxFileBytes }: BuiltInLimits): ReadonlyArray<Plugin> => [
  fileTree,
  readFile(maxFileBytes),
  searchFiles(maxFileBytes),
  currentTime,
  scratchTasks,
  fetchUrl,
  writeFile(maxFileBytes),
  editFile(maxFileBytes),
  runCommand
]
