/**
 * Which file a change in an answer is about: the path that a line of its own, the info string of a fence, or the sentence
 * before a block names.
 */
import { languageOf } from "./Language.ts"

/** A path as an answer names it. */
export interface NamedPath {
  readonly path: string
  /** True when lines of the file are named with it, so that what follows is a part of the file. */
  readonly hasLines: boolean
}

const maxLength = 300
const extension = /[^/\\.]\.[\w+-]*[a-z][\w+-]*$/i
const hiddenFile = /(?:^|[\\/])\.[a-z][\w.-]*$/i
const wellKnown = /(?:^|[\\/])(?:[A-Z][a-z]+file|AUTHORS|CHANGELOG|CODEOWNERS|COPYING|NOTICE|README|VERSION)$/

/** True for what is spelled like the path of a file; blanks are allowed in a path that was quoted. */
const isPath = (text: string, quoted: boolean): boolean => {
  if (text === "" || text.length > maxLength || /[\p{Cc}<>|"*?{}`]|:\/\/|^-|[./\\,;!]$/u.test(text)) return false
  const isNamed = extension.test(text) || hiddenFile.test(text) || wellKnown.test(text) || languageOf(text) !== ""
  if (/\s/.test(text)) return quoted && isNamed
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
  const found = pathOf(afterLanguage ?? info.split(/\s+/).at(-1) ?? "")
  const isFile = found !== undefined && (extension.test(found.path) || /[/\\]/.test(found.path) || info.includes(" "))
  return isFile ? { ...found, isTitle: afterLanguage !== undefined } : undefined
}

/** The only path that a sentence names, in backticks or with its folder. */
export const pathInSentence = (line: string): string | undefined => {
  if (line.length > maxLength) return undefined
  const spans = [...line.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span)
  const words = line.replace(/`[^`]*`/g, " ").split(/\s+/)
  const bare = words.map((word) => word.replace(/^[("'*]+|[)"'*:;,.!?]+$/g, "")).filter((word) => /\w\//.test(word))
  const named = [...spans, ...bare.filter((word) => extension.test(word))].flatMap((one) => pathOf(one)?.path ?? [])
  const paths = new Set(named.filter((path) => /[/\\]/.test(path) || languageOf(path) !== ""))
  return paths.size === 1 ? [...paths][0] : undefined
}

const products = /^[A-Z]\w*\.(?:js|io|net)$/i

/** True for a heading such as `Node.js`, which is a product and not a file. */
export const isProduct = (path: string): boolean => products.test(path) && /^[A-Z]/.test(path)
