import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readGitIndex } from "../../../src/domain/files/GitIndex.ts"

const regular = 0o100644
const submodule = 0o160000
const folder = 0o040000

interface Given {
  readonly name: string
  readonly mode?: number
  /** Whether the entry has the second flags of version 3. */
  readonly isExtended?: boolean
}

/** An entry as versions 2 and 3 write it: padded to a multiple of eight with one to eight zeros. */
const entry = ({ isExtended = false, mode = regular, name }: Given, hashBytes = 20): Buffer => {
  const text = Buffer.from(name)
  const head = Buffer.alloc(40 + hashBytes + (isExtended ? 4 : 2))
  head.writeUInt32BE(mode, 24)
  head.writeUInt16BE(Math.min(text.length, 0xfff) | (isExtended ? 0x4000 : 0), 40 + hashBytes)
  const size = head.length + text.length
  return Buffer.concat([head, text, Buffer.alloc(8 - (size % 8))])
}

/** An entry of version 4: how much of the name before is cut off, as a number of one or several bytes, and what follows. */
const short = (cut: ReadonlyArray<number>, rest: string): Buffer => {
  const head = Buffer.alloc(62)
  head.writeUInt32BE(regular, 24)
  return Buffer.concat([head, Buffer.from(cut), Buffer.from(rest), Buffer.of(0)])
}

const index = (version: number, entries: ReadonlyArray<Buffer>, ...behind: ReadonlyArray<Buffer>): Buffer => {
  const head = Buffer.from("DIRC\0\0\0\0\0\0\0\0")
  head.writeUInt32BE(version, 4)
  head.writeUInt32BE(entries.length, 8)
  return Buffer.concat([head, ...entries, ...behind, Buffer.alloc(20)])
}

/** The index of entries with these names and modes. */
const indexOf = (version: number, all: ReadonlyArray<Given>): Buffer =>
  index(
    version,
    all.map((one) => entry(one))
  )
const named = (names: ReadonlyArray<string>): ReadonlyArray<Given> => names.map((name) => ({ name }))

const extension = (name: string, content: Buffer): Buffer => {
  const head = Buffer.from(`${name}\0\0\0\0`)
  head.writeUInt32BE(content.length, 4)
  return Buffer.concat([head, content])
}

const filesOf = (bytes: Uint8Array, hashBytes?: number) => Result.getOrThrow(readGitIndex(bytes, hashBytes)).files
const faultOf = (bytes: Uint8Array) => Result.getOrThrow(Result.flip(readGitIndex(bytes)))

const shared = (...behind: ReadonlyArray<Buffer>) =>
  Result.getOrThrow(readGitIndex(index(2, [entry({ name: "a" })], ...behind))).sharedIndex

describe("the index of a repository", () => {
  it("names files, whatever the length of their names and the hash", () => {
    const names = Array.from({ length: 17 }, (_, at) => `${"n".repeat(at + 1)}.ts`)
    for (const version of [2, 3]) expect(filesOf(indexOf(version, named(names)))).toEqual(names)
    const longer = names.map((name) => entry({ name }, 32))
    expect(filesOf(index(2, longer, Buffer.alloc(12)), 32)).toEqual(names)
    expect(filesOf(index(2, []))).toEqual([])
  })

  it("tells the ends of long names by the zero behind them", () => {
    const names = [0xffe, 0xfff, 0x1000].map((length) => "é".repeat(length / 2) + "n".repeat(length % 2))
    expect(filesOf(indexOf(2, named([...names, "last"])))).toEqual([...names, "last"])
  })

  it("has more flags for some entries of version 3", () => {
    expect(filesOf(indexOf(3, [{ name: "a", isExtended: true }, { name: "b" }]))).toEqual(["a", "b"])
  })

  it("shortens names in version 4 by what they share with the one before", () => {
    const long = "x".repeat(200)
    const entries = [short([0], "src/a.ts"), short([4], "b.ts"), short([0], long), short([0x80, 72], "z")]
    // The two bytes stand for (0 + 1) * 128 + 72.
    expect(filesOf(index(4, entries))).toEqual(["src/a.ts", "src/b.ts", `src/b.ts${long}`, `src/b.tsz`])
    expect(faultOf(index(4, [short([1], "a")]))).toBe("it ends in the middle of an entry")
    expect(filesOf(index(4, [short([0], "a"), short([1], "b")]))).toEqual(["a", "b"])
  })

  it("tells submodules, and leaves out folders and entries without a name", () => {
    const given = [{ name: "" }, { name: "dir/", mode: folder }, { name: "sub", mode: submodule }, { name: "a" }]
    expect(Result.getOrThrow(readGitIndex(indexOf(2, given)))).toEqual({ files: ["a"], submodules: ["sub"] })
  })

  it("names the index that it shares, behind other extensions", () => {
    const hash = Buffer.from("0123456789abcdef0123456789abcdef01234567", "hex")
    expect(shared(extension("TREE", Buffer.from("abc")), extension("link", hash))).toBe(
      `sharedindex.${hash.toString("hex")}`
    )
    expect(shared(extension("link", Buffer.alloc(20)))).toBeUndefined()
    expect(shared(extension("TREE", Buffer.from("abc")))).toBeUndefined()
    expect(shared()).toBeUndefined()
  })

  it("is refused when it is no index, of another version, or cut", () => {
    const whole = index(2, [entry({ name: "a.ts" })])
    expect([Buffer.alloc(0), Buffer.from("DIRX\0\0\0\u0002\0\0\0\0"), whole.subarray(0, 11)].map(faultOf)).toEqual(
      Array.from({ length: 3 }, () => "it is no index")
    )
    expect([1, 5].map((version) => faultOf(index(version, [])))).toEqual(["its version is 1", "its version is 5"])
    for (const end of [13, 70, 73, 77])
      expect(faultOf(whole.subarray(0, end))).toBe("it ends in the middle of an entry")
  })
})
