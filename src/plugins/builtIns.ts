/**
 * The plugins that every run has, in the shape that a stranger's package has too. Given to ToolRegistry.layer by the
 * composition root.
 */
import { defaultLimits, type Limits } from "../domain/configuration/Limits.ts"
import type { Plugin } from "../services/plugins/Plugin.ts"
import { currentTime } from "./CurrentTime.ts"
import { editFile } from "./EditFile.ts"
import { fetchUrl } from "./FetchUrl.ts"
import { fileTree } from "./FileTree.ts"
import { readFile } from "./ReadFile.ts"
import { runCommand } from "./RunCommand.ts"
import { scratchTasks } from "./ScratchTasks.ts"
import { searchFiles } from "./SearchFiles.ts"
import { writeFile } from "./WriteFile.ts"

/** Built-in plugins for these limits. */
export const builtInPlugins = ({ readFileBytes }: Pick<Limits, "readFileBytes">): ReadonlyArray<Plugin> => [
  fileTree,
  readFile(readFileBytes),
  searchFiles(readFileBytes),
  currentTime,
  scratchTasks,
  fetchUrl,
  writeFile(readFileBytes),
  editFile(readFileBytes),
  runCommand
]

/** Built-in plugins for the default limits. */
export default builtInPlugins(defaultLimits)
