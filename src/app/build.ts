/**
 * The version of this program with a hash of its build, because another build of the same version may contain other
 * prompts.
 */
import { version } from "./version.ts"

/** The beginning of the hash of all sources, which the bundler inserts. Undefined without a build. */
declare const sourcesHash: string | undefined

/** The version with the hash, such as `0.1.0+3f2a9c1b`; without a build, only the version. */
export const build: string = typeof sourcesHash === "undefined" ? version : `${version}+${sourcesHash}`
