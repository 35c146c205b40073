/** Finds this package on disk, for folders beside the code and for modules that are loaded by URL. */
import { basename, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** True if the program runs from its sources. */
export const isSource: boolean = import.meta.url.endsWith(".ts")

/** The absolute path of this package. After a build, this module lies in a folder of `dist`. */
export const packageRoot: string = resolve(fileURLToPath(new URL(isSource ? "../../.." : "../..", import.meta.url)))

export const packageFolder = (name: "prompts" | "skills" | "templates"): string => join(packageRoot, name)

/**
 * The URL of a module. `path` is its path below `src` without its ending. A build puts all modules into `library`, and
 * those of the kit into a subfolder.
 */
export const moduleUrl = (path: string): URL => {
  const built = path.startsWith("kit/") ? path : basename(path)
  return new URL(isSource ? `../../${path}.ts` : `../library/${built}.js`, import.meta.url)
}
