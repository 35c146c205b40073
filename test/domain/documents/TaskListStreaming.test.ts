import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import { cacheLinks, inlineLinks } from "../../../src/domain/markdown/MarkdownTree.ts"
import { streamingReader, readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"
import { planOf } from "../../support/TestRun.ts"

const folder = new URL("../../fixtures/task-lists/", import.meta.url)
const fixtures = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .map((name) => readFileSync(new URL(name, folder), "utf8"))

/** Cuts a text into pieces of these lengths, over and over. */
const cutInto = (text: string, lengths: ReadonlyArray<number>): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let from = 0, index = 0; from < text.length; index += 1) {
    const length = lengths[index % lengths.length] ?? 1
    pieces.push(text.slice(from, from + length))
    from += length
  }
  return pieces
}

const readWhileWritten = (text: string, lengths: ReadonlyArray<number>) => {
  const findLinks = cacheLinks()
  cutInto(text, lengths).forEach(streamingReader(findLinks))
  return readTaskList(text, { findLinks })
}

const Cuts = Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })))

const lines = [
  "## Tasks",
  "### Task section 1",
  "- **Name** Research 1",
  "- **Skill** search-code",
  "  - **References** [a](src/a.ts) [b](#x-results)",
  "References: [c](<d e.md>) and `[f](g.md)`",
  "- **What is needed** [h](i.md) text",
  "```",
  "~~~~ts",
  "</think>",
  "  more [j](k.md)",
  "",
  "\r",
  "> quoted"
]
const Lines = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: lines.length - 1 })))

describe("streamingReader", () => {
  it.effect.prop("changes nothing about what is read, however the text is cut", { rows: Lines, cuts: Cuts }, (given) =>
    Effect.sync(() => {
      const text = given.rows.map((row) => lines[row]).join("\n")
      expect(readWhileWritten(text, given.cuts)).toEqual(readTaskList(text))
    })
  )

  it.effect.prop(
    "changes nothing about any fixture",
    { cuts: Cuts },
    ({ cuts }) =>
      Effect.sync(() => {
        for (const text of fixtures) expect(readWhileWritten(text, cuts)).toEqual(readTaskList(text))
      }),
    { arbitrary: { runs: 5 } }
  )

  it("leaves only the last task to be parsed when the answer is complete", () => {
    const names = Array.from({ length: 30 }, (_, index) => `Research ${index + 1}`)
    const text = planOf(
      [names.slice(0, 10), names.slice(10, 20), names.slice(20)].map((section) =>
        section.map((name) => ({ name, references: `[${name}](src/${name.replace(" ", "-")}.ts)` }))
      )
    )
    let parsed: Array<string> = []
    const findLinks = cacheLinks((field) => {
      parsed.push(field)
      return inlineLinks(field)
    })
    cutInto(text, [7]).forEach(streamingReader(findLinks))
    expect(parsed.length).toBe(29)
    parsed = []
    readTaskList(text, { findLinks })
    expect(parsed).toEqual(["[Research 30](src/Research-30.ts)"])
  })
})
