/**
 * Lists of paths that fit: folders stand for what is in them where there is too much. Called by the tool
 * `get_file_tree`.
 */

/** At most this much of a list. */
export interface TreeBudget {
  readonly entries: number
  readonly characters: number
}

/** Paths of at most `depth` parts; what lies deeper is its folder at that depth, once, with `/` at the end. */
const collapse = (paths: ReadonlyArray<string>, depth: number): ReadonlyArray<string> => {
  const shown = new Set<string>()
  for (const path of paths) {
    const parts = path.split("/")
    shown.add(parts.length <= depth ? path : `${parts.slice(0, depth).join("/")}/`)
  }
  return [...shown]
}

const fits = (paths: ReadonlyArray<string>, room: TreeBudget): boolean =>
  paths.length <= room.entries && paths.reduce((sum, path) => sum + path.length, 0) <= room.characters

const depthOf = (paths: ReadonlyArray<string>): number =>
  paths.reduce((deepest, path) => Math.max(deepest, path.split("/").length), 1)

const cut = (paths: ReadonlyArray<string>, room: TreeBudget): ReadonlyArray<string> => {
  let characters = 0
  const end = paths.findIndex((path, index) => {
    characters += path.length
    return index >= room.entries || characters > room.characters
  })
  const note = "Name a folder with path to see the rest."
  return end === -1 ? paths : [...paths.slice(0, end), `(${paths.length - end} more are not shown. ${note})`]
}

/**
 * The paths as they can be shown. Without `depth` it is the greatest at which they fit; `from` is the depth of the folder
 * they lie in, 0 for the project. A note at the end says what is not shown.
 */
export const fitTree = (
  paths: ReadonlyArray<string>,
  room: TreeBudget,
  { depth, from }: { readonly depth?: number; readonly from: number }
): ReadonlyArray<string> => {
  if (depth !== undefined) return cut(collapse(paths, from + depth), room)
  if (fits(paths, room)) return paths
  for (let level = depthOf(paths) - 1; level > from; level--) {
    const collapsed = collapse(paths, level)
    if (!fits(collapsed, room) && level > from + 1) continue
    const note = `(${paths.length} files; those deeper than ${level - from} levels are shown as their folder. Name a folder with path to see them.)`
    return [...cut(collapsed, room), note]
  }
  return cut(paths, room)
}
