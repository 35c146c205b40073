/**
 * Changes of files are taken back in the order of the runs that made them, and are patches, whatever the files hold.
 */
import { describe, expect } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { type KeptChanges, patchOf, shownChanges, undoChanges } from "../../../src/services/history/RunChanges.ts"
import { fileChanges } from "../../../src/domain/history/FileChanges.ts"
import { decodeFile } from "../../../src/domain/text/TextEncoding.ts"
import { replaceFile } from "../../../src/services/files/AtomicWrite.ts"
import { versionsInMemory } from "../../../src/services/files/FileVersions.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { needs } from "../../support/needs.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { makeFolder } from "../../support/Project.ts"

/** Writes files as a run does, and gives its changes. */
const runThat = (root: string, ...writes: ReadonlyArray<readonly [name: string, text: string]>) =>
  Effect.gen(function* () {
    const versions = yield* versionsInMemory
    for (const [name, text] of writes) {
      const path = join(root, name)
      const before = decodeFile(readFileSync(path))
      const hash = before._tag === "Success" ? textHash(before.success.text) : null
      yield* versions.keep({ path, before: hash, after: textHash(text) }, text)
      yield* replaceFile(path, text)
    }
    return { what: "The run", root, changes: fileChanges(versions.changes()), versions } satisfies KeptChanges
  })

const makeRoot = Effect.map(makeFolder, (folder) => {
  const at = (name: string) => join(folder, name)
  writeFileSync(at("a.txt"), "0\n")
  return { at, folder, textOf: () => readFileSync(at("a.txt"), "utf8") }
})

describe("changes of files", () => {
  nodeTest("of two runs are undone in their order, and out of it they are refused with the difference", function* () {
    const { folder, textOf } = yield* makeRoot
    const first = yield* runThat(folder, ["a.txt", "1\n"])
    const second = yield* runThat(folder, ["a.txt", "2\n"])
    const refused = yield* Effect.flip(undoChanges(first, {}))
    expect(refused._tag === "UndoRefused" && refused.refused).toMatchObject([
      { path: "a.txt", why: "it was changed since", diff: expect.stringContaining("-1\n+2") }
    ])
    expect(textOf()).toBe("2\n")
    expect(yield* undoChanges(second, {})).toEqual(["a.txt"])
    expect(yield* undoChanges(first, {})).toEqual(["a.txt"])
    expect(textOf()).toBe("0\n")
    expect((yield* Effect.flip(undoChanges(second, { redo: true })))._tag).toBe("UndoRefused")
    yield* undoChanges(first, { redo: true })
    yield* undoChanges(second, { redo: true })
    expect(textOf()).toBe("2\n")
  })

  nodeTest("of a file that somebody else changed in between are undone to what was there then", function* () {
    const { at, folder, textOf } = yield* makeRoot
    const versions = yield* versionsInMemory
    for (const text of ["1\n", "2\n"]) {
      const before = textHash(textOf())
      yield* versions.keep({ path: at("a.txt"), before, after: textHash(text) }, text)
      writeFileSync(at("a.txt"), text)
      if (text === "1\n") writeFileSync(at("a.txt"), "own\n")
    }
    const kept = { what: "The run", root: folder, changes: fileChanges(versions.changes()), versions }
    yield* undoChanges(kept, {})
    expect(textOf()).toBe("own\n")
  })

  const image = Buffer.from(Array.from({ length: 700 }, (_, index) => (index * 37) % 256))
  const crlf = "\uFEFFgrün\r\n"
  const kinds: ReadonlyArray<readonly [name: string, before: Buffer, text: string, after: Buffer]> = [
    ["no text", image, "now a text\n", Buffer.from("now a text\n")],
    ["Latin-1", Buffer.from("größe\nold\n", "latin1"), "größe\nnew\n", Buffer.from("größe\nnew\n", "latin1")],
    ["UTF-16", Buffer.from(`${crlf}old\r\n`, "utf16le"), "grün\r\nnew\r\n", Buffer.from(`${crlf}new\r\n`, "utf16le")]
  ]
  for (const [name, before, text, after] of kinds) {
    nodeTest(
      `of a file in ${name} keep its encoding, are patches that git takes both ways, undone and made again`,
      function* () {
        const { at, folder } = yield* makeRoot
        const copy = at("copy")
        mkdirSync(copy)
        for (const place of [folder, copy]) writeFileSync(join(place, "b.txt"), before)
        const kept = yield* runThat(folder, ["b.txt", text])
        expect(readFileSync(at("b.txt"))).toEqual(after)
        const changes = yield* shownChanges(kept)
        expect(changes).toMatchObject([{ path: "b.txt", state: "made", ...(before === image ? { binary: true } : {}) }])
        const git = (...words: ReadonlyArray<string>) =>
          execFileSync("git", ["apply", ...words, "-"], { cwd: copy, input: `${patchOf(changes)}\n`, encoding: "utf8" })
        if (before === image) expect(git("--numstat")).toBe("-\t-\tb.txt\n")
        git()
        expect(readFileSync(join(copy, "b.txt"))).toEqual(after)
        git("-R")
        expect(readFileSync(join(copy, "b.txt"))).toEqual(before)
        yield* undoChanges(kept, {})
        expect(readFileSync(at("b.txt"))).toEqual(before)
        yield* undoChanges(kept, { redo: true })
        expect(readFileSync(at("b.txt"))).toEqual(after)
      },
      needs("git")
    )
  }

  nodeTest("are not made again where the file is another one now", function* () {
    const { at, folder } = yield* makeRoot
    const kept = yield* runThat(folder, ["a.txt", "1\n"])
    yield* undoChanges(kept, {})
    writeFileSync(at("a.txt"), Buffer.from([0, 1, 2]))
    expect((yield* Effect.flip(undoChanges(kept, { redo: true })))._tag).toBe("UndoRefused")
  })
})
