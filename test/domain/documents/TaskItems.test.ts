import { describe, expect, it } from "@effect/vitest"
import { itemsOf, taskOfItem } from "../../../src/domain/documents/TaskItems.ts"
import type { ForEach } from "../../../src/domain/plan/ForEach.ts"
import { plainTask, Task } from "../../../src/domain/plan/Task.ts"

const over = (kind: ForEach["kind"], containing?: string): ForEach => ({
  kind,
  source: { kind: "glob", pattern: "**" },
  ...(containing === undefined ? {} : { containing })
})

const textsOf = (forEach: ForEach, ...sources: Parameters<typeof itemsOf>[1]) =>
  itemsOf(forEach, sources).map(({ references, text }) => [text].concat(references.map(({ href }) => href)))

describe("itemsOf", () => {
  it("lists files, and only those that contain the text", () => {
    const files = ["export const a = 1", "const b = 2"].map((text, at) => ({ path: at === 0 ? "a.ts" : "b.ts", text }))
    expect(textsOf(over("file"), ...files).flat()).toEqual(["a.ts", "a.ts", "b.ts", "b.ts"])
    expect(textsOf(over("file", "export"), ...files)).toEqual([["a.ts", "a.ts"]])
  })

  it("lists lines with what is around them", () => {
    const text = Array.from({ length: 20 }, (_, index) => (index === 9 ? "// TODO: x" : `line ${index + 1}`)).join("\n")
    expect(textsOf(over("line", "TODO"), { path: "a.ts", text })).toEqual([["a.ts:10: // TODO: x", "a.ts#L5-L15"]])
  })

  it("lists headings, but none in code", () => {
    const text = "# One\n\n```sh\n# no heading\n```\n\n## Two and a half\n"
    const headings = textsOf(over("heading"), { path: "g.md", text })
    expect(headings.flat()).toEqual(["g.md: One", "g.md#one", "g.md: Two and a half", "g.md#two-and-a-half"])
  })

  it("lists the entries of lists and the rows of tables, with the files that they link", () => {
    const list = "Found:\n\n- [a.ts](src/a.ts#L3) uses it\n  - twice\n- nothing in `b.ts`\n"
    expect(textsOf(over("entry"), { text: list })).toEqual([
      ["[a.ts](src/a.ts#L3) uses it", "src/a.ts#L3"],
      ["nothing in `b.ts`"]
    ])
    const table = "| file | what |\n|---|---|\n| [a](a.ts) | x |\n| b | y |\n"
    expect(textsOf(over("entry"), { text: table })).toEqual([["| [a](a.ts) | x |", "a.ts"], ["| b | y |"]])
    expect(textsOf(over("entry", "y"), { text: table })).toEqual([["| b | y |"]])
  })

  it("takes the lines of a text without lists, and each item once", () => {
    const lines = textsOf(over("entry"), { path: "names.txt", text: "one\n\ntwo\none\n" })
    expect(lines.map((line) => line.join(" "))).toEqual(["one names.txt", "two names.txt"])
  })
})

it("taskOfItem names the item, links it, and is no task for each item itself", () => {
  const task = plainTask("Document", "edit-files", "Write comments.", "Comments.", { forEach: over("file") })
  const [item] = itemsOf(over("file"), [{ path: "src/a.ts", text: "" }])
  if (item === undefined) throw new Error("no item")
  const own = taskOfItem(task, item, 3, 40)
  expect([own.name, own.forEach, own.references.map(({ href }) => href)]).toEqual([
    "Document 3: src/a.ts",
    undefined,
    ["src/a.ts"]
  ])
  expect(own.whatIsNeeded).toContain("This is item 3 of 40, and the only one to work on: src/a.ts")
  expect(own.whatIsNeeded).not.toContain("It contains")
  const holding = new Task({ ...task, forEach: { ...over("file"), containing: "Get" } })
  expect(taskOfItem(holding, item, 3, 40).whatIsNeeded).toContain("src/a.ts\n\nIt contains `Get`.\n\nOther tasks")
  expect(taskOfItem(task, item, 3, 40, true).slug).not.toBe(own.slug)
})
