/**
 * Where programs are looked for that the host itself starts, outside of any sandbox: nothing that a command of the project or
 * another user can write. `npm` and `npx` put folders of the project before all others.
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

/** The folders of a search path that lie outside of the project, in which not everybody can put programs. */
export const trustedFolders = (searchPath: string | undefined, project: string): ReadonlyArray<string> => {
  const root = real(project) ?? project
  return (searchPath ?? "").split(path.delimiter).filter((folder) => {
    const found = path.isAbsolute(folder) ? real(folder) : undefined
    if (found === undefined || isWithin(root, found)) return false
    return process.platform === "win32" || (statSync(found).mode & othersCanWrite) === 0
  })
}

/** The same as the value of PATH. */
export const trustedSearchPath = (searchPath: string | undefined, project: string): string =>
  trustedFolders(searchPath, project).join(path.delimiter)
