/**
 * Learns from the token counts of a server how many characters make a token for its model, and whether it read the whole
 * prompt. services/models/TokenCalibration keeps one `TokenCounts` per model.
 *
 * Ollama's `prompt_eval_count` is the size of the whole prompt, including the cached part; releases around 0.30, and those
 * before July 2024, left the cached part out. A count can therefore be too small for a harmless reason, but never too
 * large. A server that drops the front of a prompt reports what is left: its whole window, or half of it.
 */
import { durationText } from "../text/Format.ts"
import { assumedScale, type TokenScale } from "./PromptSize.ts"

/** A prompt that was sent, and the tokens that came back. */
export interface TokenCount {
  /** The text of the prompt, as it was sent. */
  readonly prompt: string
  readonly counted: number
  /** True when the server said how much of the count it took from its cache, so that the count is known to be whole. */
  readonly isWhole: boolean
  /** In tokens. */
  readonly window: number
}

/** `unclear`: the count is too small, and either the cache or a dropped front explains it. */
export type CountVerdict = "plausible" | "unclear" | "overflow"

/** What is known of a model. */
export interface TokenCounts {
  /** Characters per token of the last prompts. */
  readonly ratios: ReadonlyArray<number>
  /** True when counts are known to hold what came from the cache. */
  readonly countsWhole: boolean
  /** The last prompts, to see what a cache could hold. */
  readonly prompts: ReadonlyArray<string>
  /** The last count that was too small. */
  readonly low: number | undefined
}

export const noHistory: TokenCounts = { ratios: [], countsWhole: false, prompts: [], low: undefined }

const most = 6
const keptRatios = 15
const keptPrompts = 4
/** In shorter prompts the tokens around the messages hide what the text takes. */
const shortest = 2000
/** Half of the smallest window that a server has: what is left of a prompt is never less. */
const leastCut = 512

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

/** The scale for the next prompt: the median of what was seen, with a smaller margin the more was seen. */
export const scaleOf = ({ ratios }: TokenCounts): TokenScale =>
  ratios.length === 0 ? assumedScale : { charactersPerToken: median(ratios), margin: ratios.length < 3 ? 1.1 : 1.05 }

/** True when the first half of the prompt, and one character more, is also the start of the other one. */
const sharesHalf = (prompt: string, other: string): boolean =>
  other.startsWith(prompt.slice(0, Math.floor(prompt.length / 2) + 1))

/** A count that only a dropped front explains: the window is full, or exactly half full. */
const isCut = (counted: number, window: number, estimated: number, leeway: number): boolean =>
  counted >= window * 0.995 || (Math.abs(counted - (Math.floor(window / 2) + 2)) <= 3 && estimated >= counted * leeway)

/** Half of a window of whole kilobytes, as it is left when the window of the server is not the one that was asked for. */
const isHalfOfSome = (counted: number): boolean => (counted - 2) % 512 === 0

const judge = (history: TokenCounts, { counted, isWhole, prompt, window }: TokenCount): CountVerdict => {
  const hasHistory = history.ratios.length > 0
  const estimated = prompt.length / scaleOf(history).charactersPerToken
  if (isCut(counted, window, estimated, hasHistory ? 1.2 : 1.5)) return "overflow"
  const isLow = hasHistory ? counted < estimated / 2 : counted < prompt.length / (most + 2)
  if (!isLow || counted < leastCut) return "plausible"
  if (isWhole || history.countsWhole) return "overflow"
  const isSame = counted === history.low && !history.prompts.includes(prompt)
  return isSame && isHalfOfSome(counted) ? "overflow" : "unclear"
}

/** Takes in a count and says what it means. Prompts that are too short to tell teach nothing and are always plausible. */
export const learn = (
  history: TokenCounts,
  count: TokenCount
): { readonly history: TokenCounts; readonly verdict: CountVerdict } => {
  const { counted, isWhole, prompt } = count
  if (prompt.length < shortest || counted <= 0) return { history, verdict: "plausible" }
  const verdict = judge(history, count)
  const prompts = [...history.prompts, prompt].slice(-keptPrompts)
  if (verdict !== "plausible") return { history: { ...history, prompts, low: counted }, verdict }
  const ratio = prompt.length / counted
  const isKnownWhole = isWhole || history.countsWhole
  // More characters a token than usual is what a count without the cached part looks like.
  const isUsual = isKnownWhole || history.ratios.length === 0 || ratio <= 1.3 * scaleOf(history).charactersPerToken
  const isTaken = ratio <= most && isUsual
  const isRepeated = () => history.prompts.some((before) => sharesHalf(prompt, before))
  return {
    history: {
      ratios: isTaken ? [...history.ratios, ratio].slice(-keptRatios) : history.ratios,
      countsWhole: isKnownWhole || (isTaken && history.ratios.length > 0 && isRepeated()),
      prompts,
      low: history.low
    },
    verdict
  }
}

/**
 * Takes in a prompt that a server refused as too long, with the tokens that it counted. That is certain, and counts in place of
 * what was seen before, so that the next prompt is cut by it.
 */
export const learnRefused = (
  history: TokenCounts,
  { counted, prompt }: Pick<TokenCount, "counted" | "prompt">
): TokenCounts => (counted <= 0 ? history : { ...history, ratios: [prompt.length / counted] })

/** The tokens of one prompt or of several. */
interface Counted {
  readonly promptTokens?: number
  readonly cachedTokens?: number
  readonly answerTokens?: number
  readonly answerMs?: number
  readonly loadMs?: number
}

/** The sum of a value over those that have tokens; nothing when one of them does not say it. */
const sumWhereCounted = (
  all: ReadonlyArray<Counted>,
  tokens: "answerTokens" | "promptTokens",
  value: "answerMs" | "cachedTokens"
): number | undefined => {
  const counted = all.filter((one) => (one[tokens] ?? 0) > 0)
  const said = counted.flatMap((one) => one[value] ?? [])
  return counted.length === 0 || said.length < counted.length ? undefined : said.reduce((sum, one) => sum + one, 0)
}

/** The sum, as a part of a usage; nothing when one of the counts does not say it. */
export const cachedTokensOf = (all: ReadonlyArray<Counted>): Pick<Counted, "cachedTokens"> => {
  const cachedTokens = sumWhereCounted(all, "promptTokens", "cachedTokens")
  return cachedTokens === undefined ? {} : { cachedTokens }
}

/** The same of the time in which answers were written. */
export const answerMsOf = (all: ReadonlyArray<Counted>): Pick<Counted, "answerMs"> => {
  const answerMs = sumWhereCounted(all, "answerTokens", "answerMs")
  return answerMs === undefined ? {} : { answerMs }
}

/** `, 8400 of them from the server's cache`, behind a count of the tokens of prompts; empty when that is not known. */
export const cachedText = ({ cachedTokens }: Counted, numberText: (tokens: number) => string = String): string =>
  cachedTokens === undefined ? "" : `, ${numberText(cachedTokens)} of them from the server's cache`

/** ` at 38 tokens/s`, behind a count of the tokens of answers; empty when that is not known. */
export const speedText = ({ answerMs = 0, answerTokens = 0 }: Counted): string => {
  if (answerMs === 0 || answerTokens === 0) return ""
  const speed = (answerTokens * 1000) / answerMs
  return ` at ${speed < 10 ? speed.toFixed(1) : Math.round(speed)} tokens/s`
}

/** Less is no loading, but how the server looks for a model that it has loaded. */
const leastLoadMs = 500

/** True when the model had to be loaded. */
export const wasLoaded = ({ loadMs = 0 }: Counted): boolean => loadMs >= leastLoadMs

/** `, 12 s to load models`; empty when that is not known, or took no time. */
export const loadText = (counted: Counted): string =>
  wasLoaded(counted) ? `, ${durationText(counted.loadMs ?? 0)} to load models` : ""
