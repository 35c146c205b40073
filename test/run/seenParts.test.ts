/**
 * Runs whose references do not fit: what of them no task has seen stands among the facts.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { factLines } from "../../src/domain/checks/Facts.ts"
import type { FilledPrompt } from "../../src/domain/models/PromptSize.ts"
import { makeKeptRun } from "../support/KeptRun.ts"
import { nodeTest } from "../support/nodeTest.ts"
import { willingApprover } from "../support/ScriptedApprover.ts"
import { planOf, refinementWith, resultSaying } from "../support/TestRun.ts"
import { stageName } from "../support/stageName.ts"

const big = Array.from({ length: 400 }, (_, index) => `${index + 1}. A sentence about the number ${index * 7}.`)

const settings = { referenceBudget: 2000 }

/** A run with a large file. */
const makeRun = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const run = yield* makeKeptRun({ prompt: "Do it." })
  yield* fs.makeDirectory(`${run.project}/docs`)
  yield* fs.writeFileString(`${run.project}/docs/big.md`, `${big.join("\n")}\n`)
  return run
})

/** A model that reads these ranges, one in each turn, and then reports. */
const reader = (ranges: ReadonlyArray<readonly [from: number, to: number]>) => {
  let next = 0
  return (prompt: FilledPrompt): string => {
    const stage = stageName(prompt)
    if (stage === "creation") return planOf([[{ name: "Read 1", skill: "any", references: "[Big](docs/big.md)" }]])
    if (stage === "iteration") return planOf([])
    const range = stage === "conclusion" ? undefined : ranges[next++]
    if (range === undefined) return resultSaying("It is read.")
    const [start_line, end_line] = range
    return refinementWith([{ name: "read_file", arguments: { path: "docs/big.md", start_line, end_line } }])
  }
}

const seenAfter = (ranges: ReadonlyArray<readonly [from: number, to: number]>) =>
  Effect.gen(function* () {
    const run = yield* makeRun
    const { report } = yield* run.session({ answer: reader(ranges), approver: willingApprover(), settings })
    expect([report?.status, report?.message]).toEqual(["done", ""])
    return report?.facts
  })

describe("a reference that has no room", () => {
  nodeTest("is said to be seen in part", function* () {
    const facts = yield* seenAfter([])
    const percent = facts?.seen?.[0]?.percent ?? 0
    const lines = facts?.seen?.[0]?.lines
    expect(facts?.seen).toEqual([{ task: "Read 1", href: "docs/big.md", percent, lines }])
    expect(lines?.of).toBe(big.length)
    expect(percent).toBeGreaterThan(3)
    expect(percent).toBeLessThan(20)
    expect(facts === undefined ? [] : factLines(facts)).toEqual([
      `- docs/big.md: ${lines?.seen} of ${big.length} lines seen, for "Read 1"`
    ])
  })

  nodeTest("counts the ranges that are read later, and is no fact when all of it was seen", function* () {
    const [some] = (yield* seenAfter([[100, 300]]))?.seen ?? []
    expect(some?.percent).toBeGreaterThan(50)
    expect(some?.percent).toBeLessThan(75)
    const all = Array.from({ length: 8 }, (_, index) => [index * 50 + 1, index * 50 + 50] as const)
    expect(yield* seenAfter(all)).toBeUndefined()
  })
})
