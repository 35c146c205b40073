/**
 * Finds the path that an answer names for a change: on its own line, in the info string of a fence, or in the sentence
 * before a block. The path of a project file is always recognised. Any other path is recognised by its spelling.
 */
import { languageOf } from "./Language.ts"

/** Maps paths of `pathQuestions` to their spelling in the project. Contains only paths of project files. */
export type ProjectPaths = ReadonlyMap<string, string>

export interface NamedPath {
  readonly path: string
  /** True for a path with line numbers: the text below is only a part of the file. */
  readonly hasLines: boolean
}

const maxLength = 300
const extension = /[^/\\.]\.[\w+-]*[a-z][\w+-]*$/i
const hiddenFile = /(?:^|[\\/])\.[a-z][\w.-]*$/i
const wellKnown = /(?:^|[\\/])(?:[A-Z][a-z]+file|AUTHORS|CHANGELOG|CODEOWNERS|COPYING|NOTICE|README|VERSION)$/

/** Matches a placeholder of a template, such as `{{name}}`, in a path. */
const braces = /\{\{\s*[\w.|-]+\s*\}\}/g

/** True for text spelled like a file path. Only a quoted path may have blanks. */
const isPath = (text: string, quoted: boolean): boolean => {
  const plain = text.replace(braces, "x")
  if (text === "" || text.length > maxLength || /[\p{Cc}<>|"*?{}`]|:\/\/|^-|[./\\,;!]$/u.test(plain)) return false
  const isNamed = extension.test(text) || hiddenFile.test(text) || wellKnown.test(text) || languageOf(text) !== ""
  if (/\s/.test(plain)) return quoted && isNamed
  return isNamed || quoted || /[^/\\][/\\][^/\\]/.test(text)
}

const lead = /^(?:(?:\/\/+|#{1,6}(?=\s)|[-+*](?=\s)|\d+[.)](?=\s)|<!--|\/\*+|[\p{So}\ufe0f]+)\s*)+/u
const tail = /\s*(?:-->|\*+\/)$/
const label =
  /^(?:(?:(?:new|existing)\s+)?(?:file\s*name|file\s*path|file|path|change|step)\s*\d*\s*:|(?:(?:new|in|edit|update|create|modify|change|add)\s+)?(?:file\s+|:\s*)?(?=[^\s:]*[`./\\]))\s*/i
const remark = /\s+\((?:(?:a\s+)?new(?:\s+file)?|created|changed|modified|updated|edited)\)$/i
const lineSuffix = /(?::\d+(?:[-\u2013:]\d+)?|#L\d+(?:-L?\d+)?|,?\s+\(?lines?\s+\d.*)$/i

/** The path in a text that contains only a path and signs around it. */
const pathOf = (text: string): NamedPath | undefined => {
  const bare = text.replace(/:$/, "").replace(remark, "").replace(/:$/, "").trim()
  const quoted = /^(`+|["'])([^`"']+)\1(.*)$/.exec(bare)
  const link = /^\[`?([^\]`]+)`?\]\([^)]*\)$/.exec(bare)
  const whole = link?.[1] ?? (quoted === null ? bare : `${quoted[2]}${quoted[3]}`)
  const path = whole.replace(lineSuffix, "").trim()
  if (quoted !== null && quoted[3] !== "" && path !== quoted[2]?.trim()) return undefined
  return isPath(path, quoted !== null) ? { path: path.replace(/^\.\//, ""), hasLines: path !== whole } : undefined
}

/** The path on a line that contains only a path, in any form that models write. */
export const pathOfLine = (line: string): NamedPath | undefined => {
  const text = line.trim().replaceAll("**", "")
  if (text.length > maxLength) return undefined
  const bare = text.replace(lead, "").replace(tail, "")
  return pathOf(bare) ?? pathOf(bare.replace(label, ""))
}

/** The signs that models write around a path. Each row removes one layer of them and keeps the text inside. */
const layers: ReadonlyArray<readonly [layer: RegExp, inside: string]> = [
  [/\*\*/g, ""],
  [/^([*_]{1,3})(.+)\1$/, "$2"],
  [/^(?:\/\/+|#{1,6}(?=\s)|[-+*•>](?=\s)|\d+[.)](?=\s)|<!--|\/\*+|[\p{So}\ufe0f]+)\s*/u, ""],
  [/\s*(?:-->|\*+\/|\s#+)$/, ""],
  [/\s*:$/, ""],
  [remark, ""],
  [/^(?:(?:new|existing)\s+)?(?:file\s*name|file\s*path|file|path|change|step)\s*\d*\s*:\s*/i, ""],
  [/^(?:new|in|edit|update|create|modify|change|add)\s+(?:file\s+|:\s*)?/i, ""],
  [/^(`+|["'])\s*(.+?)\s*\1$/, "$2"],
  [/^[“”„«‘](.+)[”“»’]$/, "$1"],
  [/^\[`?(.+?)`?\]\(.*\)$/, "$1"],
  [/^\[.*\]\(<?(.+?)>?\)$/, "$1"]
]

/** At most this many parts of a line are tried as a path. */
const maxReadings = 40

/**
 * The texts of a line that may be its path: the whole line, then its parts. Callers choose one that is a file of the
 * project.
 */
export const pathReadings = (line: string): ReadonlyArray<NamedPath> => {
  const text = line.trim()
  if (text === "" || text.length > maxLength) return []
  const readings = new Map<string, NamedPath>([[text, { path: text, hasLines: false }]])
  for (const { hasLines, path } of readings.values()) {
    const inner = layers.map(([layer, inside]) => ({ path: path.replace(layer, inside).trim(), hasLines }))
    for (const reading of [...inner, { path: path.replace(lineSuffix, "").trim(), hasLines: true }]) {
      if (reading.path === "" || readings.has(reading.path) || readings.size >= maxReadings) continue
      readings.set(reading.path, reading)
    }
  }
  return [...readings.values()]
}

/** The first text of the line that is a path of the project, in the project's spelling. Undefined if there is none. */
export const pathInProject = (line: string, paths: ProjectPaths): NamedPath | undefined => {
  for (const { hasLines, path } of pathReadings(line)) {
    const spelled = paths.get(path)
    if (spelled !== undefined) return { path: spelled, hasLines }
  }
  return undefined
}

/** Words that separate two paths in a sentence. */
const prose = /\s(?:and|as|at|but|for|from|has|in|into|is|like|needs|now|of|on|or|so|the|then|to|und|uses|via|with)\s/i

/**
 * The path with blanks that fills a whole line, if any. It begins with a folder, ends with a file name, and is not a
 * sentence.
 */
export const pathWithBlanks = (line: string): string | undefined => {
  if (line.length > maxLength) return undefined
  const text = line.trim().replaceAll("**", "").replace(lead, "").replace(tail, "").replace(label, "").replace(/:$/, "")
  const [first = "", ...words] = text.split(" ")
  const isOne = words.length > 0 && first.includes("/") && !extension.test(first) && !prose.test(text)
  const isNamed = isOne && !/\s{2}|[,;:'()→=]/.test(text) && extension.test(text) && isPath(text, true)
  return isNamed ? text.replace(/^\.\//, "") : undefined
}

/** The path in the info string of a fence. `isTitle` is true when the path is the value of a key such as `title`. */
export const pathOfInfo = (info: string): (NamedPath & { readonly isTitle: boolean }) | undefined => {
  const title = /(?:^|[\s{,])(?:path|file|filename|title)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s}]+))/i.exec(info)
  const named = title?.[1] ?? title?.[2] ?? title?.[3]
  if (named !== undefined) {
    const found = pathOf(named)
    return found === undefined ? undefined : { ...found, isTitle: true }
  }
  const afterLanguage = /^[a-z][\w+#-]*:(?!\d)(\S+)$/i.exec(info)?.[1]
  /* If several words follow the language, the last word may be only the end of a path with blanks. */
  const words = info.split(/\s+/)
  const found = pathOf(afterLanguage ?? (words.length > 2 ? "" : (words.at(-1) ?? "")))
  const isFile = found !== undefined && (extension.test(found.path) || /[/\\]/.test(found.path) || info.includes(" "))
  return isFile ? { ...found, isTitle: afterLanguage !== undefined } : undefined
}

/** The texts in backticks on a line. They may be paths. */
export const spansOf = (line: string): ReadonlyArray<string> =>
  line.length > maxLength ? [] : [...line.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span)

/** The paths that a sentence names. They stand in backticks, or contain a folder. */
export const pathsInSentence = (line: string, paths: ProjectPaths): ReadonlyArray<string> => {
  if (line.length > maxLength) return []
  const words = line.replace(/`[^`]*`/g, " ").split(/\s+/)
  const bare = words.map((word) => word.replace(/^[("'*]+|[)"'*:;,.!?]+$/g, "")).filter((word) => /\w\//.test(word))
  const spelled = [...spansOf(line), ...bare.filter((word) => extension.test(word))].flatMap((one) => {
    const path = paths.get(one) ?? pathOf(one)?.path
    return path === undefined || !(paths.has(one) || /[/\\]/.test(path) || languageOf(path) !== "") ? [] : [path]
  })
  return [...new Set(spelled)]
}

/** Matches words that compare with another file, such as "like `b.ts`". */
const comparison =
  /\b(?:like|unlike|as in|as with|same as|similar(?:ly)? to|see|mirrors?|matches|matching|copied from|imported (?:by|from)|used (?:by|in)|instead of|not in)\b/i

/**
 * True for a sentence that compares a file with another one. If the sentence names only one path, it may be that of the
 * other file.
 */
export const comparesFiles = (line: string): boolean => comparison.test(line)

/** True for a sentence without any possible path. */
export const isPlainSentence = (line: string): boolean => {
  if (line.length > maxLength) return false
  const text = line
    .trim()
    .replaceAll("**", "")
    .replace(/`[^`/\\]*`/g, "word")
  const words = text.split(/\s+/)
  return (
    words.length >= 3 && /^["'(`]?\p{L}.*[.:!?]$/u.test(text) && !words.some((word) => /[/\\]|[^.]\.\p{L}/u.test(word))
  )
}

const products = /^[A-Z]\w*\.(?:js|io|net)$/i

/** True for a heading such as `Node.js`, which is a product and not a file. */
export const isProduct = (path: string): boolean => products.test(path) && /^[A-Z]/.test(path)
