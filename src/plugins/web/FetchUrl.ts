/** The tool `fetch_url`: returns a web page as markdown, a long one in parts. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PageFetch, tool, ToolFailure } from "../../plugin-kit.ts"

/**
 * The default length of a part in characters, about 3,000 tokens. Two parts fit into a context window of 8192 tokens.
 */
const defaultCharacters = 12_000
const mostCharacters = 60_000

const Parameters = Schema.Struct({
  url: Schema.NonEmptyString.annotate({ description: "The complete URL, http or https." }),
  start: Schema.optionalKey(
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).annotate({
      description: "The character to begin with, to read on. Default: 0."
    })
  ),
  max_characters: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostCharacters })).annotate({
      description: `The most characters to return. Default: ${defaultCharacters}.`
    })
  )
})
type Parameters = typeof Parameters.Type

/** Where a part ends: at a line end, or else between words, but never within a surrogate pair. */
const endOfPart = (text: string, start: number, limit: number): number => {
  if (text.length - start <= limit) return text.length
  const part = text.slice(start, start + limit)
  const end = [part.lastIndexOf("\n"), part.lastIndexOf(" ")].find((at) => at > limit / 2)
  if (end !== undefined) return start + end + 1
  return start + limit - (/[\uD800-\uDBFF]$/.test(part) && limit > 1 ? 1 : 0)
}

/** The requested part of the text, with a note about the rest. */
const partOf = (text: string, { max_characters = defaultCharacters, start = 0 }: Parameters) => {
  if (start > 0 && start >= text.length) {
    const message = `The text of the page has ${text.length} characters; none begins at ${start}.`
    return Effect.fail(new ToolFailure({ type: "validation_failed", message }))
  }
  const end = endOfPart(text, start, max_characters)
  const part = text.slice(start, end).trimEnd()
  if (start === 0 && end === text.length) return Effect.succeed(part)
  const more = end === text.length ? "This is the end" : `Read on with start ${end}`
  return Effect.succeed(`${part}\n\n(Characters ${start} to ${end} of ${text.length}. ${more}.)`)
}

/** The tool `fetch_url`. `seconds` is the time limit for a page. */
export const fetchUrl = (seconds: number) =>
  tool({
    description: `Fetches a public web page and returns its address, title and main content as markdown, or other text as it is. Says how to read on when it is long.`,
    parameters: Parameters,
    risk: "medium",
    effect: "pure",
    example: { url: "https://example.com/docs/install" },
    errors: {
      validation_failed: "The URL is invalid, or `start` lies after the end of the text.",
      permission_denied: "The user or a rule denied it, or the address is not on the public internet.",
      not_found: "The server has no such page.",
      io_error: "The name, the connection or the server failed, or there were more than five redirects.",
      parse_error: "The page is not text: an image, an archive, an unknown character set.",
      timeout: `There was no complete answer within ${seconds} seconds (\`limits.fetchSeconds\`).`,
      output_limit: "The page is larger than 5 MB."
    },
    access: ({ url }) => [{ _tag: "FetchUrl", url }],
    execute: Effect.fnUntraced(function* (params: Parameters, { granted: [granted] }) {
      if (granted?._tag !== "FetchUrl") return yield* Effect.die("fetch_url got no page to fetch")
      const { text, ...page } = yield* (yield* PageFetch).get(granted.url)
      return { ...page, text: yield* partOf(text, params) }
    })
  })
