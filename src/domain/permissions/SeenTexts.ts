/**
 * Tells whether a URL was made from what the model has read in this run, so that a host that is allowed is sent nothing of it
 * unasked. Words are compared, in any letter case and with anything between them, also where the URL encodes or reverses them. A
 * name that stands alone in a path is how a page of documentation is found, and is not asked about.
 */
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import { isCommonWord, isTechnicalWord } from "./CommonWords.ts"

/** So many characters of what was read are compared, the latest. */
const mostCharacters = 32_000_000
/** Fewer characters do not tell one piece of data from a part of a longer word. */
const leastPiece = 6
/** So many words of a line in their order are its content: fewer in a query than in a path. */
const wordsInQuery = { count: 3, letters: 12 }
const wordsInPath = { count: 4, letters: 16 }
/** A file of so few lines holds values and nothing else. */
const fewLines = 3

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const isNumber = (word: string): boolean => /^\d+$/.test(word)
const isYear = (word: string): boolean => /^(?:19|20)\d\d$/.test(word)

/** True for a word that is hardly anything but data: a number, a token, a code. */
const isData = (word: string): boolean =>
  isNumber(word) ? word.length >= 4 && !isYear(word) : word.length >= 5 && /\p{N}/u.test(word) && !isTechnicalWord(word)

/** True for a word that may be the name of a product: `qwen3`. In a path it is data only where it was read as a value. */
const isNumberedName = (word: string): boolean => /^[a-z]{3,}\d$/.test(word)

/** True for a text that may be a value: several words, or one that is no common word and no name of code in camel case. */
const isValue = (text: string): boolean => {
  const words = wordsOf(text)
  const [first = ""] = words
  if (words.length > 1) return words.join("").length >= leastPiece && !words.every(isCommonWord)
  return first.length >= 4 && !isCommonWord(first) && !/\p{Ll}\p{Lu}|^\p{Lu}\p{Ll}/u.test(text.trim())
}

/** What stands before the text of a line in the result of a tool: `12: ` or `src/a.ts:12: `. */
const place = /^\s*(?:[^\s:]+:)?\d+: /
const namesPackage = /\b(?:import|from|require|include|use|using|gem|crate|implementation)\b/i
const assigned = /[=:]\s*([^"'`\s,;(){}[\]=:][^"'`,;(){}[\]]*)/g
const quoted = /"([^"]+)"(?!\s*:)|'([^']+)'(?!\s*:)|`([^`]+)`/g
const variable = /^(?:export )?[A-Z][A-Z0-9_]*=(.+)$/

const link = /https?:\/\/[^\s"'<>`)\]}|\\]+/gi

const canonicalLinks = (text: string): ReadonlyArray<string> =>
  (text.match(link) ?? []).flatMap((found) => {
    const url = URL.parse(found.replace(/[.,;:!?]+$/, ""))
    if (url === null) return []
    url.hash = ""
    return [url.href]
  })

/** A text without its links, for which they are no content. */
export const withoutLinks = (text: string): string => text.replace(link, " ")

const backwards = (text: string): string => [...text].toReversed().join("")

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What a text stands for where it is text in base64 or hex. */
const decoded = (text: string): ReadonlyArray<string> =>
  [Base64.decodeString(text), Base64Url.decodeString(text), Hex.decodeString(text)].flatMap((found) =>
    Result.isSuccess(found) && !/\ufffd/.test(found.success) && wordsOf(found.success).length > 0 ? [found.success] : []
  )

/** A part of a URL; in a query more of it counts. */
interface Part {
  readonly text: string
  readonly isQuery: boolean
}

const partsOf = (url: URL): ReadonlyArray<Part> => {
  const labels = url.hostname.split(".").slice(0, -2)
  const folders = url.pathname.split("/").map(unescaped)
  const query = [...url.searchParams].flat()
  return [
    ...[...labels, ...folders].map((text) => ({ text: unescaped(text), isQuery: false })),
    ...query.map((text) => ({ text: unescaped(text), isQuery: true }))
  ].filter(({ text }) => text !== "")
}

const without = (text: string): string => text.replace(/\.[a-z0-9]{1,5}$/i, "")

/** What the model has read in one run, and what the person has said. */
export class SeenTexts {
  /** Lines of words, each between blanks. */
  readonly #texts = new Set<string>()
  #characters = 0
  readonly #data = new Set<string>()
  readonly #values = new Set<string>()
  /** Values of files that hold nothing else. */
  readonly #bareValues = new Set<string>()
  readonly #said = new Set<string>()
  readonly #links = new Set<string>()

  /** The person has said this: its words and its links are theirs. */
  addSaid(text: string): void {
    for (const word of wordsOf(text)) this.#said.add(word)
    this.addLinks(text)
  }

  /** The links of this text may be followed as they stand. */
  addLinks(text: string): void {
    for (const one of canonicalLinks(text)) this.#links.add(one)
  }

  /** The model has read this. */
  add(text: string): void {
    const lines = text.split(/\r?\n/).map((line) => line.replace(place, ""))
    const words = lines.map(wordsOf)
    const compared = words.flatMap((some) => (some.length === 0 ? [] : [` ${some.join(" ")} `])).join("\n")
    if (compared === "" || this.#texts.has(compared)) return
    this.#texts.add(compared)
    this.#characters += compared.length
    for (const oldest of this.#texts) {
      if (this.#characters <= mostCharacters) break
      this.#texts.delete(oldest)
      this.#characters -= oldest.length
    }
    for (const word of words.flat()) if (!isNumberedName(word)) this.#addData(word)
    const isBare = lines.filter((line) => line.trim() !== "").length <= fewLines
    for (const line of lines) this.#addValues(line, isBare)
  }

  #addData(word: string): void {
    if (word.length >= leastPiece && isData(word)) this.#data.add(word)
  }

  #addValues(line: string, isBare: boolean): void {
    const add = (values: Set<string>, text: string) => {
      if (!isValue(text)) return
      const words = wordsOf(text)
      values.add(words.join(" "))
      for (const word of words) this.#addData(word)
    }
    const given = variable.exec(line.trim())?.[1]
    if (given !== undefined) add(this.#bareValues, given)
    if (isBare) add(this.#bareValues, line)
    if (namesPackage.test(line)) return
    for (const [, ...groups] of [...line.matchAll(assigned), ...line.matchAll(quoted)]) {
      add(isBare ? this.#bareValues : this.#values, groups.join(""))
    }
  }

  #holds(words: string): boolean {
    for (const text of this.#texts) if (text.includes(` ${words} `)) return true
    return false
  }

  #isSaid(words: ReadonlyArray<string>): boolean {
    return words.every((word) => this.#said.has(word))
  }

  /** The first value of these that stands in the words. */
  #valueIn(values: ReadonlySet<string>, words: ReadonlyArray<string>): string | undefined {
    const text = ` ${words.join(" ")} `
    for (const value of values) if (text.includes(` ${value} `) && !this.#isSaid(value.split(" "))) return value
    return undefined
  }

  /** A line of which so many words follow each other here. */
  #lineIn(words: ReadonlyArray<string>, least: typeof wordsInPath): string | undefined {
    for (let at = 0; at + least.count <= words.length; at += 1) {
      const some = words.slice(at, at + least.count)
      const isLong = some.join("").length >= least.letters || (some.length > 3 && some.every(isNumber))
      if (isLong && !some.every(isCommonWord) && !this.#isSaid(some) && this.#holds(some.join(" "))) {
        return some.join(" ")
      }
    }
    return undefined
  }

  #dataIn(words: ReadonlyArray<string>, isQuery: boolean): string | undefined {
    return words.find(
      (word) => isData(word) && !this.#said.has(word) && (isQuery || !isNumberedName(word)) && this.#holds(word)
    )
  }

  /** Data that stands within these texts, or of which a word here is a part. */
  #pieceIn(texts: ReadonlyArray<string>, words: ReadonlyArray<string>): string | undefined {
    const pieces = words.filter((word) => word.length >= leastPiece && isData(word) && !this.#said.has(word))
    for (const one of this.#data) {
      if (this.#said.has(one)) continue
      if (texts.some((text) => text.includes(one))) return one
      const piece = pieces.find((word) => one.includes(word))
      if (piece !== undefined) return piece
    }
    return undefined
  }

  #plainIn({ isQuery, text }: Part): string | undefined {
    const words = wordsOf(text)
    const whole = wordsOf(without(text)).join(" ")
    const isName = whole.includes(" ") || isNumberedName(whole)
    const value = !isQuery && isName && this.#values.has(whole) && !this.#isSaid(words) ? whole : undefined
    return (
      this.#dataIn(words, isQuery) ??
      this.#valueIn(this.#bareValues, words) ??
      value ??
      (isQuery ? (this.#valueIn(this.#values, words) ?? this.#lineIn(words, wordsInQuery)) : undefined)
    )
  }

  /** What stands in a text that the URL hides: one word is enough. */
  #hiddenIn(text: string): string | undefined {
    return wordsOf(text).find(
      (word) => word.length >= 4 && !isCommonWord(word) && !this.#said.has(word) && this.#holds(word)
    )
  }

  #backwardsIn(text: string): string | undefined {
    const words = wordsOf(backwards(text))
    return (
      this.#dataIn(words, true) ??
      this.#valueIn(this.#bareValues, words) ??
      this.#valueIn(this.#values, words) ??
      this.#lineIn(words, wordsInQuery)
    )
  }

  #encodedIn({ text }: Part): string | undefined {
    const forms = [...decoded(text), ...decoded(backwards(text))]
    const twice = forms.flatMap(decoded)
    const all = [...forms, ...twice].flatMap((form) => [form, backwards(form)])
    return all.map((form) => this.#hiddenIn(form)).find((found) => found !== undefined) ?? this.#backwardsIn(text)
  }

  /** What a URL carries of what was read; nothing for one that stands in a text that gives links. */
  carriedBy(href: string): string | undefined {
    const url = this.#links.has(href) ? null : URL.parse(href)
    if (url === null) return undefined
    const parts = partsOf(url)
    const path = parts.filter(({ isQuery }) => !isQuery).map(({ text }) => text)
    const query = [...url.searchParams.values()].map(unescaped)
    const squeezed = [path, query].map((texts) => wordsOf(texts.join(" ")).join(""))
    for (const part of parts) {
      const found = this.#plainIn(part) ?? this.#encodedIn(part)
      if (found !== undefined) return found
    }
    return (
      this.#lineIn(wordsOf(path.join(" ")), wordsInPath) ??
      this.#lineIn(wordsOf(query.join(" ")), wordsInQuery) ??
      this.#pieceIn(
        squeezed.flatMap((text) => [text, backwards(text)]),
        parts.flatMap(({ text }) => wordsOf(text))
      )
    )
  }
}
