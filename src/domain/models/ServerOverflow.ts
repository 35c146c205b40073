/**
 * Recognises messages of model servers about a prompt that exceeds their context window. Servers and proxies word them
 * differently, and some give no sizes.
 */

/** A prompt that is too long, as the server reports it. Sizes are in tokens. */
export interface ServerOverflow {
  readonly promptTokens?: number
  readonly window?: number
}

/** A token count, with or without commas between groups of digits. */
const count = String.raw`(\d{1,3}(?:,\d{3})+|\d+)`

const pattern = (source: string): RegExp => new RegExp(source.replaceAll("COUNT", count), "i")

/** How servers write the size of the window, the most specific form first. */
const windowPatterns = [
  String.raw`(?:max_model_len|max_seq_len|maximum model length)\D{0,20}COUNT`,
  String.raw`(?:maximum|model's|available)? ?context (?:length|size|window) (?:is |of )?(?:only )?\(?COUNT(?: tokens)?\)?`,
  String.raw`COUNT maximum context length`,
  String.raw`n_ctx\W{1,5}COUNT`,
  String.raw`maximum (?:prompt|input|allowed) length\D{0,10}COUNT`,
  String.raw`(?:configured )?limit of COUNT`,
  String.raw`tokens allowed \(COUNT\)`,
  String.raw`context limit: [\d ,+]+ > COUNT`,
  String.raw`tokens > COUNT maximum`,
  String.raw`must (?:be <=|have less than) COUNT`
].map(pattern)

/** How servers write the size of the prompt. */
const promptPatterns = [
  String.raw`\(COUNT (?:in the messages|of text input)`,
  String.raw`COUNT tokens from the input messages`,
  String.raw`resulted in (?:over )?COUNT tokens`,
  String.raw`(?:has|contains?|at least|passed) COUNT (?:input )?tokens`,
  String.raw`keep the first COUNT tokens`,
  String.raw`n_keep\W{1,5}COUNT`,
  String.raw`n_prompt_tokens\W{1,5}COUNT`,
  String.raw`requested (?:tokens \(|about )?COUNT(?: tokens|\))`,
  String.raw`(?:request|input|prompt) \(COUNT tokens\)`,
  String.raw`token count \(COUNT\)`,
  String.raw`too long: COUNT tokens`,
  String.raw`context limit: COUNT`,
  String.raw`(?:prompt|context|input|total)?[ (]length (?:of |\()?COUNT`,
  String.raw`given: COUNT`
].map(pattern)

/** Messages about a prompt that is too long, with or without sizes. */
const overflowPatterns = [
  /context[_ ]?length[_ ]?exceeded|context ?window ?exceeded|exceed_context_size/i,
  /\bexceed(?:s|ed|ing)?\b[^.;]{0,60}\b(?:context|max_model_len|max_seq_len|KV size)\b/i,
  /\b(?:input|prompt|token count|tokens)\b[^.;]{0,60}\bexceed(?:s|ed|ing)?\b[^.;]{0,40}\b(?:limit of|maximum (?:number of tokens|(?:allowed |input |prompt )length))/i,
  /\b(?:prompt|input|inputs|messages|conversation)\b[^.;]{0,40}\b(?:too (?:long|large|big)|longer than)\b/i,
  /\b(?:prompt|context|input|sequence) length\b[^.;]{0,30}\b(?:greater|larger|longer|more) than\b/i,
  /\bgreater than the context length\b|\bn_keep\b[^.;]{0,20}>=|\bkeep the first \d+ tokens\b/i,
  /\breached context length\b|\b(?:larger|increase the|raise the) context (?:length|size|window)\b/i,
  /\breduce the length of (?:the |your )?(?:messages|prompt|input)/i,
  /\btoo large for model with \d+ maximum context length/i,
  /\bmaximum prompt length is \d+/i,
  /`inputs`[^.;]{0,40}\bmust (?:be <=|have less than)/i
]

/**
 * Matches messages about a rate limit. They may contain "limit" and "tokens" too, but do not report a prompt that is
 * too long.
 */
const saysRate = /\bper (?:minute|hour|day|second)\b|\brate.?limit/i

const firstCount = (text: string, patterns: ReadonlyArray<RegExp>): number | undefined => {
  for (const one of patterns) {
    const digits = one.exec(text)?.[1]
    if (digits !== undefined) return Number(digits.replaceAll(",", ""))
  }
  return undefined
}

/** Reads a message about a prompt that is too long, also inside a proxy's message. Undefined for other messages. */
export const readServerOverflow = (text: string): ServerOverflow | undefined => {
  if (saysRate.test(text)) return undefined
  const window = firstCount(text, windowPatterns)
  const promptTokens = firstCount(text, promptPatterns)
  const hasBoth = window !== undefined && promptTokens !== undefined
  if (!hasBoth && !overflowPatterns.some((one) => one.test(text))) return undefined
  /* If both patterns find the same number, it is the window. */
  const isPrompt = promptTokens !== undefined && promptTokens !== window
  return {
    ...(isPrompt ? { promptTokens } : {}),
    ...(window === undefined ? {} : { window })
  }
}
