/**
 * How many calls are made at a time by what the server says of itself. Part of the composition root, loaded by runs that
 * use a server.
 */
import * as Effect from "effect/Effect"
import { providerOf } from "../domain/models/ModelName.ts"
import { OpenAiServer } from "../services/providers/openai/OpenAiServer.ts"
import { patience, serverOf } from "./chosenModel.ts"
import type { Setup } from "./setup.ts"

/** As many calls as `--parallel` may name. */
const mostSlots = 64

/** The setup with as many calls at a time as the server works on, when nobody set it and the server says it. */
export const withSlots = Effect.fnUntraced(function* (setup: Setup) {
  const { configuration, settings } = setup
  if (configuration.parallel !== undefined || providerOf(settings.model) !== "openai") return setup
  const server = OpenAiServer.layer({ ...serverOf(setup), timeout: patience })
  const slots = yield* Effect.provide(
    OpenAiServer.use((found) => found.slots),
    server
  )
  return slots === undefined ? setup : { ...setup, settings: { ...settings, parallel: Math.min(slots, mostSlots) } }
})
