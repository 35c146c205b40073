/** Compares versions of the program. A built program has a hash of its sources after a plus sign. */

/**
 * True if the run was made by another version or another build of the program. A program that runs from source has no
 * hash, so it counts as equal to any build of its version.
 */
export const isOtherBuild = (made: string, own: string): boolean => {
  const [[version, hash], [ownVersion, ownHash]] = [made.split("+"), own.split("+")]
  return version !== ownVersion || (hash !== undefined && ownHash !== undefined && hash !== ownHash)
}
