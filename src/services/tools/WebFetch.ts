/** What the core needs of the web: pages as text. A plugin provides it. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ToolErrorType } from "../../domain/tools/ToolCall.ts"

/** A page as text; HTML as markdown. `url` is the final one, after redirects. */
export interface Page {
  readonly url: string
  readonly title?: string
  readonly text: string
}

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
  const shownUrl = new URL(url)
  shownUrl.username = ""
  shownUrl.password = ""
  return new FetchFailure({ url: shownUrl.href, type, detail })
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
>()("task-conductor/services/tools/WebFetch") {
  /** Without a plugin that fetches pages. */
  static readonly layerNone = Layer.succeed(this)({
    get: (url) =>
      Effect.flatMap(parseTarget(url), (target) =>
        Effect.fail(fetchFailure(target, "io_error", "no plugin of this program fetches pages"))
      )
  })
}

/** A server that this program connects to itself. */
export interface OwnService {
  /** `host:port`, as this program connects to it. */
  readonly target: string
  /** What it is, after "is the". */
  readonly what: string
  /** Known by its name alone, since its address may be shared with pages of others. */
  readonly isPublic?: boolean
}

/** Which pages may be fetched, and how long one may take. */
export interface WebOptions {
  /** Private addresses that may be fetched, each exactly as `host:port` of the URL; brackets around IPv6. */
  readonly allowed?: ReadonlyArray<string>
  /** What this program itself uses: denied under every name, unless `allowed` lists exactly its own `host:port`. */
  readonly services?: ReadonlyArray<OwnService>
  /** The most time for all hops together, without the time to authorize them. */
  readonly timeout?: Duration.Input
}

/** Makes what fetches pages. */
export type LayerWeb = (options: WebOptions) => Layer.Layer<WebFetch>
