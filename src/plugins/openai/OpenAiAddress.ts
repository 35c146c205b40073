/** The base address of a server with OpenAI's API (the part before `/chat/completions`), and texts about the server. */
import type { Spoken } from "../../plugin-kit.ts"

/** The default address of llama.cpp's server. */
const defaultAddress = "http://127.0.0.1:8080/v1"

/** Completes the base address: adds a missing scheme `http` and path `/v1`, and removes a slash at the end. */
export const resolveBaseUrl = (value: string | undefined): string => {
  const text = (value ?? "").trim().replace(/\/+$/, "")
  if (text === "") return defaultAddress
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  return /^[a-z0-9+.-]+:\/\/[^/]*$/i.test(url) ? `${url}/v1` : url
}

/** What is wrong with a base address, and what to do. Undefined for a valid one. The text shows no passwords. */
export const baseUrlProblem = (baseUrl: string): string | undefined => {
  const url = URL.parse(baseUrl)
  const isUsable =
    url !== null && /^https?:$/.test(url.protocol) && !baseUrl.includes("@") && url.search === "" && url.hash === ""
  if (isUsable) return undefined
  const shown = baseUrl.replace(/\/\/.*@/, "//...@").replace(/\?.*/s, "?...")
  return `${shown} is not the base address of a model server. Write it as http://HOST:PORT/v1; a key goes into OPENAI_API_KEY.`
}

export const spoken: Spoken = {
  module: "OpenAiModel",
  api: "the OpenAI API",
  remedies: () => ({
    start: 'Start it, set OPENAI_BASE_URL (or "openaiBaseUrl" in your configuration), or use --model embedded.',
    check: "Check OPENAI_BASE_URL, OPENAI_API_KEY and the model.",
    missing: "Choose one that the server offers with --model openai:NAME."
  })
}

export const nameOnServer = (model: string): string => model.replace(/^openai:/, "")
