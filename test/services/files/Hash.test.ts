import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { hashOf, promptHash } from "../../../src/services/files/Hash.ts"

const Prompt = { system: Schema.String, user: Schema.String }

it.effect.prop("gives a prompt the hash of its two texts", Prompt, ({ system, user }) =>
  Effect.sync(() => expect(promptHash(system, user)).toBe(hashOf([system, user])))
)
