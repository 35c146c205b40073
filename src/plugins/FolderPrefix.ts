/**
 * Narrows the files of a project to a folder, as a model writes it. Called by the tools that list and search.
 */

/** True for a path, relative to the project, that is the given one or lies below it. `.`, `./` and `/` are the project. */
export const isBelow = (folder: string): ((path: string) => boolean) => {
  const prefix = folder.replace(/^(?:\.?\/)+|\/+$/g, "")
  return prefix === "" || prefix === "." ? () => true : (path) => path === prefix || path.startsWith(`${prefix}/`)
}
