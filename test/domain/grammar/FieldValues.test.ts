import { expect, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { isAsGiven, isPlaceholder } from "../../../src/domain/grammar/FieldValues.ts"

/** Everything that stands alone in brackets, or alone after a label, in the formats of the prompts. */
const placeholders = ["iteration", "task"].flatMap((stage) => {
  const text = readFileSync(new URL(`../../../prompts/${stage}.md`, import.meta.url), "utf8")
  return [...text.matchAll(/^(?:- \*\*[^*]+\*\* )?(<[^<>!]+>)$/gm)].map(([, found = ""]) => found)
})

it("knows every text of the formats that has to be replaced", () => {
  expect(placeholders.length).toBeGreaterThan(8)
  expect(placeholders.filter((text) => !isPlaceholder(text))).toEqual([])
})

it("knows what the task of the example is about", () => {
  const text = readFileSync(new URL("../../../prompts/creation.md", import.meta.url), "utf8")
  const needed = [...text.matchAll(/^- \*\*What is needed\*\* (.+)$/gm)].map(([, found = ""]) => found)
  expect(needed.map((one) => isPlaceholder(one))).toEqual([true])
})

it("knows them in other letter case, on several lines, and with dots", () => {
  for (const text of ["<Short,  unique>", "<what the result\nmust hold>", "...", "<...>", "[…]"]) {
    expect(isPlaceholder(text), text).toBe(true)
  }
})

it("takes no text of a model for one", () => {
  for (const text of ["<div>", "<Find the line of `limit`>", "short, unique", "as given, but only below src", ""]) {
    expect([isPlaceholder(text), isAsGiven(text)], text).toEqual([false, false])
  }
})

it("knows when a refinement only says that something stays", () => {
  for (const text of ["as given", "As given.", "<as given>", "as planned"]) expect(isAsGiven(text), text).toBe(true)
})
