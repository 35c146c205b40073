/**
 * The version of this program with a hash of its build. The hash is needed because another build may contain other
 * prompts.
 */
import { version } from "./version.ts"

/**
 * The first characters of the hash of all sources. The bundler inserts them. Undefined if the sources run without a
 * build.
 */
declare const sourcesHash: string | undefined

/** The version with the hash, for example `0.1.0+3f2a9c1b`. For sources without a build, only the version. */
export const build: string = typeof sourcesHash === "undefined" ? version : `${version}+${sourcesHash}`
