/**
 * Fetches public pages as text. Every redirect is checked like the first URL; permission for it is the task of the caller.
 */
import * as NodeDns from "@effect/platform-node/NodeDns"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Dns from "effect/net/Dns"
import * as Semaphore from "effect/Semaphore"
import { pageText } from "../../domain/web/PageText.ts"
import { addressesOf, type FetchFailure, fetchFailure, parseTarget } from "./FetchTarget.ts"
import type { HttpAnswer } from "./HttpGet.ts"
import { interfaceAddresses, type OwnService } from "./OwnServices.ts"

/** A page as text; HTML as markdown. `url` is the final one, after redirects. */
export interface Page {
  readonly url: string
  readonly title?: string
  readonly text: string
}

export interface FetchOptions {
  /** Private addresses that may be fetched, each exactly as `host:port` of the URL; brackets around IPv6. */
  readonly allowed?: ReadonlyArray<string>
  /** What this program itself uses: denied under every name, unless `allowed` lists exactly its own `host:port`. */
  readonly services?: ReadonlyArray<OwnService>
  /** The addresses of this machine; those of its network interfaces when absent. */
  readonly interfaces?: () => ReadonlyArray<string>
  /** The most bytes of a page, decoded. */
  readonly maxBytes?: number
  /** The most time for all hops together, without the time to authorize them. */
  readonly timeout?: Duration.Input
}

export const maxRedirects = 5
export const defaultMaxBytes = 5_000_000
const defaultTimeout: Duration.Input = "20 seconds"

const noHop = (): Effect.Effect<void> => Effect.void

/** Pages that are converted at the same time; each takes a thread. */
const readersAtOnce = 2

const toPage = Effect.fnUntraced(function* (url: URL, { body, contentType, status }: HttpAnswer) {
  if (status < 200 || status > 299) {
    const type = status === 404 || status === 410 ? "not_found" : "io_error"
    return yield* fetchFailure(url, type, `the server answered ${status}`)
  }
  const unreadable = Effect.mapError((detail: string) => fetchFailure(url, "parse_error", detail))
  const { isHtml, text } = yield* unreadable(Effect.fromResult(pageText(body, contentType)))
  const { readHtml } = yield* Effect.promise(() => import("./HtmlReader.ts"))
  const page: Page = { url: url.href, ...(isHtml ? yield* unreadable(readHtml(text, url.href)) : { text }) }
  return page
})

export class WebFetch extends Context.Service<
  WebFetch,
  {
    /**
     * The text of a page. The caller has authorized the URL itself; `authorizeHop` runs before every redirect is followed,
     * and its failure ends the fetch. Neither cookies nor credentials are sent.
     */
    get<E = never, R = never>(
      url: string,
      authorizeHop?: (url: string) => Effect.Effect<void, E, R>
    ): Effect.Effect<Page, FetchFailure | E, R>
  }
>()("task-conductor/services/web/WebFetch") {
  /** Resolves names with the given `Dns`. */
  static readonly layerNoDeps = (options: FetchOptions = {}) =>
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
          const { httpGet } = yield* Effect.promise(() => import("./HttpGet.ts"))
          return yield* Effect.mapError(httpGet(url, addresses, maxBytes), ({ detail, reason }) =>
            fetchFailure(url, reason === "too_large" ? "output_limit" : "io_error", detail)
          )
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
          let left = timeout
          for (let redirects = 0; ; redirects++) {
            const orElse = () => Effect.fail(tooSlow(url))
            const hop = Effect.timeoutOrElse(dial(url), { duration: left, orElse })
            const [taken, answer] = yield* Effect.timed(hop)
            if (answer.location === "") return yield* reader.withPermits(1)(toPage(url, answer))
            if (redirects === maxRedirects) {
              return yield* fetchFailure(url, "io_error", `it redirects more than ${maxRedirects} times`)
            }
            left = Duration.subtract(left, taken)
            url = yield* parseTarget(answer.location, url)
            yield* authorizeHop(url.href)
          }
        })

        return WebFetch.of({ get })
      })
    )

  /** Resolves names as the operating system does. */
  static readonly layer = (options: FetchOptions = {}) =>
    WebFetch.layerNoDeps(options).pipe(Layer.provide(NodeDns.layer))
}
