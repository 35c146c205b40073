import { describe, expect, it } from "@effect/vitest"
import type { JournalRecord } from "../../../src/domain/history/JournalRecord.ts"
import {
  type KeptPrompt,
  makePromptRecords,
  makeWholePrompts,
  withSharedSystems
} from "../../../src/domain/history/SharedSystem.ts"

const long = "You are one stage of a program. ".repeat(20)
const promptOf = (key: string, system: string): KeptPrompt => ({ key, system, user: `Do ${key}.` })
const whole = (prompts: ReadonlyArray<KeptPrompt>): ReadonlyArray<JournalRecord> =>
  prompts.map((prompt) => ({ type: "prompt", ...prompt }))

describe("the prompts of a session", () => {
  it("hold a text once that several begin with", () => {
    const record = makePromptRecords()
    expect(
      [promptOf("a", long), promptOf("b", `${long}!`), promptOf("c", long), promptOf("a", long)].map(record)
    ).toEqual([
      { type: "prompt", key: "a", system: long, user: "Do a." },
      { type: "prompt", key: "b", system: `${long}!`, user: "Do b." },
      { type: "prompt", key: "c", systemOf: "a", user: "Do c." },
      { type: "prompt", key: "a", systemOf: "a", user: "Do a." }
    ])
  })

  it("hold a text again that is shorter than the name of the prompt", () => {
    const record = makePromptRecords()
    expect([promptOf("round-1", "Go."), promptOf("b", "Go.")].map(record)[1]).toHaveProperty("system", "Go.")
  })

  it("have their whole texts again when they are read, however many texts there are", () => {
    const sent = Array.from({ length: 1000 }, (_, index) =>
      promptOf(`round-1/execute/task-${index}`, `${long}${(index * index) % 150}`)
    )
    const records = sent.map(makePromptRecords())
    expect(records.filter(({ system }) => system === undefined).length).toBeGreaterThan(200)
    expect(records.map(makeWholePrompts())).toEqual(whole(sent))
  })

  it("share their texts in the journal of a fork, where other records are as they were", () => {
    const begin: ReadonlyArray<JournalRecord> = [
      { type: "settled", key: "plan", value: 1 },
      ...whole([promptOf("a", long), promptOf("b", long)]),
      { type: "outcome", key: "b", value: 2 }
    ]
    const shared = withSharedSystems(begin)
    expect(shared[2]).toEqual({ type: "prompt", key: "b", systemOf: "a", user: "Do b." })
    expect(shared.map(makeWholePrompts())).toEqual(begin)
  })

  it("are read as they were written before, and without a text that is gone", () => {
    const old = whole([promptOf("a", long), promptOf("b", long)])
    expect(old.map(makeWholePrompts())).toEqual(old)
    const lost: JournalRecord = { type: "prompt", key: "b", systemOf: "a", user: "Do b." }
    expect([lost].map(makeWholePrompts())).toEqual([lost])
  })
})
