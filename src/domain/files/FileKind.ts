/**
 * What a file is besides its text, as far as git knows it too: whether it can be executed, and whether it is a link.
 */
import * as Schema from "effect/Schema"

export const FileKind = Schema.Literals(["plain", "executable", "link"])
export type FileKind = typeof FileKind.Type

const typeBits = 0o170000
const linkBits = 0o120000
const executeBits = 0o111

export const kindOfMode = (mode: number): FileKind => {
  if ((mode & typeBits) === linkBits) return "link"
  return (mode & 0o100) === 0 ? "plain" : "executable"
}

/** The mode of a file as this kind: who may read it may execute it, or nobody may. */
export const modeAs = (kind: FileKind, mode: number): number =>
  kind === "executable" ? mode | ((mode & 0o444) >> 2) : mode & ~executeBits

export const gitMode: Readonly<Record<FileKind, string>> = { plain: "100644", executable: "100755", link: "120000" }

/** For a person, of what a file becomes. */
export const kindWords: Readonly<Record<FileKind, string>> = {
  plain: "not executable",
  executable: "executable",
  link: "a link"
}
