/**
 * Fetches public pages as text. Every redirect is checked like the first URL. The callers ask the user for permission.
 * A thread converts HTML to markdown, within limits of time and memory.
 */
import * as Effect from "effect/Effect"
import * as http from "node:http"
import * as zlib from "node:zlib"
import * as Duration from "effect/Duration"
import * as Dns from "effect/net/Dns"
import * as NetAddress from "effect/net/NetAddress"
import * as NodeDns from "@effect/platform-node/NodeDns"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { request as secureRequest } from "node:https"
import { isIPv6, type LookupFunction } from "node:net"
import { pipeline } from "node:stream"
import { Worker } from "node:worker_threads"
import {
  canonicalAddress,
  hostAndPort,
  interfaceAddresses,
  isAddress,
  isOwnAddress,
  moduleUrl,
  notPublic,
  portOf
} from "../../kit/files.ts"
import { FetchFailure, fetchFailure, type OwnService, type Page, parseTarget, WebFetch } from "../../kit/tools.ts"
import { defaultLimits, type WebOptions } from "../../plugin-kit.ts"
import type { HtmlPage } from "./HtmlMarkdown.ts"
import type { HtmlWork } from "./HtmlWorker.ts"
import { pageText } from "./PageText.ts"

interface HttpAnswer {
  readonly status: number
  /** The content type, in lower case and trimmed. `""` if the server sent none. */
  readonly contentType: string
  /** The address to which the answer redirects. `""` if it is no redirect. */
  readonly location: string
  /** The decoded body. Empty for a redirect. */
  readonly body: Uint8Array
}

/** The decoders by name. This is a map, because a server could send a name that every object has as a property. */
const decoders: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map([
  ["gzip", () => zlib.createGunzip()],
  ["x-gzip", () => zlib.createGunzip()],
  ["deflate", () => zlib.createInflate()],
  ["br", () => zlib.createBrotliDecompress()]
])

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** Makes `node:net` connect to the checked addresses, even if the name has other addresses by now. */
const pinned = (addresses: ReadonlyArray<string>): LookupFunction => {
  const resolved = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_host, options, callback) => {
    const [first] = resolved
    if (options.all === true) callback(null, resolved)
    else if (first === undefined) callback(new Error("no address"), "", 4)
    else callback(null, first.address, first.family)
  }
}

/** The decoded body. Fails with the reason if the body is larger than the limit. */
const readBody = async (url: URL, response: http.IncomingMessage, maxBytes: number): Promise<Uint8Array> => {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase()
  const decoder = decoders.get(encoding)
  if (decoder === undefined && encoding !== "identity") {
    throw fetchFailure(url, "io_error", `the page is encoded as ${encoding}`)
  }
  const body: AsyncIterable<Buffer | string> =
    decoder === undefined ? response : pipeline(response, decoder(), () => undefined)
  const chunks: Array<Buffer> = []
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    if (total > maxBytes) {
      throw fetchFailure(url, "output_limit", `the page is larger than ${Math.round(maxBytes / 1_000_000)} MB`)
    }
    chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks, total)
}

const asFailure = (url: URL, cause: unknown): FetchFailure => {
  if (cause instanceof FetchFailure) return cause
  const { code = "", message } = cause as NodeJS.ErrnoException
  return fetchFailure(url, "io_error", message === "" ? code : message)
}

const headers = {
  accept: "text/html, text/markdown, text/plain, application/json, */*;q=0.5",
  "accept-encoding": "gzip, deflate, br",
  "user-agent": "task-conductor"
}

/**
 * Sends one GET request to one of `addresses`. The host of the URL is used only for `Host` and TLS. It follows no
 * redirects, sends no cookies, and reuses no connection. The size of the body is limited. An interruption closes the
 * socket.
 */
const httpGet = (
  url: URL,
  addresses: ReadonlyArray<string>,
  maxBytes: number
): Effect.Effect<HttpAnswer, FetchFailure> =>
  Effect.tryPromise({
    try: async (signal): Promise<HttpAnswer> => {
      const open = url.protocol === "https:" ? secureRequest : http.request
      const request = open(url, { agent: false, headers, lookup: pinned(addresses), method: "GET" })
      signal.addEventListener("abort", () => request.destroy(), { once: true })
      try {
        const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
          request.on("response", resolve).on("error", reject).end()
        })
        const { headers: responseHeaders, statusCode: status = 0 } = response
        const location = isRedirect(status) ? (responseHeaders.location ?? "") : ""
        return {
          status,
          contentType: (responseHeaders["content-type"] ?? "").trim().toLowerCase(),
          location,
          body: location === "" ? await readBody(url, response, maxBytes) : new Uint8Array()
        }
      } finally {
        request.destroy()
      }
    },
    catch: (cause) => asFailure(url, cause)
  })

/** At most this many characters of a page are converted. */
const maxCharacters = 1_000_000
const maxMegabytes = 512
const defaultTime: Duration.Input = "10 seconds"

const workerFile = moduleUrl("plugins/web/HtmlWorker")

/**
 * The reason that is reported if a page cannot be converted. Deep nesting overflows the stack. Some markup needs memory
 * or time without limit.
 */
const tooIntricate = "its HTML is nested too deeply or too large to be turned into text"

const failureOf = (error: Error): string =>
  error instanceof RangeError || ("code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
    ? tooIntricate
    : `its HTML cannot be read (${error.message})`

const convert = (work: HtmlWork): Effect.Effect<HtmlPage, string> =>
  Effect.callback((resume) => {
    const worker = new Worker(workerFile, {
      workerData: work,
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes }
    })
    worker.on("message", (page: HtmlPage) => resume(Effect.succeed(page)))
    worker.on("error", (error) => resume(Effect.fail(failureOf(error))))
    worker.on("exit", () => resume(Effect.fail(tooIntricate)))
    return Effect.promise(() => worker.terminate())
  })

/**
 * The main content of a page as markdown with absolute links. Only the first million characters are converted, and a
 * note says so. Fails with the reason if this takes longer than `time`.
 */
export const readHtml = Effect.fn("readHtml")(function* (html: string, url: string, time = defaultTime) {
  const page = yield* convert({ html: html.slice(0, maxCharacters), url }).pipe(
    Effect.timeoutOrElse({ duration: time, orElse: () => Effect.fail(tooIntricate) })
  )
  if (html.length <= maxCharacters) return page
  const note = `(The page has ${html.length} characters of HTML; only the first ${maxCharacters} were read.)`
  return { ...page, text: `${page.text}\n\n${note}` }
})

/**
 * What a URL is compared with before the fetch: services of this program, addresses of this machine, and allowed
 * targets.
 */
interface KnownTargets {
  readonly services: ReadonlyArray<OwnService>
  readonly interfaces: ReadonlyArray<string>
  /**
   * The targets that may be fetched even if their addresses are private. A service of this program must be listed by
   * its own name.
   */
  readonly allowed: ReadonlySet<string>
}

/** Resolves the name of a host to addresses. Fails with the reason. */
const lookUp = (host: string): Effect.Effect<ReadonlyArray<string>, string, Dns.Dns> =>
  isAddress(host)
    ? Effect.succeed([host])
    : Dns.Dns.use((dns) => dns.lookup(host)).pipe(
        Effect.map((found) => found.map(NetAddress.formatIp)),
        Effect.mapError(({ reason }) => reason)
      )

const splitTarget = (target: string): readonly [host: string, port: string] => {
  const colon = target.lastIndexOf(":")
  return [target.slice(0, colon).replace(/^\[|\]$/g, ""), target.slice(colon + 1)]
}

/** A target in lower case, without a dot at the end of its host. */
const plainTarget = (target: string): string => target.toLowerCase().replace(/\.(?=:\d+$)/, "")

/** The service that has the name and port of this target. Undefined if there is none. */
const serviceNamed = (target: string, { services }: KnownTargets): OwnService | undefined =>
  services.find((one) => plainTarget(one.target) === plainTarget(target))

/** The service that has one of these addresses and this port. Undefined if there is none. */
const serviceAt = Effect.fnUntraced(function* (
  addresses: ReadonlyArray<string>,
  port: string,
  reserved: KnownTargets
): Effect.fn.Return<{ readonly service: OwnService; readonly address: string } | undefined, never, Dns.Dns> {
  for (const service of reserved.services) {
    const [host, servicePort] = splitTarget(service.target)
    if (servicePort !== port || service.isPublic === true) continue
    const places = yield* Effect.orElseSucceed(lookUp(host), (): ReadonlyArray<string> => [])
    const isHere = places.some((place) => isOwnAddress(place, reserved.interfaces))
    const known = new Set(places.map(canonicalAddress))
    const address = addresses.find(
      (one) => known.has(canonicalAddress(one)) || (isHere && isOwnAddress(one, reserved.interfaces))
    )
    if (address !== undefined) return { service, address }
  }
  return undefined
})

/**
 * The addresses for a URL. A private address, or an address of this machine, is denied unless its exact `host:port` is
 * allowed. A service of this program can be allowed only by its own name. Under any other name, the URL is denied if it
 * leads to the address of the service.
 */
const addressesOf = Effect.fn("addressesOf")(function* (url: URL, listed: KnownTargets) {
  const { allowed } = listed
  const target = hostAndPort(url)
  const isListed = allowed.has(target)
  const denial = (why: string, permitted: string) => {
    const detail = `${why}; to permit it, list ${permitted} under fetchAllow in your user configuration`
    return fetchFailure(url, "permission_denied", detail)
  }
  const service = serviceNamed(target, listed)
  if (service !== undefined && !isListed) return yield* denial(`${target} is the ${service.what}`, service.target)
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const addresses = yield* Effect.mapError(lookUp(host), (reason) =>
    fetchFailure(url, "io_error", `the name ${host} cannot be resolved (${reason})`)
  )
  const reached = service === undefined ? yield* serviceAt(addresses, portOf(url), listed) : undefined
  if (reached !== undefined) {
    return yield* denial(`${reached.address}:${portOf(url)} is the ${reached.service.what}`, reached.service.target)
  }
  const why = isListed ? undefined : notPublic(addresses, listed.interfaces)
  if (why !== undefined) return yield* denial(why, target)
  return addresses
})

export interface FetchOptions extends WebOptions {
  /** The addresses of this machine. If absent, the addresses of its network interfaces. */
  readonly interfaces?: () => ReadonlyArray<string>
  /** The size limit of a decoded page in bytes. */
  readonly maxBytes?: number
}

export const maxRedirects = 5
export const defaultMaxBytes = 5_000_000
const defaultTimeout = Duration.seconds(defaultLimits.fetchSeconds)

const noHop = (): Effect.Effect<void> => Effect.void

/** How many pages are converted at the same time. Each conversion has its own thread. */
const readersAtOnce = 2

const toPage = Effect.fnUntraced(function* (url: URL, { body, contentType, status }: HttpAnswer) {
  if (status < 200 || status > 299) {
    const type = status === 404 || status === 410 ? "not_found" : "io_error"
    return yield* fetchFailure(url, type, `the server answered ${status}`)
  }
  const unreadable = Effect.mapError((detail: string) => fetchFailure(url, "parse_error", detail))
  const { isHtml, text } = yield* unreadable(Effect.fromResult(pageText(body, contentType)))
  const page: Page = { url: url.href, ...(isHtml ? yield* unreadable(readHtml(text, url.href)) : { text }) }
  return page
})

export const layerPublicWebNoDeps = (options: FetchOptions = {}) =>
  Layer.effect(
    WebFetch,
    Effect.gen(function* () {
      const dns = yield* Dns.Dns
      const allowed = new Set(options.allowed)
      const { interfaces = interfaceAddresses, services = [] } = options
      const reader = yield* Semaphore.make(readersAtOnce)
      const maxBytes = options.maxBytes ?? defaultMaxBytes
      const timeout = Duration.fromInputUnsafe(options.timeout ?? defaultTimeout)

      const dial = Effect.fnUntraced(function* (url: URL) {
        const addresses = yield* Effect.provideService(
          addressesOf(url, { allowed, services, interfaces: interfaces() }),
          Dns.Dns,
          dns
        )
        return yield* httpGet(url, addresses, maxBytes)
      })

      const tooSlow = (url: URL) =>
        fetchFailure(
          url,
          "timeout",
          `there was no complete answer within ${Duration.format(timeout)} (limits.fetchSeconds)`
        )

      const get = Effect.fn("WebFetch.get")(function* <E = never, R = never>(
        text: string,
        authorizeHop: (url: string) => Effect.Effect<void, E, R> = noHop
      ) {
        let url = yield* parseTarget(text)
        let remaining = timeout
        for (let redirects = 0; ; redirects++) {
          const orElse = () => Effect.fail(tooSlow(url))
          const hop = Effect.timeoutOrElse(dial(url), { duration: remaining, orElse })
          const [elapsed, answer] = yield* Effect.timed(hop)
          if (answer.location === "") return yield* reader.withPermits(1)(toPage(url, answer))
          if (redirects === maxRedirects) {
            return yield* fetchFailure(url, "io_error", `it redirects more than ${maxRedirects} times`)
          }
          remaining = Duration.subtract(remaining, elapsed)
          url = yield* parseTarget(answer.location, url)
          yield* authorizeHop(url.href)
        }
      })

      return WebFetch.of({ get })
    })
  )

export const layerPublicWeb = (options: FetchOptions = {}) =>
  layerPublicWebNoDeps(options).pipe(Layer.provide(NodeDns.layer))
