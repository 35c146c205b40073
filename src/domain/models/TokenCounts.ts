/**
 * Learns from the token counts of a server how many characters make a token for its model, and whether the server read
 * the whole prompt. services/models/TokenCalibration keeps one `TokenCounts` per model.
 *
 * Ollama's `prompt_eval_count` is the size of the whole prompt, including the cached part. Releases around 0.30, and
 * releases before July 2024, left the cached part out. A count can therefore be too small for a harmless reason, but
 * never too large. A server may also drop the beginning of a prompt. It then reports the size of what is left: its
 * whole window, or half of its window.
 */
import { durationText } from "../text/Format.ts"
import { assumedScale, type TokenScale } from "./PromptSize.ts"

/** A sent prompt with its token count. */
export interface TokenCount {
  /** The text of the prompt as sent. */
  readonly prompt: string
  readonly counted: number
  /** True if the server also counted cached tokens, so that the count is complete. */
  readonly isWhole: boolean
  /** The context window in tokens. */
  readonly window: number
}

/**
 * The verdict about a count. `unclear`: the count is too small, because of the cache or a dropped beginning of the
 * prompt.
 */
export type CountVerdict = "plausible" | "unclear" | "overflow"

/** What the program has learned about the tokens of a model. */
export interface TokenCounts {
  /** The number of characters per token, for each of the latest prompts. */
  readonly ratios: ReadonlyArray<number>
  /** True if the counts are known to include the cached part of a prompt. */
  readonly countsWhole: boolean
  /** The latest prompts, whose beginnings may be in the server's cache. */
  readonly prompts: ReadonlyArray<string>
  /** The latest count that was too small. */
  readonly low: number | undefined
}

export const noHistory: TokenCounts = { ratios: [], countsWhole: false, prompts: [], low: undefined }

const most = 6
const keptRatios = 15
const keptPrompts = 4
/**
 * The minimum length, in characters, of a prompt that counts for the ratio of characters to tokens. In a shorter
 * prompt, the tokens around its messages distort the ratio.
 */
const shortest = 2000
/** The minimum number of tokens that a server keeps of a prompt that it cuts: half of the smallest window. */
const leastCut = 512

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

/** The scale for the next prompt: the median of the ratios. The margin shrinks with more counts. */
export const scaleOf = ({ ratios }: TokenCounts): TokenScale =>
  ratios.length === 0 ? assumedScale : { charactersPerToken: median(ratios), margin: ratios.length < 3 ? 1.1 : 1.05 }

/** True if both prompts begin with the same text, and this text is longer than half of `prompt`. */
const sharesHalf = (prompt: string, other: string): boolean =>
  other.startsWith(prompt.slice(0, Math.floor(prompt.length / 2) + 1))

/**
 * True if the count shows that the server dropped the beginning of the prompt. In this case, the window is full, or
 * exactly half full.
 */
const isCut = (counted: number, window: number, estimated: number, leeway: number): boolean =>
  counted >= window * 0.995 || (Math.abs(counted - (Math.floor(window / 2) + 2)) <= 3 && estimated >= counted * leeway)

/**
 * True if the count is half of a window whose size is a multiple of 1024 tokens. A server reports such a count if it
 * uses another window than requested and drops the beginning of the prompt.
 */
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

/**
 * Judges a count and learns from it. The count of a short prompt is accepted as plausible, and nothing is learnt from
 * it.
 */
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
  // If there are unusually many characters per token, the count probably lacks the cached part of the prompt.
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
 * Learns from the count of a prompt that a server refused as too long. This count is certain and replaces all earlier
 * counts, so that the next prompt is cut to fit.
 */
export const learnRefused = (
  history: TokenCounts,
  { counted, prompt }: Pick<TokenCount, "counted" | "prompt">
): TokenCounts => (counted <= 0 ? history : { ...history, ratios: [prompt.length / counted] })

/** The tokens and times of one or several calls. */
interface Counted {
  readonly promptTokens?: number
  readonly cachedTokens?: number
  readonly answerTokens?: number
  readonly answerMs?: number
  readonly loadMs?: number
}

/** The sum of `value` over all calls with `tokens`. Undefined if one of these calls lacks `value`. */
const sumWhereCounted = (
  all: ReadonlyArray<Counted>,
  tokens: "answerTokens" | "promptTokens",
  value: "answerMs" | "cachedTokens"
): number | undefined => {
  const counted = all.filter((one) => (one[tokens] ?? 0) > 0)
  const said = counted.flatMap((one) => one[value] ?? [])
  return counted.length === 0 || said.length < counted.length ? undefined : said.reduce((sum, one) => sum + one, 0)
}

/** The field `cachedTokens`, summed over all calls. Empty if a call lacks it. */
export const cachedTokensOf = (all: ReadonlyArray<Counted>): Pick<Counted, "cachedTokens"> => {
  const cachedTokens = sumWhereCounted(all, "promptTokens", "cachedTokens")
  return cachedTokens === undefined ? {} : { cachedTokens }
}

/** The field `answerMs`, summed over all calls. Empty if a call lacks it. */
export const answerMsOf = (all: ReadonlyArray<Counted>): Pick<Counted, "answerMs"> => {
  const answerMs = sumWhereCounted(all, "answerTokens", "answerMs")
  return answerMs === undefined ? {} : { answerMs }
}

/**
 * The text after a number of prompt tokens: `, 8400 of them from the server's cache`. Empty if the number is unknown.
 */
export const cachedText = ({ cachedTokens }: Counted, numberText: (tokens: number) => string = String): string =>
  cachedTokens === undefined ? "" : `, ${numberText(cachedTokens)} of them from the server's cache`

/** The text after a number of answer tokens: ` at 38 tokens/s`. Empty if the speed is unknown. */
export const speedText = ({ answerMs = 0, answerTokens = 0 }: Counted): string => {
  if (answerMs === 0 || answerTokens === 0) return ""
  const speed = (answerTokens * 1000) / answerMs
  return ` at ${speed < 10 ? speed.toFixed(1) : Math.round(speed)} tokens/s`
}

/** A shorter load time, in milliseconds, means that the server had the model loaded already. */
const leastLoadMs = 500

export const wasLoaded = ({ loadMs = 0 }: Counted): boolean => loadMs >= leastLoadMs

/** The text `, 12 s to load models`; empty if no model was loaded. */
export const loadText = (counted: Counted): string =>
  wasLoaded(counted) ? `, ${durationText(counted.loadMs ?? 0)} to load models` : ""
