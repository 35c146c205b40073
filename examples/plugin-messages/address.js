// @ts-check
/** Where the server is, how it is spoken of, and what goes into the head of each request. */
import * as Redacted from "effect/Redacted"

/** Where llama.cpp's server listens when nobody says anything. */
const defaultAddress = "http://127.0.0.1:8080"

/** @param {string | undefined} text */
export const readAddress = (text = "") => text.trim().replace(/\/+$/, "") || defaultAddress

/** @param {string} address */
export const addressProblem = (address) =>
  /^https?:$/.test(URL.parse(address)?.protocol ?? "")
    ? undefined
    : `${address} is not the address of a model server. Write it as http://HOST:PORT.`

/** @param {string} model */
export const nameOnServer = (model) => model.replace(/^messages:/, "")

/** @type {import("task-conductor/plugin").Spoken} */
export const spoken = {
  module: "MessagesModel",
  api: "the Messages API",
  remedies: () => ({
    start: 'Start it, or set "url" of the plugin messages.',
    check: 'Check "url" of the plugin messages, the secret ANTHROPIC_API_KEY and the model.',
    missing: "Choose one that the server offers with --model messages:NAME."
  })
}

/**
 * @param {Pick<import("task-conductor/plugin").ServerConnection, "apiKey">} address
 * @returns {Record<string, string>}
 */
export const headersOf = ({ apiKey }) => ({
  "anthropic-version": "2023-06-01",
  ...(apiKey === undefined ? {} : { "x-api-key": String(Redacted.value(apiKey)) })
})
