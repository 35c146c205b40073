/**
 * The text of a page as a server sends it: bytes and a content type become text for a prompt, or a word about why not.
 */
import * as Result from "effect/Result"
import { htmlText } from "./HtmlText.ts"
import { decodeText } from "./TextEncoding.ts"

const textTypes =
  /^(?:text\/.*|application\/(?:json|ld\+json|x-ndjson|xml|javascript|ecmascript|typescript|yaml|x-yaml|toml|x-sh|sql)|.*\+(?:json|xml|yaml))$/

const isHtml = (type: string): boolean => type === "text/html" || type === "application/xhtml+xml"

const charsetOf = (contentType: string): string | undefined => /;\s*charset="?([\w.:-]+)"?/.exec(contentType)?.[1]

/** The character set an HTML page names in its own first bytes. */
const declaredCharset = (bytes: Uint8Array): string | undefined =>
  /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(new TextDecoder("latin1").decode(bytes.subarray(0, 1024)))?.[1]

const decodeAs = (bytes: Uint8Array, charset: string): Result.Result<string, string> => {
  try {
    return Result.succeed(new TextDecoder(charset).decode(bytes))
  } catch {
    return Result.fail(`its character set ${charset} is unknown`)
  }
}

const decodePage = (bytes: Uint8Array, contentType: string, html: boolean): Result.Result<string, string> => {
  const charset = charsetOf(contentType) ?? (html ? declaredCharset(bytes) : undefined)
  if (charset !== undefined) return decodeAs(bytes, charset)
  return contentType === "" ? decodeText(bytes) : decodeAs(bytes, "utf-8")
}

/**
 * Text of a page; HTML as readable text. `contentType` is lower case. Fails, worded to follow "because", for types that
 * are no text, unknown character sets and binary content.
 */
export const pageText = (bytes: Uint8Array, contentType: string): Result.Result<string, string> => {
  const type = (contentType.split(";")[0] ?? "").trim()
  if (type !== "" && !textTypes.test(type)) return Result.fail(`it is no text but ${type}`)
  return Result.flatMap(decodePage(bytes, contentType, isHtml(type)), (text) => {
    if (text.includes("\0")) return Result.fail("it is binary")
    return Result.succeed(isHtml(type) ? htmlText(text) : text)
  })
}
