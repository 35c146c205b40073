import { expect, it } from "@effect/vitest"
import { replyText, toolMessages } from "../../../src/domain/documents/TurnReply.ts"
import { outcomeText, resultText } from "../../../src/domain/models/OutputText.ts"
import { gave } from "../../support/sampleTasks.ts"

const reads = ["a", "b", "c"].map((name) =>
  gave(
    "read_file",
    { path: `src/${name}.ts` },
    Array.from({ length: 80 }, (_, at) => `${at + 1}: const ${name}${at} = ${at}`).join("\n"),
    `turn-1/${name}`
  )
)

it("shows some of the first of three long outputs in a reply with little room, and never nothing of all", () => {
  for (const budget of [1000, 1300, 1600]) {
    const reply = replyText({ turn: 1, issues: [], results: { outcomes: reads }, instruction: "Go on.", budget })
    expect(reply).toContain("1: const a0 = 0\n2: const a1 = 1\n3: const a2 = 2\n")
    expect(reply).toMatch(/Lines 1 to \d+ of 80; the prompt has no room for more\. Read on with start_line \d+\./)
    expect(reply).toContain("`read_file src/c.ts`: lines 1 to 80")
    expect(reply.length).toBeLessThanOrEqual(budget)
  }
})

it("shows what was announced although the answer took some of its room, but never more than the window holds", () => {
  const announced = { lines: 100, characters: 2000 }
  const given = { turn: 1, issues: [], results: { outcomes: reads.slice(0, 1) }, instruction: "Go on.", announced }
  const replies = [700, 1000, 1400].map((budget) => replyText({ ...given, budget }))
  expect(replies.map((reply) => reply.match(/^\d+: const/gm)?.length)).toEqual([36, 56, 80])
})

it("shows the diff of a change that was not made as written, and only the places of another", () => {
  const outcomes = ["a.ts", "b.ts"].map((path) =>
    gave("edit_file", { path, old_text: "two", new_text: "  three" }, "Changed.", `turn-1/${path}`)
  )
  const reply = replyText({
    turn: 1,
    issues: [],
    results: {
      outcomes,
      files: [
        { path: "a.ts", base: "one\ntwo\n", text: "one\n  three\n" },
        { path: "b.ts", base: "one\ntwo\n", text: "one\n\tthree\n" }
      ]
    },
    instruction: "Go on.",
    budget: 2000
  })
  expect(reply).toContain("### Changed: a.ts\n\nAs you wrote it:\n\n- a.ts: +1 -1, at lines 1 to 2\n")
  expect(reply).toContain("### Changed: b.ts\n\n```diff\n")
  expect(reply.match(/^\+.*three$/gm)).toEqual(["+\tthree"])
})

it("answers each call of the interface, the first ones with a useful part", () => {
  const answers = reads.map((outcome) => ({
    askedCall: { id: outcome.call.uid, name: "read_file", arguments: outcome.call.arguments, text: "" },
    outcome,
    issues: []
  }))
  const [first, second, third] = toolMessages(answers, 900).map(({ result }) => resultText(result))
  expect(first).toContain("15: const a14 = 14\n")
  expect(second).toContain("15: const b14 = 14\n")
  expect(third).toBe("(The prompt has no room for lines 1 to 80 of 80. Read on with start_line 1.)")
  expect(toolMessages(answers, 10_000).map(({ result }) => resultText(result))).toEqual(reads.map(outcomeText))
})
