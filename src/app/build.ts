/**
 * The version of this program, with what tells its builds apart: a journal of another build may hold other prompts.
 */
import { version } from "./version.ts"

/** The beginning of a hash of the sources, which the bundler puts here; not defined where the sources themselves run. */
declare const sourcesHash: string | undefined

/** `0.1.0+3f2a9c1b`; the version alone where nothing was built. */
export const build: string = typeof sourcesHash === "undefined" ? version : `${version}+${sourcesHash}`
