/**
 * What no rule and no answer can allow: writes outside the project, writes to what steers git or this program, and
 * commands without the sandbox that the person requires.
 * Judged on canonical paths; called by the gate before anything else.
 */
import type * as Path from "effect/Path"
import type { CanonicalAccess } from "../../domain/tools/Access.ts"
import { isControlPath } from "../../domain/files/SensitivePath.ts"

/** The end of a sentence that begins with the tool and its target; nothing when the access may be judged by rules. */
export const refusalOf = (
  access: CanonicalAccess,
  world: { readonly path: Path.Path; readonly root: string; readonly protectedPaths: ReadonlyArray<string> }
): string | undefined => {
  if (access._tag === "RunCommand") return access.refusal
  if (access._tag !== "WriteFile") return undefined
  if (!access.inside) return "would write outside the project, which nothing can allow"
  const { path, protectedPaths, root } = world
  const isBelow = (folder: string) => access.path === folder || access.path.startsWith(`${folder}${path.sep}`)
  if (isControlPath(path.relative(root, access.path)) || protectedPaths.some(isBelow)) {
    return "would change what steers git or this program, which nothing can allow"
  }
  return undefined
}
