// @ts-check
/** Models named `messages:NAME`. What speaks to the server is loaded with the first question to it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { definePlugin } from "task-conductor/plugin"
import { addressProblem, readAddress } from "./address.js"

/** @type {import("task-conductor/plugin").Provider} */
const messages = {
  id: "messages",
  traceName: "anthropic",
  server: {
    read: () => readAddress(process.env["ANTHROPIC_BASE_URL"]),
    /* The environment has the address, also when a run is resumed. */
    save: () => ({}),
    problem: addressProblem,
    source: "ANTHROPIC_BASE_URL",
    remedy: "Start it, or set ANTHROPIC_BASE_URL; a key goes into ANTHROPIC_API_KEY.",
    keyVariable: "ANTHROPIC_API_KEY"
  },
  connect: (address) =>
    Effect.flatMap(
      Effect.promise(() => import("./server.js")),
      ({ connect }) => connect(address)
    ),
  model: (options) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("./model.js")),
        ({ layerModel }) => layerModel(options)
      )
    )
}

export default definePlugin({ name: "messages", providers: [messages] })
