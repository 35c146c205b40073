/**
 * Checks of long prompts: a prompt that fits is read whole, a longer one is refused, and token counts show it.
 */
import * as Effect from "effect/Effect"
import { learn, noHistory } from "../../src/domain/models/TokenCounts.ts"
import { ask } from "./Asking.ts"
import { type Check, CheckFailed, notSupported, require, type Target } from "./Check.ts"

/** Unique words, so that no cache has them. */
const textOf = (characters: number, salt: number): string => {
  let text = ""
  for (let word = salt; text.length < characters; word += 1) text += `${(word * 2_654_435_761) % 1_000_003} `
  return text.slice(0, characters)
}

/** Characters for each token of the model, from two counts. */
const measure = (target: Target) =>
  Effect.gen(function* () {
    const countOf = Effect.fnUntraced(function* (prompt: string) {
      const { promptTokens } = yield* ask(target, { prompt, settings: { maxTokens: 1 } })
      return promptTokens ?? (yield* notSupported("the server says no counts"))
    })
    const [short, long] = [yield* countOf(textOf(100, 1)), yield* countOf(textOf(900, 5))]
    yield* require(long > short, () => `100 characters have ${short} tokens, 900 have ${long}`)
    return { charactersPerToken: 800 / (long - short), around: short - 100 / (800 / (long - short)) }
  })

export const promptChecks: ReadonlyArray<Check> = [
  {
    name: "a prompt just under the window",
    check: (target) =>
      Effect.gen(function* () {
        const { around, charactersPerToken } = yield* measure(target)
        const tokens = Math.floor(target.window * 0.85)
        const prompt = textOf(Math.floor((tokens - around) * charactersPerToken), 1000)
        const { promptTokens = 0 } = yield* ask(target, { prompt, settings: { maxTokens: 8 } })
        yield* require(Math.abs(promptTokens - tokens) < tokens * 0.1, () =>
          `sent about ${tokens} tokens, the server counted ${promptTokens}`)
        return `${promptTokens} of ${target.window} tokens`
      })
  },
  {
    name: "a prompt over the window",
    check: (target) =>
      Effect.gen(function* () {
        const { charactersPerToken } = yield* measure(target)
        const prompt = textOf(Math.floor(target.window * 1.5 * charactersPerToken), 2000)
        const result = yield* Effect.result(ask(target, { prompt, settings: { maxTokens: 8 } }))
        if (result._tag === "Success") {
          const counted = result.success.promptTokens ?? 0
          const { window } = target
          const isWhole = result.success.cachedTokens !== undefined
          const { verdict } = learn(noHistory, { prompt, counted, isWhole, window })
          const seen = `the server cut the prompt to ${counted} tokens and answered`
          if (verdict === "plausible") return yield* new CheckFailed({ what: seen })
          return yield* notSupported(`${seen}; the count shows it (${verdict})`)
        }
        const { reason } = result.failure
        yield* require(reason._tag === "ContextOverflow", () => `${reason._tag}: ${result.failure.message}`)
        return "refused as too long"
      })
  },
  {
    name: "an answer that fills the window",
    check: (target) =>
      Effect.gen(function* () {
        if (target.api === "openai") return yield* notSupported("the window cannot be made small for one call")
        const window = 512
        const settings = { maxTokens: 2000, sampling: { temperature: 0.1, seed: 5 } }
        const result = yield* Effect.result(ask(target, { prompt: "Go on for ever.", window, settings }))
        if (result._tag === "Failure") {
          const { reason } = result.failure
          yield* require(reason._tag === "DiedMidStream" || reason._tag === "Hopeless", () =>
            `${reason._tag}: ${result.failure.message}`)
          return result.failure.message
        }
        const { answerTokens = 0, reason = "unknown" } = result.success
        yield* require(answerTokens <= window, () => `${answerTokens} tokens in a window of ${window}`)
        return `${answerTokens} tokens, ended with ${reason}`
      })
  },
  {
    name: "counts with a cache",
    check: (target) =>
      Effect.gen(function* () {
        const prompt = textOf(Math.min(3000, target.window / 2), 3000)
        const settings = { maxTokens: 4 }
        const first = yield* ask(target, { prompt, settings })
        const second = yield* ask(target, { prompt, settings })
        const [one, other] = [first.promptTokens ?? 0, second.promptTokens ?? 0]
        if (one === other) return `${one} tokens both times; ${second.cachedTokens ?? "no word of what was"} cached`
        const counts = { isWhole: second.cachedTokens !== undefined, window: target.window }
        const { history } = learn(noHistory, { prompt, counted: one, ...counts })
        const { verdict } = learn(history, { prompt, counted: other, ...counts })
        yield* require(verdict !== "overflow", () => `${one}, then ${other} tokens is taken for a cut prompt`)
        return `${one}, then ${other} tokens: what is cached is left out (${verdict})`
      })
  }
]
