/**
 * The version of this program plus a hash of its build. A journal of another build may contain other prompts.
 */
import { version } from "./version.ts"

/**
 * The first characters of the hash of all sources. The bundler inserts them. Undefined if the sources run without a
 * build.
 */
declare const sourcesHash: string | undefined

/** For example `0.1.0+3f2a9c1b`. Without a build, only the version. */
export const build: string = typeof sourcesHash === "undefined" ? version : `${version}+${sourcesHash}`
