import { assert, describe, it } from "@effect/vitest"
import {
  announcedLines,
  budgetNote,
  isCutShort,
  lineLength,
  summarySize
} from "../../../src/domain/documents/TurnBudgets.ts"
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
    assert.strictEqual(
      budgetNote(800 + 50 * 47, 0),
      "There is room for about 40 lines of output in all, shared by the calls of one answer."
    )
    assert.strictEqual(
      budgetNote(800 + 50 * 30, 0),
      "There is room for about 30 lines of output in all, shared by the calls of one answer."
    )
    assert.strictEqual(budgetNote(800 + 50 * 29, 0), "")
  })

  it("says what fits behind a compaction where that is more than half as much again", () => {
    // 70 % of it are outputs of the last answer.
    assert.deepStrictEqual([linesBehind(10_700), linesBehind(10_720)], [100, 150])
    assert.match(budgetNote(0, 800 + 50 * 200), /room for about \d{2,3} lines/)
    // 150 lines in a reply are enough.
    assert.deepStrictEqual(
      [149, 150].map((lines) => Number(/about (\d+)/.exec(budgetNote(800 + 50 * lines, 800 + 50 * 1000))?.[1])),
      [700, 150]
    )
    assert.strictEqual(budgetNote(800 + 5000, 800 + 5000), budgetNote(800 + 5000, 0))
  })
})

/** A message with so many numbered lines of so many characters. */
const numbered = (count: number, length: number) =>
  fromHost(Array.from({ length: count }, (_, index) => `${index + 10}: `.padEnd(length, "x")).join("\n"))

describe("the length of a line", () => {
  it("is that of the numbered lines that are shown, from twenty lines on", () => {
    assert.deepStrictEqual(
      [19, 20].map((count) => lineLength([numbered(count, 79)])),
      [50, 80]
    )
    assert.strictEqual(lineLength([numbered(10, 79), assistantMessage("10: short"), numbered(10, 59)]), 70)
  })

  it("is at least 25 characters", () => {
    assert.deepStrictEqual(
      [23, 24, 25].map((length) => lineLength([numbered(30, length)])),
      [25, 25, 26]
    )
  })

  it("decides how many lines are announced", () => {
    assert.match(budgetNote(800 + 8000, 0, 80), /about 100 lines/)
  })
})

describe("the lines that an answer may count on", () => {
  const note = budgetNote(800 + 50 * 47, 0)

  it("are those that the message before it announced, and a tenth more", () => {
    const answered = [fromHost("Begin."), fromHost(`Go on. ${note}`), assistantMessage("I read."), fromHost("Go on.")]
    assert.strictEqual(announcedLines(answered), 44)
  })

  it("are not known where that message announced none", () => {
    const answered = [fromHost(`Begin. ${note}`), assistantMessage("I read."), fromHost("Go on.")]
    assert.strictEqual(announcedLines([...answered, assistantMessage("Again.")]), undefined)
    assert.strictEqual(announcedLines([fromHost(`${note}\n\nGo on.`), assistantMessage("I read.")]), undefined)
  })

  it("compact the conversation when the reply shows fewer, and a summary would show them", () => {
    const first = fromHost(`Begin. ${budgetNote(800 + 50 * 100, 0)}`)
    const rows = Array.from({ length: 300 }, (_, index) => `${index}: `.padEnd(49, "x"))
    const behind = (shown: number) => ({
      messages: [first, assistantMessage("I read."), fromHost(rows.slice(0, shown).join("\n"))],
      outcomes: [gave("read_file", { path: "a.ts" }, rows.join("\n"), "turn-2/call-1")],
      turn: 2
    })
    assert.isTrue(isCutShort(behind(50), () => 9000))
    assert.isFalse(isCutShort(behind(50), () => 5000))
    assert.isFalse(isCutShort({ ...behind(50), outcomes: [] }, () => 9000))
  })

  it("compact no conversation whose last reply showed enough", () => {
    const sizes = [7500, 7501].map((reply) => isCutShort(turns(20_000, reply), () => 30_000))
    assert.deepStrictEqual(sizes, [true, false])
  })
})

describe("a summary", () => {
  it("has what the compaction leaves, at least half a reply, and what the last outputs need", () => {
    assert.strictEqual(summarySize(turns(10, 10), 900, 1000), 900)
    assert.strictEqual(summarySize(turns(10, 10), 100, 1000), 500)
    assert.strictEqual(summarySize(turns(10, 700), 100, 1000), 700)
    assert.strictEqual(summarySize(turns(9000, 10), 100, 1000), 1000)
    assert.strictEqual(summarySize(turns(10, 700), 100, 1000, 200), 900)
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
