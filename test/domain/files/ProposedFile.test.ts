import { describe, expect, it } from "@effect/vitest"
import type { FileEntry } from "../../../src/domain/files/FileEntry.ts"
import { gitMode, kindOfMode, modeAs } from "../../../src/domain/files/FileKind.ts"
import { besideText, changesFile, isOpaque } from "../../../src/domain/files/ProposedFile.ts"

const picture: FileEntry = { path: "/p/a.png", is: "file", state: "1", size: 3, isText: false }
const path = "/p/b"

describe("a proposal", () => {
  it("changes a file when its text, its kind or its bytes are others", () => {
    const changes = [
      { path, base: "a", text: "b" },
      { path, base: null, text: "" },
      { path, base: "a", text: null },
      { path, base: null, text: null, holds: picture },
      { path, base: "a", text: "a", kind: "executable" as const },
      { path, base: "a", text: "a", from: picture },
      { path, base: "a", text: "a", holds: picture }
    ]
    expect(changes.filter((one) => !changesFile(one))).toEqual([])
    const others = [
      { path, base: "a", text: "a" },
      { path, base: null, text: null }
    ]
    expect(others.filter(changesFile)).toEqual([])
  })

  it("has no text of its own when bytes are moved there", () => {
    expect(isOpaque({ path, base: null, text: "", from: picture })).toBe(true)
    expect(isOpaque({ path, base: null, text: null, from: picture })).toBe(false)
    expect(isOpaque({ path, base: null, text: "a", kind: "link", from: picture })).toBe(false)
    expect(isOpaque({ path, base: null, text: "a", from: { ...picture, isText: true } })).toBe(false)
    expect(isOpaque({ path, base: null, text: "a" })).toBe(false)
  })

  it("says beside its text only what there is", () => {
    expect(besideText({ folder: undefined, from: undefined, holds: undefined, kind: undefined })).toEqual({})
    const all = { folder: "/p", from: picture, holds: picture, kind: "plain" as const }
    expect(besideText(all)).toEqual(all)
  })
})

it("the kind of a file is told by its mode, in which only its owner counts", () => {
  const kinds = [0o100644, 0o100755, 0o100744, 0o100611, 0o120777].map(kindOfMode)
  expect(kinds).toEqual(["plain", "executable", "executable", "plain", "link"])
})

it("the kind of a file lets those execute a file who may read it, or nobody", () => {
  expect([0o644, 0o640, 0o600].map((mode) => modeAs("executable", mode))).toEqual([0o755, 0o750, 0o700])
  expect([0o755, 0o711].map((mode) => modeAs("plain", mode))).toEqual([0o644, 0o600])
  expect(gitMode).toEqual({ plain: "100644", executable: "100755", link: "120000" })
})
