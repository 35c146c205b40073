/**
 * Decodes the bytes of a page by its content type.
 */
import * as Result from "effect/Result"
import { decodeText } from "../../kit/text.ts"

/** The decoded text of a page. If it is HTML, it is not converted here. */
export interface PageText {
  readonly text: string
  readonly isHtml: boolean
}

const textTypes =
  /^(?:text\/.*|application\/(?:json|ld\+json|x-ndjson|xml|xhtml\+xml|javascript|ecmascript|typescript|yaml|x-yaml|toml|x-sh|sql)|.*\+(?:json|xml|yaml))$/
const htmlTypes: ReadonlySet<string> = new Set(["text/html", "application/xhtml+xml"])
/** Content types that do not say what the content is. */
const unknownTypes: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream"])

const charsetOf = (contentType: string): string | undefined => /;\s*charset\s*=\s*"?([\w.:-]+)/.exec(contentType)?.[1]

const startsWith = (bytes: Uint8Array, mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, index) => bytes[index] === byte)

/** Byte order marks. They take precedence over the charset in the header. */
const marks: ReadonlyArray<readonly [charset: string, mark: ReadonlyArray<number>]> = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]]
]
const markedCharset = (bytes: Uint8Array): string | undefined => marks.find(([, mark]) => startsWith(bytes, mark))?.[0]

/** The first bytes of common binary files. */
const signatures: ReadonlyArray<readonly [name: string, signature: ReadonlyArray<number>]> = [
  ["a PDF", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["a PNG image", [0x89, 0x50, 0x4e, 0x47]],
  ["a JPEG image", [0xff, 0xd8, 0xff]],
  ["a GIF image", [0x47, 0x49, 0x46, 0x38]],
  ["a ZIP archive", [0x50, 0x4b, 0x03, 0x04]],
  ["a gzip archive", [0x1f, 0x8b]]
]
const kindOf = (bytes: Uint8Array): string | undefined =>
  signatures.find(([, signature]) => startsWith(bytes, signature))?.[0]

/**
 * The charset that HTML declares in its first bytes. The bytes are read as Latin-1. A declaration that can be read in
 * this way proves that the page is not UTF-16, whatever the declaration says.
 */
const declaredCharset = (bytes: Uint8Array): string | undefined => {
  const beginning = new TextDecoder("latin1").decode(bytes.subarray(0, 1024))
  const charset = /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(beginning)?.[1]
  return charset !== undefined && /^utf-16/i.test(charset) ? "utf-8" : charset
}

const decodeAs = (bytes: Uint8Array, charset: string): Result.Result<string, string> => {
  try {
    return Result.succeed(new TextDecoder(charset).decode(bytes))
  } catch {
    return Result.fail(`unknown character set ${charset}`)
  }
}

const looksLikeHtml = (text: string): boolean =>
  /^\s*(?:<!--[^]{0,500}?-->\s*)?<(?:!doctype\s+html|html)[\s>]/i.test(text)

/**
 * Decodes a page. `contentType` is in lower case. The byte order mark, the header or the page names the charset, in
 * this order of precedence. Otherwise, the charset is UTF-8. Fails with the reason if the page is not text, or if the
 * charset is unknown.
 */
export const pageText = (bytes: Uint8Array, contentType: string): Result.Result<PageText, string> => {
  const type = (contentType.split(";")[0] ?? "").trim()
  const isUnknown = unknownTypes.has(type)
  if (!isUnknown && !textTypes.test(type)) return Result.fail(`unsupported content type ${type}`)
  const kind = kindOf(bytes)
  if (kind !== undefined) return Result.fail(`unsupported content: ${kind}`)
  const isHtml = htmlTypes.has(type)
  const charset = markedCharset(bytes) ?? charsetOf(contentType) ?? (isHtml ? declaredCharset(bytes) : undefined)
  const decoded = isUnknown && charset === undefined ? decodeText(bytes) : decodeAs(bytes, charset ?? "utf-8")
  return Result.flatMap(decoded, (text) =>
    text.includes("\0")
      ? Result.fail("it is binary")
      : Result.succeed({ text, isHtml: isHtml || (isUnknown && looksLikeHtml(text)) })
  )
}
