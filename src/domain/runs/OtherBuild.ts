/**
 * Whether two programs are builds of the same: their versions, with a hash of the sources behind a plus sign when they were built.
 */

/** True when a run was made by another version, or by another build of the same; sources do not know which build they are. */
export const isOtherBuild = (made: string, own: string): boolean => {
  const [[version, hash], [ownVersion, ownHash]] = [made.split("+"), own.split("+")]
  return version !== ownVersion || (hash !== undefined && ownHash !== undefined && hash !== ownHash)
}
