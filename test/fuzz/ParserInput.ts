/**
 * Texts made to break a parser: noise, soup of the tokens of its format, tokens repeated and nested, and valid texts that were
 * cut, glued and changed. The same seed gives the same text.
 */
import { choose, pick, type Random } from "../mutations/Damage.ts"
import { words } from "./jsonTokens.ts"

/** What the texts for a parser are made of. */
export interface Ingredients {
  /** Valid texts. */
  readonly valid: ReadonlyArray<string>
  readonly tokens: ReadonlyArray<string>
}

const awkward: ReadonlyArray<string> = [
  ..."\n \t\r\\\"'`$%&|;<>(){}[]*?#~!/:=@,.-+_0aZ\0\u007f\u0085\u00a0\u200b\u202e\u2028\ufeff\ud800\udfff\ufffdéı".split(
    ""
  ),
  ...words("// .. __proto__ constructor toString null 1e999 e\u0301 日本 🎯 \r\n \u001b[31m")
]

/** Mostly short, now and then up to `limit` characters. */
const lengthOf = (random: Random, limit: number): number =>
  Math.floor(random() < 0.995 ? random() ** 2 * 600 : random() * limit)

const gather = (length: number, next: () => string): string => {
  const parts: Array<string> = []
  for (let size = 0; size < length;) {
    const part = next()
    parts.push(part)
    size += Math.max(1, part.length)
  }
  return parts.join("")
}

const edited = (random: Random, text: string, next: () => string, other: string): string => {
  let now = text
  for (let left = 1 + Math.floor(random() * 6); left > 0; left -= 1) {
    const from = Math.floor(random() * (now.length + 1))
    const until = Math.min(now.length, from + Math.floor(random() ** 3 * 60))
    const start = Math.floor(random() * other.length)
    const put = choose(
      random,
      "",
      next(),
      next() + next(),
      now.slice(from, until).repeat(2),
      other.slice(start, start + 40)
    )
    now = now.slice(0, from) + put + now.slice(until)
  }
  return now
}

/** One text of at most `limit` characters, with the way it was made. */
export const parserInput = (
  { tokens, valid }: Ingredients,
  random: Random,
  limit: number
): { readonly made: string; readonly text: string } => {
  const length = lengthOf(random, limit)
  const next = (): string => pick(random() < 0.6 ? tokens : awkward, random) ?? ""
  const one = (): string => pick(valid, random) ?? ""
  const range = choose(random, 128, 256, 0x3000, 0x10000)
  const makers = {
    noise: () => gather(length, () => String.fromCharCode(Math.floor(random() * range))),
    soup: () => gather(length, next),
    framed: () => {
      const text = one()
      const at = Math.floor(random() * text.length)
      return text.slice(0, at) + gather(length, next) + text.slice(at)
    },
    repeated: () => (next() + next() || "x").repeat(length),
    nested: () => {
      const [open, shut, depth] = [next() + next(), next(), Math.floor(length / 4)]
      return `${open.repeat(depth)}${one()}${shut.repeat(depth)}`
    },
    edited: () => edited(random, one(), next, one()),
    glued: () => edited(random, one() + next() + one(), next, one())
  }
  const most = ["edited", "edited", "edited", "soup"] as const
  const made = choose(random, "noise", "soup", "framed", "repeated", "nested", "edited", "glued", ...most)
  return { made, text: makers[made]().slice(0, limit) }
}
