// @ts-check
/** Models named `messages:NAME`. What speaks to the server is loaded with the first question to it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { definePlugin } from "task-conductor/plugin"
import { addressProblem, readAddress } from "./address.js"

/**
 * @param {string | undefined} url
 * @returns {import("task-conductor/plugin").Provider}
 */
const messages = (url) => ({
  id: "messages",
  traceName: "anthropic",
  server: {
    read: () => readAddress(url),
    /* The configuration of the plugin has the address, also when a run is resumed. */
    save: () => ({}),
    problem: addressProblem,
    source: `"url" of the plugin messages`,
    remedy: `Start it, or set "url" of the plugin messages; a key is the secret ANTHROPIC_API_KEY.`,
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
})

export default definePlugin({
  name: "messages",
  config: {
    type: "object",
    properties: { url: { type: "string", description: "The address of the server; that of llama.cpp by default." } }
  },
  secrets: { ANTHROPIC_API_KEY: { use: "Is sent to servers that want a key.", optional: true } },
  providers: ({ config: { url } }) => [messages(url)]
})
