import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { mergeTexts } from "../../../src/domain/files/TextMerge.ts"
import { needs } from "../../support/needs.ts"

const base = "one\ntwo\nthree\nfour\nfive\n"

describe("mergeTexts", () => {
  it("takes what only one side changed, wherever the other one changed something", () => {
    expect(mergeTexts(base, base.replace("one", "ONE"), base.replace("five\n", ""))).toEqual({
      text: "ONE\ntwo\nthree\nfour\n",
      clashes: []
    })
    expect(mergeTexts(base, base, `zero\n${base}six`)).toEqual({ text: `zero\n${base}six`, clashes: [] })
  })

  it("takes a change once that both made", () => {
    const both = base.replace("two", "2")
    expect(mergeTexts(base, both, both.replace("five", "5"))).toEqual({ text: both.replace("five", "5"), clashes: [] })
  })

  it("names lines that both changed, and keeps those of the other side", () => {
    const mine = base.replace("two", "mine").replace("five", "5")
    expect(mergeTexts(base, mine, `zero\n${base.replace("two", "theirs")}`)).toEqual({
      text: "zero\none\ntheirs\nthree\nfour\n5\n",
      clashes: [{ line: 3, theirs: "theirs\n", base: "two\n", mine: "mine\n" }]
    })
  })

  it("takes two new files for a clash unless they are the same", () => {
    expect(mergeTexts("", "a\n", "a\n").clashes).toEqual([])
    expect(mergeTexts("", "a\n", "b\n").clashes).toEqual([{ line: 1, theirs: "b\n", base: "", mine: "a\n" }])
  })

  it("keeps line ends and a last line without one", () => {
    expect(mergeTexts("a\r\nb\r\nc", "a\r\nb\r\nC", "A\r\nb\r\nc").text).toBe("A\r\nb\r\nC")
  })

  it("comes to what git comes to", needs("git"), () => {
    const folder = mkdtempSync(path.join(tmpdir(), "task-conductor-merge-"))
    let seed = 7
    const below = (limit: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % limit
    }
    const change = (lines: ReadonlyArray<string>, word: string): string => {
      const changed = [...lines]
      for (let count = below(3); count >= 0; count -= 1) {
        const at = below(changed.length)
        const kind = below(3)
        changed.splice(at, kind === 0 ? 0 : 1, ...(kind === 1 ? [] : [`${word} ${count}\n`]))
      }
      return changed.join("")
    }
    const byGit = (mine: string, old: string, theirs: string): string | undefined => {
      const names = [mine, old, theirs].map((text, index) => {
        const name = path.join(folder, String(index))
        writeFileSync(name, text)
        return name
      })
      try {
        return execFileSync("git", ["merge-file", "-p", ...names], {
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"]
        })
      } catch {
        return undefined
      }
    }
    const merges = Array.from({ length: 120 }, () => {
      const lines = Array.from({ length: 6 + below(20) }, (_, index) => `line ${index}\n`)
      const [old, mine, theirs] = [lines.join(""), change(lines, "mine"), change(lines, "theirs")]
      const merged = mergeTexts(old, mine, theirs)
      return { git: byGit(mine, old, theirs), here: merged.clashes.length === 0 ? merged.text : undefined }
    })
    rmSync(folder, { recursive: true })
    expect(merges.map(({ here }) => here)).toEqual(merges.map(({ git }) => git))
    expect(merges.filter(({ git }) => git !== undefined).length).toBeGreaterThan(30)
    expect(merges.filter(({ git }) => git === undefined).length).toBeGreaterThan(30)
  })
})
