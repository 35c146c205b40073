import { assert, describe, it } from "@effect/vitest"
import { nearest } from "../../../src/domain/text/Nearest.ts"

describe("nearest", () => {
  it("names the closest words first", () => {
    assert.deepStrictEqual(nearest("reed_file", ["write_file", "get_file_tree", "read_file"]), [
      "read_file",
      "write_file",
      "get_file_tree"
    ])
  })

  it("does not care about letter case", () => {
    assert.deepStrictEqual(nearest("READ", ["read"]), ["read"])
  })

  it("names at most three words", () => {
    assert.deepStrictEqual(nearest("a", ["ab", "ac", "ad", "ae"]), ["ab", "ac", "ad"])
  })

  it("names a word once that stands there twice", () => {
    assert.deepStrictEqual(nearest("read", ["reads", "reads"]), ["reads"])
  })

  it("names nothing when nothing is shared", () => {
    assert.deepStrictEqual(nearest("zzz", ["read", "write"]), [])
  })
})
