/** Compares versions of the program. A built program has a hash of its sources after a plus sign. */

/**
 * True if another version or another build made the run. A program that runs from source has no hash, so any build of
 * its version matches.
 */
export const isOtherBuild = (made: string, own: string): boolean => {
  const [[version, hash], [ownVersion, ownHash]] = [made.split("+"), own.split("+")]
  return version !== ownVersion || (hash !== undefined && ownHash !== undefined && hash !== ownHash)
}
