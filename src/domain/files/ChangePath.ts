/**
 * Which file a change in an answer is about: the path that a line of its own, the info string of a fence, or the sentence
 * before a block names. A line that names a file of the project is its path whatever it looks like; other paths are told by
 * their spelling.
 */
import { languageOf } from "./Language.ts"

/**
 * The files that a project has at the paths which an answer may name, as `pathQuestions` lists them: how the answer writes a path,
 * and how the project spells it.
 */
export type ProjectPaths = ReadonlyMap<string, string>

export interface NamedPath {
  readonly path: string
  /** True when lines of the file are named with it, so that what follows is a part of the file. */
  readonly hasLines: boolean
}

const maxLength = 300
const extension = /[^/\\.]\.[\w+-]*[a-z][\w+-]*$/i
const hiddenFile = /(?:^|[\\/])\.[a-z][\w.-]*$/i
const wellKnown = /(?:^|[\\/])(?:[A-Z][a-z]+file|AUTHORS|CHANGELOG|CODEOWNERS|COPYING|NOTICE|README|VERSION)$/

/** A part of a name that a template fills in. */
const braces = /\{\{\s*[\w.|-]+\s*\}\}/g

/** True for what is spelled like the path of a file; blanks are allowed in a path that was quoted. */
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

/** The path that a text consists of, with what may stand around it taken off. */
const pathOf = (text: string): NamedPath | undefined => {
  const bare = text.replace(/:$/, "").replace(remark, "").replace(/:$/, "").trim()
  const quoted = /^(`+|["'])([^`"']+)\1(.*)$/.exec(bare)
  const link = /^\[`?([^\]`]+)`?\]\([^)]*\)$/.exec(bare)
  const whole = link?.[1] ?? (quoted === null ? bare : `${quoted[2]}${quoted[3]}`)
  const path = whole.replace(lineSuffix, "").trim()
  if (quoted !== null && quoted[3] !== "" && path !== quoted[2]?.trim()) return undefined
  return isPath(path, quoted !== null) ? { path: path.replace(/^\.\//, ""), hasLines: path !== whole } : undefined
}

/** The path of a line that holds nothing else, in one of the forms in which models write it. */
export const pathOfLine = (line: string): NamedPath | undefined => {
  const text = line.trim().replaceAll("**", "")
  if (text.length > maxLength) return undefined
  const bare = text.replace(lead, "").replace(tail, "")
  return pathOf(bare) ?? pathOf(bare.replace(label, ""))
}

/** What may stand around a path, in several layers, and what is inside of each. */
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

/** More ways to read a line than anybody needs. */
const maxReadings = 40

/** The paths that a line may stand for, as it is first and then with less and less around them; only the project tells which is one. */
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

/** The first reading of a line that is a file of the project, as the project spells it. */
export const pathInProject = (line: string, paths: ProjectPaths): NamedPath | undefined => {
  for (const { hasLines, path } of pathReadings(line)) {
    const spelled = paths.get(path)
    if (spelled !== undefined) return { path: spelled, hasLines }
  }
  return undefined
}

/** Words between two paths of a sentence. */
const prose = /\s(?:and|as|at|but|for|from|has|in|into|is|like|needs|now|of|on|or|so|the|then|to|und|uses|via|with)\s/i

/** The path with blanks of a line that begins with a folder, ends with the name of a file, and is no sentence. */
export const pathWithBlanks = (line: string): string | undefined => {
  if (line.length > maxLength) return undefined
  const text = line.trim().replaceAll("**", "").replace(lead, "").replace(tail, "").replace(label, "").replace(/:$/, "")
  const [first = "", ...words] = text.split(" ")
  const isOne = words.length > 0 && first.includes("/") && !extension.test(first) && !prose.test(text)
  const isNamed = isOne && !/\s{2}|[,;:'()→=]/.test(text) && extension.test(text) && isPath(text, true)
  return isNamed ? text.replace(/^\.\//, "") : undefined
}

/** The path in an info string, and whether it is given as the name of the file that the fence holds. */
export const pathOfInfo = (info: string): (NamedPath & { readonly isTitle: boolean }) | undefined => {
  const title = /(?:^|[\s{,])(?:path|file|filename|title)\s*=\s*(?:"([^"]+)"|'([^']+)'|([^\s}]+))/i.exec(info)
  const named = title?.[1] ?? title?.[2] ?? title?.[3]
  if (named !== undefined) {
    const found = pathOf(named)
    return found === undefined ? undefined : { ...found, isTitle: true }
  }
  const afterLanguage = /^[a-z][\w+#-]*:(?!\d)(\S+)$/i.exec(info)?.[1]
  /* Of several words behind the language the last one may be the end of a path with blanks. */
  const words = info.split(/\s+/)
  const found = pathOf(afterLanguage ?? (words.length > 2 ? "" : (words.at(-1) ?? "")))
  const isFile = found !== undefined && (extension.test(found.path) || /[/\\]/.test(found.path) || info.includes(" "))
  return isFile ? { ...found, isTitle: afterLanguage !== undefined } : undefined
}

/** Words in backquotes, which may be paths. */
export const spansOf = (line: string): ReadonlyArray<string> =>
  line.length > maxLength ? [] : [...line.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span)

/** The paths that a sentence names: in backquotes, or with their folder. */
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

/** A sentence that speaks of a file beside the one that changes. */
const comparison =
  /\b(?:like|unlike|as in|as with|same as|similar(?:ly)? to|see|mirrors?|matches|matching|copied from|imported (?:by|from)|used (?:by|in)|instead of|not in)\b/i

/** True for a sentence whose only path may be another file than the one that a block below changes. */
export const comparesFiles = (line: string): boolean => comparison.test(line)

/** True for a sentence that names nothing that may be a file. */
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
