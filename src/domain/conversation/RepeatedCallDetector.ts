/**
 * Notices a model that goes in circles: the same call again and again with nothing new in its result. `ask` keeps one for
 * each message of the person.
 */
import { canonicalJson } from "../text/CanonicalJson.ts"
import type { CallOutcome } from "../tools/ToolCall.ts"

const callKey = ({ call }: CallOutcome): string => canonicalJson([call.name, call.arguments])

const sign = ({ result }: CallOutcome): string =>
  canonicalJson([result.success, result.error_type, result.data, result.error_message])

export class RepeatedCallDetector {
  readonly #limit: number
  readonly #seen = new Map<string, { readonly sign: string; readonly times: number }>()

  /** `limit` is how often a call may give the same result. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes the outcomes of one iteration, in which a call counts once; gives the name of a tool that has reached the limit. */
  add(outcomes: ReadonlyArray<CallOutcome>): string | undefined {
    const once = new Map(outcomes.map((outcome) => [callKey(outcome), outcome]))
    for (const [key, outcome] of once) {
      const before = this.#seen.get(key)
      const now = sign(outcome)
      this.#seen.set(key, { sign: now, times: before?.sign === now ? before.times + 1 : 1 })
    }
    return [...once].find(([key]) => (this.#seen.get(key)?.times ?? 0) >= this.#limit)?.[1].call.name
  }
}
