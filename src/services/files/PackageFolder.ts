/**
 * Finds this package on the disk and the folders that are shipped beside the code: prompts and skills. Works from the
 * sources, from the compiled modules and from the bundles, at whatever depth they lie.
 */
import * as Path from "effect/Path"
import { findPackageJSON } from "node:module"
import { dirname } from "node:path"

/** The absolute path of this package. */
export const packageRoot: string = dirname(findPackageJSON(".", import.meta.url) ?? "")

/** The absolute path of a folder at the top of this package. */
export const packageFolder = (name: "prompts" | "skills") => Path.Path.useSync((path) => path.join(packageRoot, name))
