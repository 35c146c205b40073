/** Fetches web pages as text. A plugin implements this service. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { ToolErrorType } from "../../domain/tools/ToolCall.ts"

/** A page as text; HTML becomes markdown. `url` is the final URL after redirects. */
export interface Page {
  readonly url: string
  readonly title?: string
  readonly text: string
}

/** Says that a page cannot be fetched. `type` is the error type of a tool. `detail` is the reason. */
export class FetchFailure extends Schema.TaggedError<FetchFailure>()("FetchFailure", {
  url: Schema.String,
  type: ToolErrorType,
  detail: Schema.String
}) {
  override get message(): string {
    return `Cannot fetch ${this.url}: ${this.detail}.`
  }
}

/** The failure for a URL. It names the URL without its user name and password. */
export const fetchFailure = (url: URL, type: ToolErrorType, detail: string): FetchFailure => {
  const shownUrl = new URL(url)
  shownUrl.username = ""
  shownUrl.password = ""
  return new FetchFailure({ url: shownUrl.href, type, detail })
}

/** Parses an http or https URL without a user name or password. A relative URL needs `base`. */
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
     * Returns the text of a page that the caller has authorised, without cookies or credentials. `authorizeHop` runs
     * before each redirect, and ends the fetch if it fails.
     */
    get<E = never, R = never>(
      url: string,
      authorizeHop?: (url: string) => Effect.Effect<void, E, R>
    ): Effect.Effect<Page, FetchFailure | E, R>
  }
>()("task-conductor/services/tools/WebFetch") {
  /** The service for a program in which no plugin fetches pages. Every fetch fails. */
  static readonly layerNone = Layer.succeed(this)({
    get: (url) =>
      Effect.flatMap(parseTarget(url), (target) =>
        Effect.fail(fetchFailure(target, "io_error", "no plugin of this program fetches pages"))
      )
  })
}

/** A server to which this program itself connects. */
export interface OwnService {
  /** The `host:port` to which this program connects. */
  readonly target: string
  /** What the server is, as the end of a sentence after "is the". */
  readonly what: string
  /**
   * True for a server on the internet, whose address other sites may share. The server is then recognised only by its
   * name.
   */
  readonly isPublic?: boolean
}

/** Which pages may be fetched, and the time limit. */
export interface WebOptions {
  /** Private addresses that may be fetched, as the exact `host:port` of the URL, with brackets around IPv6. */
  readonly allowed?: ReadonlyArray<string>
  /**
   * Servers to which this program itself connects. One of them may be fetched only if `allowed` contains its exact
   * `target`, and only under the name in `target`.
   */
  readonly services?: ReadonlyArray<OwnService>
  /** The time limit for a page with all redirects, without the time for authorisation. */
  readonly timeout?: Duration.Input
}

/** Creates the service that fetches pages. */
export type LayerWeb = (options: WebOptions) => Layer.Layer<WebFetch>
