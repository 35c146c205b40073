import { describe, expect, it } from "@effect/vitest"
import {
  type JournalRecord,
  makeSharedPrompts,
  makeWholePrompts,
  type PromptSent
} from "../../../src/domain/journal/JournalRecord.ts"

const long = "You are one stage of a program. ".repeat(20)
const promptOf = (key: string, system: string): PromptSent => ({ type: "prompt", key, system, user: `Do ${key}.` })

describe("the prompts of a session", () => {
  it("hold a text once that several begin with", () => {
    const record = makeSharedPrompts()
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
    const record = makeSharedPrompts()
    expect([promptOf("round-1", "Go."), promptOf("b", "Go.")].map(record)[1]).toHaveProperty("system", "Go.")
  })

  it("have their whole texts again when they are read, however many texts there are", () => {
    const sent = Array.from({ length: 1000 }, (_, index) =>
      promptOf(`round-1/execute/task-${index}`, `${long}${(index * index) % 150}`)
    )
    const records = sent.map(makeSharedPrompts())
    expect(records.filter((record) => record.type === "prompt" && record.system === undefined).length).toBeGreaterThan(
      200
    )
    expect(records.map(makeWholePrompts())).toEqual(sent)
  })

  it("share their texts in the journal of a fork, where other records are as they were", () => {
    const begin: ReadonlyArray<JournalRecord> = [
      { type: "settled", key: "plan", value: 1 },
      promptOf("a", long),
      promptOf("b", long),
      { type: "outcome", key: "b", value: 2 }
    ]
    const shared = begin.map(makeSharedPrompts())
    expect(shared[2]).toEqual({ type: "prompt", key: "b", systemOf: "a", user: "Do b." })
    expect(shared.map(makeWholePrompts())).toEqual(begin)
  })

  it("are read as they were written before, and without a text that is gone", () => {
    const old = [promptOf("a", long), promptOf("b", long)]
    expect(old.map(makeWholePrompts())).toEqual(old)
    const lost: JournalRecord = { type: "prompt", key: "b", systemOf: "a", user: "Do b." }
    expect([lost].map(makeWholePrompts())).toEqual([lost])
  })
})
