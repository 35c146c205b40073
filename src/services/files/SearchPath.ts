/**
 * The search path for programs that task-conductor starts outside any sandbox. `npm` and `npx` put folders of the
 * project first in PATH. This search path omits all folders that another user or a command of the project could write.
 */
import { realpathSync, statSync } from "node:fs"
import * as path from "node:path"
import { isWithin } from "./CanonicalPath.ts"

const othersCanWrite = 0o002

const real = (file: string): string | undefined => {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}

/** The absolute folders of a search path that lie outside the project and that no other user can write. */
export const trustedFolders = (searchPath: string | undefined, project: string): ReadonlyArray<string> => {
  const root = real(project) ?? project
  return (searchPath ?? "").split(path.delimiter).filter((folder) => {
    const found = path.isAbsolute(folder) ? real(folder) : undefined
    if (found === undefined || isWithin(root, found)) return false
    return process.platform === "win32" || (statSync(found).mode & othersCanWrite) === 0
  })
}

/** The trusted folders as a value of PATH. */
export const trustedSearchPath = (searchPath: string | undefined, project: string): string =>
  trustedFolders(searchPath, project).join(path.delimiter)
