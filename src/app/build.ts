/**
 * The version of this program, with what tells its builds apart: a journal of another build may hold other prompts.
 */
import { version } from "./version.ts"

/** The beginning of a hash of the sources, which the bundler puts here; not defined where the sources themselves run. */
declare const sourcesHash: string | undefined

/** `0.1.0+3f2a9c1b`; the version alone where nothing was built. */
export const build: string = typeof sourcesHash === "undefined" ? version : `${version}+${sourcesHash}`

/** True when a run was made by another version, or by another build of the same; sources do not know which build they are. */
export const isOtherBuild = (made: string, own: string = build): boolean => {
  const [[version, hash], [ownVersion, ownHash]] = [made.split("+"), own.split("+")]
  return version !== ownVersion || (hash !== undefined && ownHash !== undefined && hash !== ownHash)
}
