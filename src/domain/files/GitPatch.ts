/** The change of a file as git writes it and `git apply` takes it. */
import { type FileKind, gitMode } from "./FileKind.ts"
import { changeBetween, type WholeChange } from "./ChangePreview.ts"

/** A file on one side of a change. */
export interface PatchSide {
  /** With a byte order mark where the file has one; absent for a file that is no text. */
  readonly text?: string
  readonly kind: FileKind
}

/** A file before and after; absent where there is none. */
export interface PatchSides {
  readonly before: PatchSide | undefined
  readonly after: PatchSide | undefined
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\" }

/** As git quotes names that hold what would end them. */
const quoted = (name: string): string =>
  /["\\\p{Cc}]/u.test(name)
    ? `"${name.replaceAll(/["\\\p{Cc}]/gu, (sign) => escapes[sign] ?? `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`
    : name

/** A name with a blank ends with a tab, so that what stands behind it is no part of it. */
const named = (name: string): string => (name.includes(" ") ? `${quoted(name)}\t` : quoted(name))

const modeLines = ({ after, before }: PatchSides): ReadonlyArray<string> => {
  if (before === undefined) return after === undefined ? [] : [`new file mode ${gitMode[after.kind]}`]
  if (after === undefined) return [`deleted file mode ${gitMode[before.kind]}`]
  if (before.kind === after.kind) return []
  return [`old mode ${gitMode[before.kind]}`, `new mode ${gitMode[after.kind]}`]
}

/** The change under a path relative to the root of the project; `binary` is the patch of a file that is no text. */
export const gitPatch = (path: string, sides: PatchSides, binary?: string): WholeChange => {
  const { after, before } = sides
  const head = [`diff --git ${quoted(`a/${path}`)} ${quoted(`b/${path}`)}`, ...modeLines(sides)]
  const begin = `${head.join("\n")}\n`
  if (binary !== undefined) return { added: 0, removed: 0, diff: `${begin}${binary}` }
  const change = changeBetween({
    before: before?.text,
    after: after?.text,
    fromFile: before === undefined ? "/dev/null" : named(`a/${path}`),
    toFile: after === undefined ? "/dev/null" : named(`b/${path}`)
  })
  return { ...change, diff: `${begin}${change.diff}` }
}
