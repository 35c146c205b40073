import { assert, describe, it } from "@effect/vitest"
import { budgetNote, isCutShort, summarySize } from "../../../src/domain/documents/TurnBudgets.ts"
import { assistantMessage, fromHost } from "../../../src/domain/models/ConversationMessage.ts"
import { gave } from "../../support/sampleTasks.ts"

/** Turns whose last answer asked for so many characters, and got a reply of so many. */
const turns = (wanted: number, reply: number) => ({
  messages: [fromHost("Begin."), assistantMessage("I read."), fromHost("r".repeat(reply - 1))],
  outcomes: [gave("read_file", { path: "a.ts" }, "o".repeat(wanted), "turn-2/call-1")],
  turn: 2
})

const linesBehind = (compacted: number) =>
  Number(/about (\d+) lines/.exec(budgetNote(800 + 5000, 800 + compacted))?.[1])

describe("the note about the next output", () => {
  it("says what fits a reply, in tens of lines, and nothing below thirty lines", () => {
    assert.strictEqual(budgetNote(800 + 50 * 47, 0), "There is room for about 40 lines of output in all.")
    assert.strictEqual(budgetNote(800 + 50 * 30, 0), "There is room for about 30 lines of output in all.")
    assert.strictEqual(budgetNote(800 + 50 * 29, 0), "")
  })

  it("says what fits behind a compaction where that is more than half as much again", () => {
    // 70 % of it are outputs of the last answer.
    assert.deepStrictEqual([linesBehind(10_700), linesBehind(10_720)], [100, 150])
    assert.match(budgetNote(0, 800 + 50 * 200), /room for about \d{2,3} lines/)
    assert.strictEqual(budgetNote(800 + 5000, 800 + 5000), budgetNote(800 + 5000, 0))
  })
})

describe("a summary", () => {
  it("has what the compaction leaves, at least half a reply, and what the last outputs need", () => {
    assert.strictEqual(summarySize(turns(10, 10), 900, 1000), 900)
    assert.strictEqual(summarySize(turns(10, 10), 100, 1000), 500)
    assert.strictEqual(summarySize(turns(10, 700), 100, 1000), 700)
    assert.strictEqual(summarySize(turns(9000, 10), 100, 1000), 1000)
  })

  it("takes the place of a reply that cut the outputs when it shows much more of them", () => {
    assert.isTrue(isCutShort(turns(9000, 1000), () => 9000))
    assert.isFalse(isCutShort(turns(9000, 1000), () => 1500))
    assert.isFalse(isCutShort(turns(1400, 1000), () => 9000))
    assert.deepStrictEqual(
      [2142, 2143].map((size) => isCutShort(turns(9000, 1000), () => size)),
      [false, true]
    )
    assert.deepStrictEqual(
      [1500, 1501].map((wanted) => isCutShort(turns(wanted, 1000), () => 9000)),
      [false, true]
    )
  })
})
