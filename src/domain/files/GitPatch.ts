/**
 * Writes the change of a file in the format of git, for `git apply`.
 */
import { type FileKind, gitMode } from "./FileKind.ts"
import { changeBetween, type WholeChange } from "./ChangePreview.ts"

/** A file before or after a change. */
export interface PatchSide {
  /** The text with the byte order mark of the file, if any. Absent for a file that is not text. */
  readonly text?: string
  readonly kind: FileKind
}

/** A file before and after a change; undefined where the file does not exist. */
export interface PatchSides {
  readonly before: PatchSide | undefined
  readonly after: PatchSide | undefined
}

const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", '"': '\\"', "\\": "\\\\" }

const quoted = (name: string): string =>
  /["\\\p{Cc}]/u.test(name)
    ? `"${name.replaceAll(/["\\\p{Cc}]/gu, (sign) => escapes[sign] ?? `\\${sign.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`
    : name

/** If a name contains a blank, a tab marks its end. */
const named = (name: string): string => (name.includes(" ") ? `${quoted(name)}\t` : quoted(name))

const modeLines = ({ after, before }: PatchSides): ReadonlyArray<string> => {
  if (before === undefined) return after === undefined ? [] : [`new file mode ${gitMode[after.kind]}`]
  if (after === undefined) return [`deleted file mode ${gitMode[before.kind]}`]
  if (before.kind === after.kind) return []
  return [`old mode ${gitMode[before.kind]}`, `new mode ${gitMode[after.kind]}`]
}

/**
 * The patch for a change of a file. `path` is relative to the project. `binary` is the patch of a file that is not
 * text.
 */
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
