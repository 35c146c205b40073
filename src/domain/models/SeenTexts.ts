/**
 * Detects URLs that would send texts of this run to an allowed host.
 * - A query may hold no word of four letters or more that the model has read.
 * - The same rule applies to text that any part of a URL encodes, and to a reversed query.
 * - A host or path may hold names that the model has read, but not numbers or tokens of letters and digits.
 * - A host or path may hold no value that the model has read, if the value has several words or belongs to an
 *   environment variable.
 * - No part may hold four consecutive words of a line that the model has read.
 */
import * as Result from "effect/Result"
import * as Base64 from "effect/encoding/Base64"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import { unescaped } from "../text/PercentEscapes.ts"

/** The maximum number of characters to compare line by line. Beyond it, the oldest texts are dropped. */
const mostCharacters = 32_000_000
/** The minimum length of a compared word in a query. */
const leastWord = 4
/** The minimum length of a compared token. A shorter token is often a part of another word. */
const leastPiece = 6
/**
 * A URL counts as copied from a line if it contains at least `count` consecutive words of the line. Together, these
 * words must have at least `letters` letters.
 */
const runOfLine = { count: 4, letters: 16 }

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const isNumber = (word: string): boolean => /^\d+$/.test(word)
const hasDigit = (text: string): boolean => /\p{N}/u.test(text)

/** A name with one digit at its end, such as `qwen3` or `mysql2`. */
const isNumberedName = (word: string): boolean => /^\p{L}{3,}\d$/u.test(word)
/** The name of a format, such as `sha256`, `utf8` or `es2022`. */
const isFormat = (word: string): boolean => word.length <= 6 && /^\p{L}+\d+$/u.test(word)

/** True for data, such as a number or a token; false for a name. */
const isData = (word: string): boolean =>
  isNumber(word)
    ? word.length >= 4 && !/^(?:19|20)\d\d$/.test(word)
    : word.length >= 5 && hasDigit(word) && !isNumberedName(word) && !isFormat(word)

/** The path and line number that a tool writes before a line: `12: ` or `src/a.ts:12: `. */
const place = /^\s*(?:[^\s:]+:)?\d+: /
/** A line that sets an environment variable. */
const setting = /^\s*(?:export )?[A-Z][A-Z0-9_]*=(.+)$/
const namesPackage = /\b(?:import|from|require|include|use|using|gem|crate|implementation)\b/i
/** A value after `=` or `:`, or a quoted text that is not a key. */
const value = /[=:]\s*([^"'`\s,;(){}[\]=:][^"'`,;(){}[\]]*)|"([^"]+)"(?!\s*:)|'([^']+)'(?!\s*:)|`([^`]+)`/g

/** Two words with a blank between them, unlike names such as `content-type`. */
const severalWords = /[\p{L}\p{N}]\s+[\p{L}\p{N}]/u

const link = /https?:\/\/[^\s"'<>`)\]}|\\]+/gi

const canonicalLinks = (text: string): ReadonlyArray<string> =>
  (text.match(link) ?? []).flatMap((found) => {
    const url = URL.parse(found.replace(/[.,;:!?]+$/, ""))
    if (url === null) return []
    url.hash = ""
    return [url.href]
  })

/** Removes the links of a text. The model may fetch these links, so a URL that repeats them reveals nothing. */
export const withoutLinks = (text: string): string => text.replace(link, " ")

const backwards = (text: string): string => [...text].toReversed().join("")

const bothWays = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...texts, ...texts.map(backwards)]

/** The texts that a string encodes in base64, base64url or hex. */
const decoded = (text: string): ReadonlyArray<string> =>
  [Base64.decodeString(text), Base64Url.decodeString(text), Hex.decodeString(text)].flatMap((found) =>
    Result.isSuccess(found) && !found.success.includes("\ufffd") ? [found.success] : []
  )

/** The texts that a part of a URL encodes. Finds texts that are encoded twice or reversed, too. */
const hiddenIn = (text: string): ReadonlyArray<string> => {
  const forms = [text, backwards(text)].flatMap(decoded)
  return [...forms, ...forms.flatMap(decoded)].flatMap((form) => [form, backwards(form)])
}

const firstOf = <A, B>(all: Iterable<A>, find: (one: A) => B | undefined): B | undefined => {
  for (const one of all) {
    const result = find(one)
    if (result !== undefined) return result
  }
  return undefined
}

/** The texts that a model has read in a run, and the texts that the user wrote. */
export class SeenTexts {
  /** Texts to compare: the words of each line in lower case, separated by blanks. */
  readonly #texts = new Set<string>()
  #characters = 0
  readonly #words = new Set<string>()
  /** Numbers and tokens. They are found inside longer words, too. */
  readonly #tokens = new Set<string>()
  /**
   * Values from texts that the model has read, each as its words with a blank between them. No path of a URL may
   * contain such a value.
   */
  readonly #values = new Set<string>()
  readonly #userWords = new Set<string>()
  readonly #links = new Set<string>()

  /** Adds a text of the user. URLs may contain its words and links. */
  addUserText(text: string): void {
    for (const word of wordsOf(text)) this.#userWords.add(word)
    this.addLinks(text)
  }

  /** Adds the links of a text. The model may fetch exactly these URLs. */
  addLinks(text: string): void {
    for (const href of canonicalLinks(text)) this.#links.add(href)
  }

  /** Adds a text that the model has read. */
  add(text: string): void {
    const lines = text.split(/\r?\n/).map((line) => line.replace(place, ""))
    const compared = lines.flatMap((line) => wordsOf(line).join(" ") || []).map((words) => ` ${words} `)
    const all = compared.join("\n")
    if (all === "" || this.#texts.has(all)) return
    this.#texts.add(all)
    this.#characters += all.length
    for (const oldest of this.#texts) {
      if (this.#characters <= mostCharacters) break
      this.#texts.delete(oldest)
      this.#characters -= oldest.length
    }
    for (const word of wordsOf(all)) {
      this.#words.add(word)
      if (isData(word)) this.#tokens.add(word)
    }
    /* A single word may be a password. */
    if (!all.trim().includes(" ")) this.#addValue(all)
    for (const line of lines) this.#addValuesOf(line)
  }

  #addValuesOf(line: string): void {
    this.#addValue(setting.exec(line)?.[1] ?? "")
    if (namesPackage.test(line)) return
    for (const [, ...groups] of line.matchAll(value)) {
      const text = groups.join("").trim()
      if (severalWords.test(text) || isNumberedName(text.toLowerCase())) this.#addValue(text)
    }
  }

  #addValue(text: string): void {
    const words = wordsOf(text)
    if (words.join("").length >= (words.length > 1 ? leastPiece : leastWord)) this.#values.add(words.join(" "))
    for (const word of words) if (hasDigit(word) && word.length > leastPiece) this.#tokens.add(word)
  }

  #isSaid(words: ReadonlyArray<string>): boolean {
    return words.every((word) => this.#userWords.has(word))
  }

  #wasRead(word: string): boolean {
    return this.#words.has(word) && !this.#userWords.has(word)
  }

  /** Returns the first word of this text that the model has already read; undefined if there is none. */
  #wordIn(text: string): string | undefined {
    return wordsOf(text).find((word) => word.length >= leastWord && this.#wasRead(word))
  }

  #pieceIn(text: string): string | undefined {
    const words = wordsOf(text)
    const all = ` ${words.join(" ")} `
    return (
      words.find((word) => isData(word) && this.#wasRead(word)) ??
      firstOf(this.#values, (held) => (all.includes(` ${held} `) && !this.#isSaid(held.split(" ")) ? held : undefined))
    )
  }

  /** Searches the text for consecutive words that also follow each other in a line that the model has read. */
  #runIn(text: string): string | undefined {
    const words = wordsOf(text)
    return firstOf(words.keys(), (at) => {
      const some = words.slice(at, at + runOfLine.count)
      const isLong = some.join("").length >= runOfLine.letters || some.every(isNumber)
      if (some.length < runOfLine.count || !isLong || this.#isSaid(some)) return undefined
      if (!some.every((word) => this.#words.has(word))) return undefined
      const run = ` ${some.join(" ")} `
      return firstOf(this.#texts, (read) => (read.includes(run) ? run.trim() : undefined))
    })
  }

  /** Searches for a token that the model has read, or for a part of one. */
  #tokenIn(texts: ReadonlyArray<string>): string | undefined {
    const squeezed = texts.map((text) => wordsOf(text).join(""))
    const pieces = texts.flatMap(wordsOf).filter((word) => word.length >= leastPiece && isData(word))
    return firstOf(this.#tokens, (token) => {
      if (token.length < leastPiece || this.#userWords.has(token)) return undefined
      if (squeezed.some((text) => text.includes(token))) return token
      return pieces.find((word) => token.includes(word) && !this.#userWords.has(word))
    })
  }

  /**
   * Returns a text that the model has read and that a request to this URL would reveal. Undefined if the URL is
   * allowed.
   */
  carriedBy(href: string): string | undefined {
    const url = this.#links.has(href) ? null : URL.parse(href)
    if (url === null) return undefined
    const path = [...url.hostname.split(".").slice(0, -2), ...url.pathname.split("/").map(unescaped)].map(unescaped)
    const query = [...url.searchParams].flat().map(unescaped)
    const values = [...url.searchParams.values()].map(unescaped)
    return (
      firstOf([...bothWays(query), ...[...path, ...query].flatMap(hiddenIn)], (text) => this.#wordIn(text)) ??
      firstOf(bothWays(path), (text) => this.#pieceIn(text)) ??
      firstOf(bothWays([path.join(" "), query.join(" ")]), (text) => this.#runIn(text)) ??
      this.#tokenIn(bothWays([path.join(" "), query.join(" "), values.join(" ")]))
    )
  }
}
