/** What a question leaves out on a screen of few rows: first what does not change, then changes, never a heading, a warning or a key. */
import { assert, it } from "@effect/vitest"
import { wholeChange } from "../../../src/domain/files/ChangePreview.ts"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { shortQuestion } from "../../../src/cli/approval/ApprovalText.ts"

const keys = [{ text: "y yes" }]
const text = (isChanged: (line: number) => boolean): string =>
  Array.from({ length: 30 }, (_, at) => `line ${at + 1}${isChanged(at + 1) ? " now" : ""}\n`).join("")
const unchanged = text(() => false)

const itemOf = (isChanged: (line: number) => boolean, more: Partial<ApprovalItem> = {}): ApprovalItem => ({
  task: "Change",
  tool: "write_file",
  risk: "high",
  call: { uid: "call-1", name: "write_file", arguments: { path: "a.ts", content: "x" } },
  targets: ["/p/a.ts"],
  diff: wholeChange("a.ts", unchanged, text(isChanged)).diff,
  words: { does: "edit a.ts", consequence: "Changes a file of the project.", isCalm: true },
  ...more
})

/** The rows of the change that are shown: `2+` for an added line, `…` for a gap or a note. */
const shownAt = (rows: number, items: ReadonlyArray<ApprovalItem>, notes: ReadonlyArray<string> = []): string =>
  shortQuestion({ scope: "step", title: "Change", items, notes }, keys, { columns: 60, rows, isColoured: false })
    .split("\n")
    .flatMap((line) => {
      const [, number, sign] = /^│ +(\d+) ([-+ ]) line/.exec(line) ?? []
      if (number !== undefined) return [`${number}${sign === " " ? "" : sign}`]
      return /more line|\.\.\.$/.test(line) ? ["…"] : line.includes("A note") ? ["note"] : []
    })
    .join(" ")

const two = [itemOf((line) => line === 9 || line === 20)]
const ends = [itemOf((line) => line < 3), itemOf((line) => line > 28)]

/** What is shown at these numbers of rows. */
type Shown = Readonly<Record<number, string>>

const cases: ReadonlyArray<[what: string, items: ReadonlyArray<ApprovalItem>, notes: ReadonlyArray<string>, Shown]> = [
  ["one change", [itemOf((line) => line === 9)], [], { 6: "9- 9+", 14: "6 7 8 9- 9+ 10 11 12" }],
  ["two changes", two, [], { 6: "9- …", 8: "9- 9+ …", 9: "9- 9+ … …", 10: "9- 9+ … 20- 20+" }],
  [
    "two changes, with a note",
    two,
    ["A note."],
    { 6: "9- … note", 9: "9- 9+ … note", 10: "9- 9+ … … note", 11: "9- 9+ … 20- 20+ note" }
  ],
  ["two items", ends, [], { 6: "1- … 29- …", 14: "1- 2- … 29- 30- …", 16: "1- 2- 1+ 2+ 29- 30- 29+ 30+" }],
  ["two items with a note", ends, ["A note."], { 6: "1- … 29- …", 14: "1- … 29- 30- … note" }]
]

it.each(cases)("leaves out, by the rows of the screen, of %s", (_, items, notes, shown) => {
  for (const [rows, text] of Object.entries(shown))
    assert.deepStrictEqual([rows, shownAt(Number(rows), items, notes)], [rows, text])
})
