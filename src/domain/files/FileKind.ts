/** The properties of a file that git records besides its text: whether it is executable, and whether it is a link. */
import * as Schema from "effect/Schema"

/** The kind of a file: `plain`, `executable` or `link`. */
export const FileKind = Schema.Literals(["plain", "executable", "link"])
export type FileKind = typeof FileKind.Type

const typeBits = 0o170000
const linkBits = 0o120000
const executeBits = 0o111

export const kindOfMode = (mode: number): FileKind => {
  if ((mode & typeBits) === linkBits) return "link"
  return (mode & 0o100) === 0 ? "plain" : "executable"
}

/** Adds or removes the execute permission. Everyone who may read an executable file may execute it. */
export const modeAs = (kind: FileKind, mode: number): number =>
  kind === "executable" ? mode | ((mode & 0o444) >> 2) : mode & ~executeBits

export const gitMode: Readonly<Record<FileKind, string>> = { plain: "100644", executable: "100755", link: "120000" }

export const kindWords: Readonly<Record<FileKind, string>> = {
  plain: "not executable",
  executable: "executable",
  link: "a link"
}
