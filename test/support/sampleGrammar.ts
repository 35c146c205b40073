/**
 * Reads a grammar in the notation of llama.cpp (GBNF) and makes random texts of it.
 */

type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "class"; readonly isNegated: boolean; readonly ranges: ReadonlyArray<readonly [number, number]> }
  | { readonly kind: "rule"; readonly name: string }
  | { readonly kind: "sequence"; readonly parts: ReadonlyArray<Node> }
  | { readonly kind: "either"; readonly parts: ReadonlyArray<Node> }
  | { readonly kind: "times"; readonly part: Node; readonly least: number; readonly most: number }

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" }

class GrammarReader {
  readonly rules = new Map<string, Node>()
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    for (this.#blanks(true); this.#at < text.length; this.#blanks(true)) {
      const name = this.#match(/[a-z][a-z0-9-]*/y)
      this.#blanks(false)
      this.#match(/::=/y)
      this.#blanks(false)
      this.rules.set(name, this.#either(false))
    }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found === undefined) throw new Error(`expected ${pattern} at ${this.#text.slice(this.#at, this.#at + 40)}`)
    this.#at += found.length
    return found
  }

  #blanks(withLines: boolean): void {
    this.#match(withLines ? /[ \t\n]*/y : /[ \t]*/y)
  }

  #either(isNested: boolean): Node {
    const parts = [this.#sequence(isNested)]
    while (this.#text[this.#at] === "|") {
      this.#at += 1
      this.#blanks(isNested)
      parts.push(this.#sequence(isNested))
    }
    return parts.length === 1 ? parts[0]! : { kind: "either", parts }
  }

  #sequence(isNested: boolean): Node {
    const parts: Array<Node> = []
    for (this.#blanks(isNested); /[^|)\n]/.test(this.#text[this.#at] ?? "\n"); this.#blanks(isNested)) {
      parts.push(this.#repeated(this.#one()))
    }
    return { kind: "sequence", parts }
  }

  #one(): Node {
    const sign = this.#text[this.#at]
    if (sign === "(") {
      this.#at += 1
      const inner = this.#either(true)
      this.#match(/\)/y)
      return inner
    }
    if (sign === '"') {
      this.#at += 1
      let text = ""
      while (this.#text[this.#at] !== '"') text += this.#character()
      this.#at += 1
      return { kind: "text", text }
    }
    if (sign === "[") {
      this.#at += 1
      const isNegated = this.#text[this.#at] === "^"
      if (isNegated) this.#at += 1
      const ranges: Array<readonly [number, number]> = []
      while (this.#text[this.#at] !== "]") {
        const first = this.#character().codePointAt(0)!
        const isRange = this.#text[this.#at] === "-" && this.#text[this.#at + 1] !== "]"
        if (isRange) this.#at += 1
        ranges.push([first, isRange ? this.#character().codePointAt(0)! : first])
      }
      this.#at += 1
      return { kind: "class", isNegated, ranges }
    }
    return { kind: "rule", name: this.#match(/[a-z][a-z0-9-]*/y) }
  }

  #character(): string {
    const sign = this.#match(/[^]/uy)
    if (sign !== "\\") return sign
    const kind = this.#match(/[^]/y)
    if (kind === "x") return String.fromCodePoint(Number.parseInt(this.#match(/[0-9A-F]{2}/iy), 16))
    if (kind === "u") return String.fromCodePoint(Number.parseInt(this.#match(/[0-9A-F]{4}/iy), 16))
    return escapes[kind] ?? kind
  }

  #repeated(part: Node): Node {
    const sign = this.#text[this.#at]
    const [least, most] = sign === "*" ? [0, Infinity] : sign === "+" ? [1, Infinity] : [0, 1]
    if (sign === "*" || sign === "+" || sign === "?") {
      this.#at += 1
      return { kind: "times", part, least, most }
    }
    if (sign !== "{") return part
    const [, from, , to] = /\{(\d+)(,(\d*))?\}/.exec(this.#match(/\{\d+(?:,\d*)?\}/y))!
    return { kind: "times", part, least: Number(from), most: to === undefined ? Number(from) : Number(to || Infinity) }
  }
}

/** Signs that markdown, JSON and the readers take for more than text. */
const signs = [..." \t\n.,:;!?'\"`*_-+=#<>[](){}/\\|~&%$@^0123456789"]
const others = [..."aeghilnorstuvzAENRSTZäöüßéñçжшяД中文字日本かなカ한국😀👍½€→…—“”«»"]

const randomOf = <A>(random: () => number, all: ReadonlyArray<A>): A => all[Math.floor(random() * all.length)]!

const fits = ({ isNegated, ranges }: Extract<Node, { kind: "class" }>, code: number): boolean =>
  ranges.some(([from, to]) => code >= from && code <= to) !== isNegated

const characterOf = (node: Extract<Node, { kind: "class" }>, random: () => number): string => {
  for (let tries = 0; tries < 40; tries += 1) {
    const kind = random()
    const sign =
      kind < 0.3
        ? randomOf(random, signs)
        : kind < 0.9
          ? randomOf(random, others)
          : String.fromCodePoint(Math.floor(random() * 0xd7ff))
    if (fits(node, sign.codePointAt(0)!)) return sign
  }
  const [from, to] = node.isNegated ? [97, 122] : randomOf(random, node.ranges)
  return String.fromCodePoint(from + Math.floor(random() * (to - from + 1)))
}

/** Makes random texts of a grammar; `random` gives numbers from 0 to 1. */
export const sampleGrammar = (grammar: string, random: () => number): (() => string) => {
  const { rules } = new GrammarReader(grammar)
  const write = (node: Node): string => {
    switch (node.kind) {
      case "text":
        return node.text
      case "class":
        return characterOf(node, random)
      case "rule": {
        const rule = rules.get(node.name)
        if (rule === undefined) throw new Error(`no rule ${node.name}`)
        return write(rule)
      }
      case "sequence":
        return node.parts.map(write).join("")
      case "either":
        return write(randomOf(random, node.parts))
      case "times": {
        // Short ones come more often, and the longest now and then.
        const most = Math.min(node.most, node.least + 40)
        const share = random()
        const count =
          share > 0.98 && node.most < 1000 ? node.most : node.least + Math.floor((most - node.least + 1) * share ** 2)
        return Array.from({ length: count }, () => write(node.part)).join("")
      }
    }
  }
  return () => write({ kind: "rule", name: "root" })
}
