/**
 * The addresses to connect to for a URL. A name is resolved once and all its addresses must be public, so that neither
 * an unusual spelling nor DNS rebinding leads to this machine or its network.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { isGlobalUnicast } from "../../domain/web/NetworkAddress.ts"
import { ToolErrorType } from "../../domain/tools/ToolCall.ts"
import type { Dialled } from "./HttpGet.ts"
import { isOwnAddress, lookUp, type OwnServices, serviceAt, serviceNamed } from "./OwnServices.ts"

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

const portOf = (url: URL): string => (url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port)

/** `host:port` with the port that the scheme implies; brackets around IPv6. */
export const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`

const resolve = Effect.fnUntraced(function* (url: URL) {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  return yield* Effect.mapError(lookUp(host), (reason) =>
    fetchFailure(url, "io_error", `the name ${host} cannot be resolved (${reason})`)
  )
})

/** Exceptions by exact `host:port`. */
interface ListedTargets extends OwnServices {
  /** May be fetched even from a private address; the services only when they are listed by their own names. */
  readonly allowed: ReadonlySet<string>
}

/**
 * The addresses to connect to for a URL. One that is not public, or that belongs to this machine, denies the URL unless
 * its exact `host:port` is allowed. A service of this program is denied by the address that would be dialled, under
 * whatever name.
 */
export const addressesOf = Effect.fn("addressesOf")(function* (url: URL, listed: ListedTargets) {
  const { allowed } = listed
  const target = hostAndPort(url)
  const isListed = allowed.has(target)
  const denial = (why: string, permitted: string) => {
    const detail = `${why}; to permit it, list ${permitted} under fetchAllow in your user configuration`
    return fetchFailure(url, "permission_denied", detail)
  }
  const known = serviceNamed(target, listed)
  if (known !== undefined && !isListed) return yield* denial(`${target} is the ${known.what}`, known.target)
  const addresses = yield* resolve(url)
  const reached = known === undefined ? yield* serviceAt(addresses, portOf(url), listed) : undefined
  if (reached !== undefined) {
    return yield* denial(`${reached.address}:${portOf(url)} is the ${reached.service.what}`, reached.service.target)
  }
  if (!isListed) {
    const internal = addresses.find((address) => !isGlobalUnicast(address))
    if (internal !== undefined) return yield* denial(`${internal} is not on the public internet`, target)
    const own = addresses.find((address) => isOwnAddress(address, listed))
    if (own !== undefined) return yield* denial(`${own} is an address of this machine`, target)
  }
  return addresses.map((address): Dialled => ({ address, family: address.includes(":") ? 6 : 4 }))
})
