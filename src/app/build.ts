/**
 * The version of this program plus a hash of its build. A journal of another build may contain other prompts.
 */
import { version } from "./version.ts"

/** The bundler inserts the start of the hash of the sources. Undefined when the sources run directly. */
declare const sourcesHash: string | undefined

/** For example `0.1.0+3f2a9c1b`; without a build only the version. */
export const build: string = typeof sourcesHash === "undefined" ? version : `${version}+${sourcesHash}`
