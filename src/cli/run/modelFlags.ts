/**
 * The flags about the answers of the model: the size of its window, whether it thinks, how it samples.
 */
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import type { Think } from "../../domain/models/Generation.ts"

const levels = ["off", "on", "low", "medium", "high"] as const

const number = (name: string, maximum: number) =>
  Flag.Finite(name).pipe(
    Flag.withSchema(
      Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum }, { expected: `a number between 0 and ${maximum}` }))
    ),
    Flag.withMetavar("N")
  )

export const modelFlags = {
  contextWindow: Flag.Int("context-window").pipe(
    Flag.withSchema(
      Schema.Int.check(
        Schema.isBetween({ minimum: 1, maximum: 10_000_000 }, { expected: "a whole number between 1 and 10000000" })
      )
    ),
    Flag.withMetavar("N"),
    Flag.withDescription(
      "The size of the context window in tokens: --context-window 16384. Default: that of the Modelfile or of the loaded model, else 8192"
    ),
    Flag.optional
  ),
  think: Flag.Literals("think", levels).pipe(
    Flag.withDescription("Whether, or how much, the model thinks before it answers: --think off"),
    Flag.optional
  ),
  temperature: number("temperature", 2).pipe(
    Flag.withDescription("How far the model strays from its most probable words: --temperature 0.2"),
    Flag.optional
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withSchema(
      Schema.Int.check(
        Schema.isBetween(
          { minimum: 0, maximum: 2_147_483_647 },
          { expected: "a whole number between 0 and 2147483647" }
        )
      )
    ),
    Flag.withMetavar("N"),
    Flag.withDescription("The number that chance begins with: --seed 1"),
    Flag.optional
  )
}

/** The parsed values. */
export interface ModelFlags {
  readonly contextWindow: Option.Option<number>
  readonly think: Option.Option<(typeof levels)[number]>
  readonly temperature: Option.Option<number>
  readonly seed: Option.Option<number>
}

const thinkOf = (level: (typeof levels)[number]): Think => (level === "off" ? false : level === "on" ? true : level)

/** The flags as a configuration. */
export const modelConfiguration = ({ contextWindow, seed, temperature, think }: ModelFlags): Configuration => {
  const sampling = {
    ...(Option.isSome(temperature) ? { temperature: temperature.value } : {}),
    ...(Option.isSome(seed) ? { seed: seed.value } : {})
  }
  return {
    ...(Option.isSome(contextWindow) ? { contextWindow: contextWindow.value } : {}),
    ...(Option.isSome(think) ? { think: thinkOf(think.value) } : {}),
    ...(Object.keys(sampling).length === 0 ? {} : { sampling })
  }
}
