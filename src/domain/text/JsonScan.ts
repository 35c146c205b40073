/**
 * One pass over JSON, or what was meant as JSON, that finds what a parser hides: nesting, repeated and forbidden keys,
 * numbers that reading would change, and whether the text breaks off.
 */

/** What the pass found; keys and numbers only where the text is JSON. */
export interface JsonScan {
  readonly deepest: number
  /** Brackets still open at the end. */
  readonly open: number
  /** True when the text ends inside a string. */
  readonly inString: boolean
  /** `...` outside of strings: something was left out. */
  readonly ellipsis: boolean
  readonly repeatedKey: string | undefined
  readonly forbiddenKey: string | undefined
  /** A number that is no finite number or too large to be exact. */
  readonly inexactNumber: string | undefined
  /** Positions at which a top-level object or array ends, exclusive. */
  readonly ends: ReadonlyArray<number>
}

/** What the pass stops at. */
const sign = /["{}[\]\d…-]|\.\.\./g

/** The position of the next sign; the end of the text when there is none. */
const nextSign = (text: string, from: number): number => {
  sign.lastIndex = from
  return sign.exec(text)?.index ?? text.length
}

const numberToken = /-?\d[\d.eE+-]*/y

const endOfString = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}

const keyText = (token: string): string => {
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}

const isInexact = (token: string): boolean => {
  const value = Number(token)
  if (Number.isNaN(value)) return false
  return !Number.isFinite(value) || (/^-?\d+$/.test(token) && !Number.isSafeInteger(value))
}

/** Scans a text; linear in its length. */
export const scanJson = (text: string): JsonScan => {
  const stack: Array<Set<string> | undefined> = []
  const ends: Array<number> = []
  let deepest = 0
  let inString = false
  let ellipsis = false
  let repeatedKey: string | undefined
  let forbiddenKey: string | undefined
  let inexactNumber: string | undefined
  for (let at = nextSign(text, 0); at < text.length; at = nextSign(text, at + 1)) {
    const character = text[at] ?? ""
    if (character === '"') {
      const end = endOfString(text, at)
      inString = end >= text.length
      const keys = stack.at(-1)
      if (keys !== undefined && /\s*:/y.test(text.slice(end + 1, end + 50))) {
        const key = keyText(text.slice(at, end + 1))
        if (keys.has(key)) repeatedKey ??= key
        if (key === "__proto__") forbiddenKey ??= key
        keys.add(key)
      }
      at = end
    } else if (character === "{" || character === "[") {
      stack.push(character === "{" ? new Set() : undefined)
      deepest = Math.max(deepest, stack.length)
    } else if (character === "}" || character === "]") {
      stack.pop()
      if (stack.length === 0) ends.push(at + 1)
    } else if (character === "…" || text.startsWith("...", at)) {
      ellipsis = true
    } else if (/[\d-]/.test(character) && !/[\w.]/.test(text[at - 1] ?? "")) {
      numberToken.lastIndex = at
      const token = numberToken.exec(text)?.[0] ?? ""
      if (isInexact(token)) inexactNumber ??= token
      at += Math.max(0, token.length - 1)
    }
  }
  return { deepest, open: stack.length, inString, ellipsis, repeatedKey, forbiddenKey, inexactNumber, ends }
}
