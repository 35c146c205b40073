/**
 * Finds the address of the Ollama server in every form of OLLAMA_HOST. Says what the user can do about a wrong address.
 */
import type { Spoken } from "../ModelErrors.ts"

const defaultPorts: Readonly<Record<string, string>> = { http: "80", https: "443" }

/**
 * Addresses on which a server can listen, but to which clients cannot connect on every system. Each one has an address
 * that works.
 */
const loopbackOf: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" }

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65_535

/** Splits off the port. A bare IPv6 address has colons but no port. */
const splitPort = (address: string): { readonly name: string; readonly port: string | undefined } => {
  const bracketed = /^(\[[^\]]*\])(?::(.*))?$/.exec(address)
  if (bracketed !== null) return { name: bracketed[1] ?? "", port: bracketed[2] }
  const parts = address.split(":")
  if (parts.length > 2) return { name: `[${address}]`, port: undefined }
  return { name: parts[0] ?? "", port: parts[1] }
}

/**
 * The base address of the server without a trailing slash. Accepts `host`, `host:port`, `:port`, an IPv6 address, and a
 * full URL with a path.
 * - Without a value, the address is `http://127.0.0.1:11434`.
 * - If the port is missing or invalid, the default port of the scheme is used. Without a scheme, this is 11434.
 */
export const resolveHost = (value: string | undefined): string => {
  const text = (value ?? "")
    .trim()
    .replaceAll(/^["']|["']$/g, "")
    .trim()
  const [, scheme, rest = ""] = /^(?:([a-z]+):\/\/)?(.*)$/i.exec(text) ?? []
  const protocol = (scheme ?? "http").toLowerCase()
  const slash = rest.indexOf("/")
  const address = slash === -1 ? rest : rest.slice(0, slash)
  const path = slash === -1 ? "" : rest.slice(slash).replace(/\/+$/, "")
  const user = address.slice(0, address.lastIndexOf("@") + 1)
  const { name, port } = splitPort(address.slice(user.length))
  const host = user + (name === "" ? "127.0.0.1" : (loopbackOf[name] ?? name))
  const fallback = scheme === undefined ? "11434" : (defaultPorts[protocol] ?? "11434")
  return `${protocol}://${host}:${port !== undefined && isPort(port) ? port : fallback}${path}`
}

/** Why requests can never reach a base address, and what to do. Undefined if requests may reach it. Hides passwords. */
export const hostProblem = (host: string): string | undefined => {
  const url = URL.parse(host)
  if (url !== null && /^https?:$/.test(url.protocol) && !host.includes("@")) return undefined
  const shown = host.replace(/\/\/.*@/, "//...@")
  return `${shown} is not the address of a model server. Write it as HOST:PORT or http://HOST:PORT; a key goes into OLLAMA_API_KEY.`
}

export const spoken: Spoken = {
  module: "OllamaModel",
  api: "Ollama",
  remedies: (model) => ({
    start: 'Start it with "ollama serve", set OLLAMA_HOST, or use --model embedded.',
    check: "Check OLLAMA_HOST, OLLAMA_API_KEY and the model.",
    missing: `Get it with "ollama pull ${model}" or choose another with --model.`,
    command: `ollama pull ${model}`
  })
}
