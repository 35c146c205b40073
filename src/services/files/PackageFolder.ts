/**
 * Finds this package on the disk: the folders that are shipped beside the code, and modules that are reached by their
 * address instead of an import.
 */
import * as Path from "effect/Path"
import { findPackageJSON } from "node:module"
import { basename, dirname } from "node:path"

/** The absolute path of this package. */
export const packageRoot: string = dirname(findPackageJSON(".", import.meta.url) ?? "")

/** The absolute path of a folder at the top of this package. */
export const packageFolder = (name: "prompts" | "skills") => Path.Path.useSync((path) => path.join(packageRoot, name))

const isSource = import.meta.url.endsWith(".ts")

/**
 * The address of a module by its path below `src`, without its ending. As sources the modules are in the folders of `src`;
 * a build puts them into one folder, which is that of the library for every bundle.
 */
export const moduleUrl = (path: string): URL =>
  new URL(isSource ? `../../${path}.ts` : `../library/${basename(path)}.js`, import.meta.url)
