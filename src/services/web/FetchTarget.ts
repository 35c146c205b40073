/**
 * The addresses to connect to for a URL. A name is resolved once and all its addresses must be public, so that neither
 * an unusual spelling nor DNS rebinding leads to this machine or its network.
 */
import * as Effect from "effect/Effect"
import * as Dns from "effect/net/Dns"
import * as NetAddress from "effect/net/NetAddress"
import * as Schema from "effect/Schema"
import { isAddress, isGlobalUnicast } from "../../domain/web/NetworkAddress.ts"
import { ToolErrorType } from "../../domain/tools/ToolCall.ts"
import type { Dialled } from "./HttpGet.ts"

/** A page cannot be fetched. `type` is the error type of a tool; `detail` says why. */
export class FetchFailure extends Schema.TaggedError<FetchFailure>()("FetchFailure", {
  url: Schema.String,
  type: ToolErrorType,
  detail: Schema.String
}) {
  override get message(): string {
    return `Cannot fetch ${this.url}: ${this.detail}.`
  }
}

/** The failure for a URL, without its user name and password. */
export const fetchFailure = (url: URL, type: ToolErrorType, detail: string): FetchFailure => {
  const shown = new URL(url)
  shown.username = ""
  shown.password = ""
  return new FetchFailure({ url: shown.href, type, detail })
}

/** Reads an http or https URL without user name and password; relative to `base` when there is one. */
export const parseTarget = (text: string, base?: URL): Effect.Effect<URL, FetchFailure> => {
  const url = URL.parse(text, base?.href)
  if (url === null) {
    return Effect.fail(new FetchFailure({ url: text, type: "validation_failed", detail: "it is not a URL" }))
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return Effect.fail(fetchFailure(url, "validation_failed", "only http and https can be fetched"))
  }
  return url.username === "" && url.password === ""
    ? Effect.succeed(url)
    : Effect.fail(fetchFailure(url, "validation_failed", "a URL must not hold a user name or password"))
}

/** `host:port` with the port that the scheme implies; brackets around IPv6. */
export const hostAndPort = (url: URL): string =>
  `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port}`

const resolve = Effect.fnUntraced(function* (url: URL) {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (isAddress(host)) return [host]
  const dns = yield* Dns.Dns
  const found = yield* Effect.mapError(dns.lookup(host), (error) =>
    fetchFailure(url, "io_error", `the name ${host} cannot be resolved (${error.reason})`)
  )
  return found.map(NetAddress.formatIp)
})

/** Exceptions by exact `host:port`. A target in both sets is allowed. */
interface ListedTargets {
  /** May be fetched even from a private address. */
  readonly allowed: ReadonlySet<string>
  /** May not be fetched even from a public address. */
  readonly denied: ReadonlySet<string>
}

/**
 * The addresses to connect to for a URL. One that is not public denies the URL, unless its exact `host:port` is
 * allowed.
 */
export const addressesOf = Effect.fn("addressesOf")(function* (url: URL, { allowed, denied }: ListedTargets) {
  const target = hostAndPort(url)
  const denial = (why: string) => {
    const detail = `${why}; to permit it, list ${target} under fetchAllow in your user configuration`
    return fetchFailure(url, "permission_denied", detail)
  }
  if (denied.has(target) && !allowed.has(target)) return yield* denial(`${target} is the model server`)
  const addresses = yield* resolve(url)
  const internal = allowed.has(target) ? undefined : addresses.find((address) => !isGlobalUnicast(address))
  if (internal !== undefined) return yield* denial(`${internal} is not on the public internet`)
  return addresses.map((address): Dialled => ({ address, family: address.includes(":") ? 6 : 4 }))
})
