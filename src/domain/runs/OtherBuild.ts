/** Compares versions of the program. A build has a hash of its sources after a plus sign. */

/**
 * True for a run by another version or build. A program that runs from source has no hash, and equals any build of its
 * version.
 */
export const isOtherBuild = (made: string, own: string): boolean => {
  const [[version, hash], [ownVersion, ownHash]] = [made.split("+"), own.split("+")]
  return version !== ownVersion || (hash !== undefined && ownHash !== undefined && hash !== ownHash)
}
