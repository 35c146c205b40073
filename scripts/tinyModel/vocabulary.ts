/**
 * The vocabulary of the tiny model: 256 bytes in GPT-2's alphabet, two blank tokens, and the words of its chat
 * template. It covers every text.
 */

/** Bytes that GPT-2's alphabet maps to themselves. */
const standsForItself = (byte: number): boolean =>
  (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff)

/** The character of each byte: itself, or the next from 256 on, so that no token contains a blank or control. */
const byteCharacters: ReadonlyArray<string> = (() => {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(standsForItself(byte) ? byte : next++))
})()

const characterOf = (byte: number): string => byteCharacters[byte] ?? ""

const space = characterOf(0x20)
const newline = characterOf(0x0a)

export const endOfText = "<|endoftext|>"
export const beginOfMessage = "<|im_start|>"
export const endOfMessage = "<|im_end|>"

/** Token types of the format. */
const tokenType = { normal: 1, control: 3, userDefined: 4 } as const

interface Token {
  readonly text: string
  readonly type: number
  /** Its likelihood as a difference of logits. */
  readonly bias: number
}

/** Letters and blanks are likely, as in text; controls and parts of multi-byte characters are rare. */
const byteBias = (byte: number): number => {
  if (byte === 0x20) return 2
  if (byte >= 0x61 && byte <= 0x7a) return 0.5
  if (byte === 0x0a) return -0.5
  if (byte >= 0x21 && byte <= 0x7e) return -2
  return -6
}

const normal = (text: string, bias: number): Token => ({ text, type: tokenType.normal, bias })
const control = (text: string, bias: number): Token => ({ text, type: tokenType.control, bias })
const marker = (text: string, bias: number): Token => ({ text, type: tokenType.userDefined, bias })

export const tokens: ReadonlyArray<Token> = [
  ...byteCharacters.map((character, byte) => normal(character, byteBias(byte))),
  normal(space + space, -2),
  normal(newline + newline, -2),
  control(endOfText, -20),
  control(beginOfMessage, -20),
  control(endOfMessage, -1),
  marker("<think>", -8),
  marker("</think>", -0.5),
  marker("<tool_call>", -6),
  marker("</tool_call>", -6)
]

export const merges: ReadonlyArray<string> = [`${space} ${space}`, `${newline} ${newline}`]

export const tokenId = (text: string): number => tokens.findIndex((token) => token.text === text)
