/**
 * Finds the project path that a model means. It tries, in order:
 * - the path as written,
 * - the path after quotes or escapes are removed, or after each `\` is replaced by `/`,
 * - a path with a leading slash as a path in the project,
 * - the only project path that differs just in blanks or Unicode normalisation.
 * A path to something that exists outside the project stays unchanged. The gate decides about it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import { alikePath, otherSpellings } from "../../domain/files/PathList.ts"
import { canonicalPath, isWithin } from "./CanonicalPath.ts"
import { ifFound } from "./FileFailure.ts"
import { entriesIn, isThere } from "./FileLook.ts"
import { CurrentCopy, type WorkingCopy } from "./WorkingCopy.ts"

/** The maximum number of folders with similar names that are searched. */
const mostFolders = 16

/** True if the copy proposes something at or below a path, false if it removes the path, otherwise undefined. */
const proposes = (copy: WorkingCopy | undefined, file: string): boolean | undefined => {
  const own = copy?.get(file)
  if (own !== undefined) return own.text !== null
  return copy?.files().some((one) => one.text !== null && isWithin(file, one.path)) === true ? true : undefined
}

/** Whether something exists at a project path, and whether it exists only in the working copy. */
const look = Effect.fnUntraced(function* (root: string, written: string) {
  const canonical = yield* Effect.option(canonicalPath(root, written))
  if (canonical._tag === "None" || !canonical.value.inside) return { isThere: false, isProposed: false }
  const proposed = proposes(yield* CurrentCopy, canonical.value.path)
  return { isThere: proposed ?? (yield* isThere(canonical.value.path)), isProposed: proposed === true }
})

/** True if something exists at an absolute path, or if this cannot be determined. */
const isOnMachine = (absolute: string) =>
  Effect.match(
    FileSystem.FileSystem.use((fs) => ifFound(fs.stat(absolute))),
    { onFailure: () => true, onSuccess: (info) => info !== undefined }
  )

/** The project paths that differ from a path only in blanks and Unicode normalisation. */
const alike = Effect.fnUntraced(function* (root: string, relative: string) {
  let folders: ReadonlyArray<string> = [root]
  for (const part of relative.split(path.sep)) {
    const named = yield* Effect.forEach(folders.slice(0, mostFolders), (folder) =>
      Effect.map(entriesIn(folder), (entries) =>
        entries.flatMap(({ name }) => (alikePath(name) === alikePath(part) ? [path.join(folder, name)] : []))
      )
    )
    folders = named.flat()
  }
  const proposed = (yield* CurrentCopy)?.files() ?? []
  const names = proposed
    .filter((file) => file.text !== null && alikePath(path.relative(root, file.path)) === alikePath(relative))
    .map((file) => file.path)
  const found = [...new Set([...folders, ...names])]
  return yield* Effect.filter(found, (one) => Effect.map(look(root, one), (seen) => seen.isThere))
})

/** The project path that a written path means, relative to the root. Undefined if none fits, or several do. */
const fromRoot = Effect.fnUntraced(function* (root: string, written: string) {
  for (const spelling of [written, ...otherSpellings(written)]) {
    const { isProposed, isThere } = yield* look(root, spelling)
    if (isThere) return { path: spelling, isProposed }
  }
  const absolute = path.resolve(root, written)
  if (!isWithin(root, absolute) || absolute === root) return undefined
  const [near, ...others] = yield* alike(root, path.relative(root, absolute))
  if (near === undefined || others.length > 0) return undefined
  const relative = path.relative(root, near).split(path.sep).join("/")
  return { path: relative, isProposed: (yield* look(root, near)).isProposed }
})

/** The path that the model means, relative to the project or absolute. If no path is found, the path as written. */
export const meantPath = Effect.fn("meantPath")(function* (root: string, written: string) {
  const meant = yield* fromRoot(root, written)
  if (meant !== undefined) return meant.path
  const stripped = written.replace(/^\/+/, "")
  if (stripped === written || stripped === "" || isWithin(root, path.resolve(root, written))) return written
  const inProject = yield* fromRoot(root, stripped)
  /**
   * If the file is proposed, the machine is not searched: the task itself wrote the file, so its path reveals nothing
   * about the machine.
   */
  if (inProject?.isProposed === true) return inProject.path
  if (inProject !== undefined) return (yield* isOnMachine(written)) ? written : inProject.path
  const folder = path.dirname(stripped)
  const isNew = folder !== "." && (yield* look(root, folder)).isThere && !(yield* isOnMachine(path.dirname(written)))
  return isNew ? stripped : written
})
