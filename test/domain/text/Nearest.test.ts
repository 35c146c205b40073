import { assert, expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { parse } from "yaml"
import { intentOf, nearest } from "../../../src/domain/text/Nearest.ts"

type Names = Readonly<Record<string, ReadonlyArray<string>>>

const mixUps: {
  readonly tools: Names
  readonly skills: Names
  readonly arguments: Readonly<Record<string, Names>>
  readonly none: { readonly tools: ReadonlyArray<string>; readonly skills: ReadonlyArray<string> }
} = parse(readFileSync(new URL("../../fixtures/mix-ups.yaml", import.meta.url), "utf8"))

const known: Names = {
  read_file: ["path", "start_line", "end_line"],
  search_files: ["pattern", "path", "regex", "glob", "context"],
  edit_file: ["path", "old_text", "new_text", "edits"],
  write_file: ["path", "content"]
}

const wrongIn = (names: Names, candidates: ReadonlyArray<string>) =>
  Object.entries(names).flatMap(([right, mistakes]) =>
    mistakes.map((mistake) => ({ mistake, right, found: nearest(mistake, candidates) }))
  )

const all = [
  ...wrongIn(mixUps.tools, Object.keys(mixUps.tools)),
  ...wrongIn(mixUps.skills, Object.keys(mixUps.skills)),
  ...Object.entries(mixUps.arguments).flatMap(([tool, names]) => wrongIn(names, known[tool] ?? []))
]

it("names the right one first for 9 of 10 mix-ups", () => {
  const missed = all.filter(({ found, right }) => found[0] !== right)
  assert.isAtLeast(all.length, 120)
  assert.isAtMost(missed.length, all.length / 10, JSON.stringify(missed, null, 1))
})

it("names the right one at all for 19 of 20 mix-ups", () => {
  const missed = all.filter(({ found, right }) => !found.includes(right))
  assert.isAtMost(missed.length, all.length / 20, JSON.stringify(missed, null, 1))
})

it("never names what changes something for a name that only looks, nor the other way round", () => {
  const opposite = all.filter(({ found, mistake }) => {
    const intent = intentOf(mistake)
    return found.some((one) => intent !== undefined && intentOf(one) !== undefined && intentOf(one) !== intent)
  })
  assert.deepStrictEqual(opposite, [])
  const reading = all.filter(({ right }) => intentOf(right) === "reads")
  assert.isAtLeast(reading.length, 60)
  expect(reading.filter(({ found }) => found[0] !== undefined && intentOf(found[0]) === "changes")).toStrictEqual([])
})

it("names nothing when nothing is near", () => {
  for (const kind of ["tools", "skills"] as const) {
    for (const word of mixUps.none[kind])
      assert.deepStrictEqual([word, nearest(word, Object.keys(mixUps[kind]))], [word, []])
  }
})

const notes = ["note-d", "note-b", "note-c", "note-a"]
it.each([
  ["leaves out what is far from the word", "#auth-results", ["#goals", "#auth-1-results"], ["#auth-1-results"]],
  ["prefers a typing error to a synonym", "reed_file", ["write_file", "get_file_tree", "read_file"], ["read_file"]],
  ["ignores case, signs and the order of words", "FILES_Search", ["write_file", "search-files"], ["search-files"]],
  ["names at most three words, in a fixed order", "note", notes, ["note-a", "note-b", "note-c"]],
  ["names a word once that stands there twice", "read", ["reads", "reads"], ["reads"]]
])("%s", (_, word, candidates, near) => {
  assert.deepStrictEqual(nearest(word, candidates), near)
})
