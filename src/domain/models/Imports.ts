/**
 * Finds the files that a project description names. A line may hold `@path`, which stands for the file at this path. If
 * git checked out a link as a text file, the whole text of this file is a path.
 */

/** The path of another file. `isSure` is true if the text can only be a path. */
export interface NamedFile {
  readonly path: string
  readonly isSure: boolean
}

export interface Import extends NamedFile {
  readonly line: number
  /** True if the line holds only the path. */
  readonly isAlone: boolean
}

/** The maximum number of characters of a link target. */
const mostOfPath = 255

const hasEnding = (path: string): boolean => /[^/.]\.\w{1,8}$/.test(path)

/**
 * If the whole text is the path of a file, returns the path. Undefined if the text is a sentence or cannot be a path.
 */
export const pointerIn = (text: string): NamedFile | undefined => {
  const path = text.trim()
  if (path === "" || path.length > mostOfPath || /[\n`*<>|"]|^[@#-]|[.!?:]$/.test(path)) return undefined
  return { path, isSure: !/\s/.test(path) && (path.includes("/") || hasEnding(path)) }
}

const mention = /(?<![\w@/.`\\])@((?:\\ |[^\s`"'<>()[\]{},;:*@])+)/g

const blank = (text: string): string => " ".repeat(text.length)

/** The imports of a text. Imports in fences, code and comments do not count. */
export const importsIn = (text: string): ReadonlyArray<Import> => {
  let fence = ""
  return text.split("\n").flatMap((line, index): ReadonlyArray<Import> => {
    const [, mark = ""] = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})/.exec(line) ?? []
    if (fence !== "") {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ""
      return []
    }
    if (mark !== "") {
      fence = mark
      return []
    }
    const plain = line.replace(/`+[^`]*`+/g, blank).replace(/<!--.*?(?:-->|$)/g, blank)
    return [...plain.matchAll(mention)].flatMap(([, found = ""]) => {
      const path = found.replace(/[.!?]+$/, "").replaceAll("\\ ", " ")
      const isAlone = plain.replace(/^\s*[-*+]\s+/, "").trim() === `@${found}`
      const isSure = isAlone || hasEnding(path) || /^(?:~\/|\.{0,2}\/)/.test(path)
      return path === "" ? [] : [{ path, isSure, line: index, isAlone }]
    })
  })
}

/**
 * Inserts the texts of imported files. If a line contains only the path of a file, the text replaces this line.
 * Otherwise, the text is appended at the end.
 */
export const withImports = (
  text: string,
  imported: ReadonlyArray<{ readonly at: Import; readonly from: string; readonly text: string }>
): string => {
  const lines = text.split("\n")
  const behind: Array<string> = []
  for (const { at, from, text: added } of imported) {
    if (at.isAlone) lines[at.line] = added
    else behind.push(`(From ${from}:)\n\n${added}`)
  }
  return [lines.join("\n"), ...behind].join("\n\n")
}
