/**
 * The path of a file as findings name it.
 */
import type * as Path from "effect/Path"

/** Relative to the current folder when it lies below it, so that code hosts find it. */
export const sarifPath = (path: Path.Path, name: string): string => {
  const relative = path.relative(path.resolve("."), path.resolve(name))
  return relative.startsWith("..") ? path.resolve(name) : relative
}
