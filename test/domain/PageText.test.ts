import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { pageText } from "../../src/domain/PageText.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("pageText", () => {
  it("takes text, JSON, XML and kin, and nothing else", () => {
    const types = ["text/css", "application/json", "application/ld+json", "image/svg+xml", "application/yaml; q=1"]
    expect(types.map((type) => pageText(bytes("a"), type))).toEqual(types.map(() => Result.succeed("a")))
    expect(
      ["application/pdf", "image/png", "application/octet-stream"].map((type) => pageText(bytes("a"), type))
    ).toEqual([
      Result.fail("it is no text but application/pdf"),
      Result.fail("it is no text but image/png"),
      Result.fail("it is no text but application/octet-stream")
    ])
  })

  it("believes the character set of the header before that of the page", () => {
    const page = Buffer.from('<meta charset="windows-1252"><p>\xe9</p>', "latin1")
    expect(pageText(page, "text/html")).toEqual(Result.succeed("é"))
    expect(pageText(page, "text/html; charset=utf-8")).toEqual(Result.succeed("\uFFFD"))
  })

  it("requires UTF-8 where nobody names a type", () => {
    expect(pageText(bytes("grün"), "")).toEqual(Result.succeed("grün"))
    expect(pageText(new Uint8Array([1, 2, 0xff]), "")).toEqual(Result.fail("it is binary"))
  })
})
