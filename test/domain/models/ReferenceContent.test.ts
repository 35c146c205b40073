import { expect, it } from "@effect/vitest"
import { leastSize, overBudget, type ResolvedReference } from "../../../src/domain/models/ReferenceContent.ts"

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("")

const file = (target: string, text: string, range?: { from: number; to: number }): ResolvedReference => ({
  reference: {
    kind: "file",
    title: target,
    href: range === undefined ? target : `${target}#L${range.from}-L${range.to}`,
    target,
    ...(range === undefined ? {} : { lines: range })
  },
  content: { kind: "file", text, language: "text" }
})

it("leastSize counts little of what can be shown in parts, and nothing of what comes later", () => {
  const url = { kind: "url", title: "", href: "https://a.example/", target: "https://a.example/" } as const
  const all = [file("a", "12"), { reference: url, content: { kind: "later" } } as const, file("b", "x".repeat(9000))]
  expect(leastSize(all)).toBe(1002)
})

it("overBudget proposes lines of the file that a range of it came from", () => {
  const all = [file("a.txt", lines(400, 599), { from: 400, to: 599 })]
  expect(overBudget(all, 1000)).toEqual({
    what: "The references have 1800 characters in total; 1000 are allowed. The largest are a.txt#L400-L599 (1800).",
    how: "Narrow them, for example to a.txt#L400-L499. Leave out what is not needed, or split the task.",
    largest: "a.txt#L400-L599"
  })
})

it("overBudget proposes nothing that would not fit", () => {
  expect(overBudget([file("a.txt", "x".repeat(900))], 100).how).toBe("Leave out what is not needed, or split the task.")
})
