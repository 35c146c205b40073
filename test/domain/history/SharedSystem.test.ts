import { describe, expect, it } from "@effect/vitest"
import {
  type JournalRecord,
  makeSharedPrompts,
  makeWholePrompts,
  type PromptSent
} from "../../../src/domain/journal/JournalRecord.ts"

const long = "You are one stage of a program. ".repeat(20)
const promptOf = (key: string, system: string): PromptSent => ({ type: "prompt", key, system, user: `Do ${key}.` })

const shared = (key: string) => ({ type: "prompt", key, systemOf: "a", user: `Do ${key}.` })

describe("the prompts of a session", () => {
  it("hold a text once that several begin with", () => {
    const sent = [promptOf("a", long), promptOf("b", `${long}!`), promptOf("c", long), promptOf("a", long)]
    expect(sent.map(makeSharedPrompts())).toEqual([sent[0], sent[1], shared("c"), shared("a")])
    // A text is there again that is shorter than the name of the prompt.
    const short = [promptOf("round-1", "Go."), promptOf("b", "Go.")]
    expect(short.map(makeSharedPrompts())).toEqual(short)
  })

  it("have their whole texts again when they are read, however many texts there are", () => {
    const sent = Array.from({ length: 1000 }, (_, at) =>
      promptOf(`round-1/execute/task-${at}`, `${long}${(at * at) % 150}`)
    )
    const records = sent.map(makeSharedPrompts())
    const shared = records.filter((record) => record.type === "prompt" && record.system === undefined)
    expect(shared.length).toBeGreaterThan(200)
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
