/**
 * Finds this package on the disk: the folders that are shipped beside the code, and modules that are reached by their
 * address instead of an import.
 */
import { basename, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

/** True where the sources themselves run. */
export const isSource: boolean = import.meta.url.endsWith(".ts")

/** The absolute path of this package: a built module is in a folder of `dist`, this source in one of `src/services`. */
export const packageRoot: string = resolve(fileURLToPath(new URL(isSource ? "../../.." : "../..", import.meta.url)))

/** The absolute path of a folder at the top of this package. */
export const packageFolder = (name: "prompts" | "skills" | "templates"): string => join(packageRoot, name)

/**
 * The address of a module by its path below `src`, without its ending. As sources the modules are in the folders of `src`;
 * a build puts them into one folder, which is that of the library also for the command line, and those of the kit into one below.
 */
export const moduleUrl = (path: string): URL => {
  const built = path.startsWith("kit/") ? path : basename(path)
  return new URL(isSource ? `../../${path}.ts` : `../library/${built}.js`, import.meta.url)
}
