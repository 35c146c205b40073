/**
 * The flags about the answers of the model: the size of its window, whether it thinks, how it samples.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import type { Think } from "../../domain/models/Generation.ts"

const levels = ["off", "on", "low", "medium", "high"] as const

/** A whole number that a person gives; both ends are inclusive. */
export const wholeNumberFlag = (name: string, minimum: number, maximum: number) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (number) => number >= minimum && number <= maximum,
      () => `a whole number between ${minimum} and ${maximum}`
    ),
    Flag.withMetavar("N")
  )

export const modelFlags = {
  contextWindow: wholeNumberFlag("context-window", 1, 10_000_000).pipe(
    Flag.withDescription(
      "The size of the context window in tokens: --context-window 16384. Default: that of the Modelfile or of the loaded model, else 8192"
    ),
    Flag.optional
  ),
  think: Flag.Literals("think", levels).pipe(
    Flag.withDescription("Whether, or how much, the model thinks before it answers: --think off"),
    Flag.optional
  ),
  temperature: Flag.Finite("temperature").pipe(
    Flag.filter(
      (number) => number >= 0 && number <= 2,
      () => "a number between 0 and 2"
    ),
    Flag.withMetavar("N"),
    Flag.withDescription("How far the model strays from its most probable words: --temperature 0.2"),
    Flag.optional
  ),
  seed: wholeNumberFlag("seed", 0, 2_147_483_647).pipe(
    Flag.withDescription("The number that chance begins with: --seed 1"),
    Flag.optional
  )
}

/** The parsed values. */
export type ModelFlags = Command.Command.Config.Infer<typeof modelFlags>

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
