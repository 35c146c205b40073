import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { decodeText } from "../../../src/domain/text/TextEncoding.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"))

describe("decodeText", () => {
  it("reads UTF-8 and drops the byte order mark", () => {
    expect(decodeText(encode("\uFEFFgrün\r\n"))).toEqual(Result.succeed("grün\r\n"))
    expect(decodeText(new Uint8Array())).toEqual(Result.succeed(""))
  })

  it("tells what the bytes are instead", () => {
    const utf16Failure = Result.fail("it looks like UTF-16; convert it to UTF-8")
    expect(decodeText(utf16("\uFEFFabc"))).toEqual(utf16Failure)
    expect(decodeText(utf16("without a mark"))).toEqual(utf16Failure)
    expect(decodeText(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]))).toEqual(Result.fail("it is binary"))
    expect(decodeText(new Uint8Array([1, 2, 0xff]))).toEqual(Result.fail("it is binary"))
    expect(decodeText(new Uint8Array([0x63, 0x61, 0x66, 0xe9]))).toEqual(
      Result.fail("it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8")
    )
  })

  it("does not take cut UTF-8 for text", () => {
    expect(Result.isFailure(decodeText(encode("grü").subarray(0, 3)))).toBe(true)
  })
})
