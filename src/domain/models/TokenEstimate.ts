/**
 * How large a prompt is before it is sent. Tokens are estimated from characters on a scale that domain/models/TokenCounts learns
 * from the counts that come back; the answer needs room too.
 */
import type { PartSize } from "./PromptParts.ts"
import type { FilledPrompt } from "./PromptTemplate.ts"

/** How characters become tokens, and by what factor a prompt may turn out larger than estimated. */
export interface TokenScale {
  readonly charactersPerToken: number
  readonly margin: number
}

/** Before the first count: four characters a token, as in the languages and code that models are trained on, and a margin. */
export const assumedScale: TokenScale = { charactersPerToken: 4, margin: 1.15 }

const tokensOf = (characters: number, scale: TokenScale): number => Math.ceil(characters / scale.charactersPerToken)

/** Tokens that a text takes, estimated. */
export const estimateTokens = (text: string, scale = assumedScale): number => tokensOf(text.length, scale)

/** The characters of both parts of a prompt. */
const promptCharacters = (prompt: FilledPrompt): number => prompt.system.length + prompt.user.length

/** Tokens of both parts of a prompt, estimated. */
export const estimatePrompt = (prompt: FilledPrompt, scale = assumedScale): number =>
  estimateTokens(prompt.system, scale) + estimateTokens(prompt.user, scale)

/** Tokens that must be free for a prompt: the estimate with its margin. */
export const neededTokens = (prompt: FilledPrompt, scale = assumedScale): number =>
  Math.ceil(estimatePrompt(prompt, scale) * scale.margin)

/** The largest three parts of a prompt, in estimated tokens. */
export const largestParts = ({ parts = [] }: FilledPrompt, scale = assumedScale): ReadonlyArray<PartSize> =>
  parts.slice(0, 3).map(({ characters, name }) => ({ name, tokens: tokensOf(characters, scale) }))

/** Tokens of a context window that are kept free for the answer: a quarter, at most 2048. */
export const answerReserve = (window: number): number => Math.min(2048, Math.floor(window / 4))

/** Characters that surely fit into so many tokens. */
export const charactersIn = (tokens: number, scale = assumedScale): number =>
  Math.max(0, Math.floor((tokens / scale.margin) * scale.charactersPerToken))

/** The characters that still fit a window beside a prompt that is already there; 0 when it is full. */
export const charactersLeft = (window: number, prompt: FilledPrompt, scale = assumedScale): number =>
  Math.max(
    0,
    charactersIn(window - answerReserve(window), scale) - promptCharacters(prompt) - 2 * scale.charactersPerToken
  )
