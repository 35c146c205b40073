/**
 * Finds this package on disk: folders that ship beside the code, and modules that are loaded by URL instead of an
 * import.
 */
import { basename, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** True if the program runs from its sources. */
export const isSource: boolean = import.meta.url.endsWith(".ts")

/** The absolute path of this package. A built module is in a folder of `dist`; this source is in `src/services`. */
export const packageRoot: string = resolve(fileURLToPath(new URL(isSource ? "../../.." : "../..", import.meta.url)))

export const packageFolder = (name: "prompts" | "skills" | "templates"): string => join(packageRoot, name)

/**
 * The URL of a module, given by its path below `src` without its ending. A build puts all modules into one folder,
 * `library`, and those of the kit into a subfolder.
 */
export const moduleUrl = (path: string): URL => {
  const built = path.startsWith("kit/") ? path : basename(path)
  return new URL(isSource ? `../../${path}.ts` : `../library/${built}.js`, import.meta.url)
}
