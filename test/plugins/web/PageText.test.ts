import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { pageText } from "../../../src/plugins/web/PageText.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const text = (decoded: string, isHtml = false) => Result.succeed({ text: decoded, isHtml })

describe("pageText", () => {
  it("takes text, JSON, XML and kin, and nothing else", () => {
    const types = ["text/css", "application/json", "application/ld+json", "image/svg+xml", "application/yaml; q=1"]
    expect(types.map((type) => pageText(bytes("a"), type))).toEqual(types.map(() => text("a")))
    expect(["application/pdf", "image/png", "video/mp4"].map((type) => pageText(bytes("a"), type))).toEqual([
      Result.fail("unsupported content type application/pdf"),
      Result.fail("unsupported content type image/png"),
      Result.fail("unsupported content type video/mp4")
    ])
  })

  it("knows HTML by its type, or by its beginning when there is no type", () => {
    expect(pageText(bytes("a"), "text/html; charset=utf-8")).toEqual(text("a", true))
    expect(pageText(bytes("a"), "application/xhtml+xml")).toEqual(text("a", true))
    expect(pageText(bytes("<!-- x --> <!DOCTYPE html>"), "")).toEqual(text("<!-- x --> <!DOCTYPE html>", true))
    expect(pageText(bytes("<html lang=en>"), "application/octet-stream")).toEqual(text("<html lang=en>", true))
    expect(pageText(bytes("<html lang=en>"), "text/plain")).toEqual(text("<html lang=en>"))
  })

  it("believes the byte order mark before the header, and the header before the page", () => {
    const page = Buffer.from('<meta charset="windows-1252"><p>\xe9</p>', "latin1")
    const decoded = (contentType: string) =>
      Result.map(pageText(page, contentType), (found) => found.text.slice(-5, -4))
    expect(decoded("text/html")).toEqual(Result.succeed("é"))
    expect(decoded("text/html; charset=utf-8")).toEqual(Result.succeed("\uFFFD"))
    expect(decoded('text/html; charset = "iso-8859-1"')).toEqual(Result.succeed("é"))
    /* ASCII that names UTF-16 is UTF-8. */
    const wide = '<meta charset="utf-16"><p>ü'
    expect(pageText(bytes(wide), "text/html")).toEqual(text(wide, true))
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("grün", "utf16le")])
    expect(pageText(marked, "text/plain; charset=utf-8")).toEqual(text("grün"))
    expect(pageText(Buffer.from("\uFEFFgrün"), "text/plain; charset=latin1")).toEqual(text("grün"))
  })

  it("says what a file is that no type or a wrong type was given for, and requires UTF-8 then", () => {
    expect(pageText(bytes("%PDF-1.7"), "application/octet-stream")).toEqual(Result.fail("unsupported content: a PDF"))
    const zip = Result.fail("unsupported content: a ZIP archive")
    expect(pageText(Buffer.of(0x50, 0x4b, 3, 4), "text/plain")).toEqual(zip)
    expect(pageText(bytes("a\0b"), "text/plain")).toEqual(Result.fail("it is binary"))
    expect(pageText(bytes("grün"), "")).toEqual(text("grün"))
    expect(pageText(Buffer.of(1, 2, 0xff), "")).toEqual(Result.fail("it is binary"))
  })
})
