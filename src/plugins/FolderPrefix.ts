/**
 * Narrows the files of a project to a folder, as a model writes it. Called by the tools that list and search.
 */

/**
 * The path of a folder below the project without slashes around it; empty for the project, which is also `.`, `./`, `/`
 * and its absolute path `root`.
 */
export const folderName = (root: string, folder: string): string => {
  const relative = folder === root || folder.startsWith(`${root}/`) ? folder.slice(root.length) : folder
  return relative.replace(/^(?:\.?\/)+|\/+$/g, "").replace(/^\.$/, "")
}

/** True for a path that is `folder` itself or lies below it; both relative to the project. */
export const isBelow = (folder: string): ((path: string) => boolean) =>
  folder === "" ? () => true : (path) => path === folder || path.startsWith(`${folder}/`)
