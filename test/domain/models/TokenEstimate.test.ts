import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { answerReserve, charactersLeft, neededTokens } from "../../../src/domain/models/TokenEstimate.ts"

const Window = Schema.Int.check(Schema.isBetween({ minimum: 256, maximum: 200_000 }))
const Length = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20_000 }))
const Scale = Schema.Struct({
  charactersPerToken: Schema.Finite.check(Schema.isBetween({ minimum: 2, maximum: 6 })),
  margin: Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 1.5 }))
})

it.effect.prop(
  "what is left of a window can be filled up, and the prompt still fits with its answer",
  { window: Window, system: Length, user: Length, scale: Scale },
  ({ scale, system, user, window }) =>
    Effect.sync(() => {
      const prompt = { system: "s".repeat(system), user: "u".repeat(user) }
      const left = charactersLeft(window, prompt, scale)
      const filled = { ...prompt, user: prompt.user + "x".repeat(left) }
      const room = window - answerReserve(window)
      expect(neededTokens(filled, scale) <= room || left === 0).toBe(true)
    })
)
