/**
 * How many tokens of its prompts a server took from its cache, where it says so. Not every server does, and a part of a run
 * tells nothing about the whole.
 */

/** The tokens of one prompt or of several. */
interface Counted {
  readonly promptTokens?: number
  readonly cachedTokens?: number
}

/** The sum, as a part of a usage; nothing when one of the counts does not say it. */
export const cachedTokensOf = (all: ReadonlyArray<Counted>): Pick<Counted, "cachedTokens"> => {
  const counted = all.filter(({ promptTokens = 0 }) => promptTokens > 0)
  const cached = counted.flatMap(({ cachedTokens }) => (cachedTokens === undefined ? [] : [cachedTokens]))
  return counted.length === 0 || cached.length < counted.length
    ? {}
    : { cachedTokens: cached.reduce((sum, one) => sum + one, 0) }
}

/** `, 8400 of them from the server's cache`, behind a count of the tokens of prompts; empty when that is not known. */
export const cachedText = ({ cachedTokens }: Counted, numberText: (tokens: number) => string = String): string =>
  cachedTokens === undefined ? "" : `, ${numberText(cachedTokens)} of them from the server's cache`
