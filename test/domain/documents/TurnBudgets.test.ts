import { assert, describe, it } from "@effect/vitest"
import {
  announcedLimits,
  announcedLines,
  budgetNote,
  isCutShort,
  lineLength,
  summarySize,
  turnLimit
} from "../../../src/domain/documents/TurnBudgets.ts"
import { assistantMessage, fromHost } from "../../../src/domain/models/ConversationMessage.ts"
import { gave } from "../../support/sampleTasks.ts"

/** Turns whose last answer asked for so many characters, and got a reply of so many. */
const turns = (wanted: number, reply: number) => ({
  messages: [fromHost("Begin."), assistantMessage("I read."), fromHost("r".repeat(reply - 1))],
  outcomes: [gave("read_file", { path: "a.ts" }, "o".repeat(wanted), "turn-2/call-1")],
  turn: 2
})

const linesIn = (note: string) => Number(/about (\d+) lines/.exec(note)?.[1])
const linesBehind = (compacted: number) => linesIn(budgetNote(800 + 5000, 800 + compacted))

const behindMany = (lines: number) => linesIn(budgetNote(800 + 50 * lines, 800 + 50 * 1000))

it("the note about the next output says what fits a reply, in tens of lines, and nothing below thirty lines", () => {
  assert.strictEqual(
    budgetNote(800 + 50 * 47, 0),
    "There is room for about 40 lines of output with 50 characters each, shared by the calls of one answer."
  )
  assert.strictEqual(linesIn(budgetNote(800 + 50 * 30, 0)), 30)
  assert.strictEqual(budgetNote(800 + 50 * 29, 0), "")
  assert.strictEqual(linesIn(budgetNote(800 + 8000, 0, 80)), 100)
  assert.strictEqual(linesIn(budgetNote(800 + 50 * 1000, 0)), 400)
})

it("the note about the next output says what fits behind a compaction where that is more than half as much again", () => {
  // 70 % of it are outputs of the last answer.
  assert.deepStrictEqual([linesBehind(10_700), linesBehind(10_720)], [100, 150])
  assert.match(budgetNote(0, 800 + 50 * 200), /room for about \d{2,3} lines/)
  // 150 lines in a reply are enough.
  assert.deepStrictEqual([149, 150].map(behindMany), [400, 150])
  assert.strictEqual(budgetNote(800 + 5000, 800 + 5000), budgetNote(800 + 5000, 0))
})

/** A message with so many numbered lines of so many characters. */
const numbered = (count: number, length: number) =>
  fromHost(Array.from({ length: count }, (_, index) => `${index + 10}: `.padEnd(length, "x")).join("\n"))

it("the length of a line is that of the numbered lines that are shown, from twenty on, and at least 40", () => {
  const lengths = (...rows: ReadonlyArray<readonly [count: number, length: number]>) =>
    rows.map(([count, length]) => lineLength([numbered(count, length)]))
  assert.deepStrictEqual(lengths([19, 79], [20, 79]), [50, 80])
  assert.deepStrictEqual(lengths([30, 38], [30, 39], [30, 40]), [40, 40, 41])
  assert.strictEqual(lineLength([numbered(10, 79), assistantMessage("10: short"), numbered(10, 59)]), 70)
})

describe("the lines that an answer may count on", () => {
  const note = budgetNote(800 + 50 * 47, 0)

  it("are those that the message before it announced, and a few more", () => {
    const answered = [fromHost("Begin."), fromHost(`Go on. ${note}`), assistantMessage("I read."), fromHost("Go on.")]
    assert.strictEqual(announcedLines(answered), 43)
    assert.deepStrictEqual(announcedLimits(answered), { lines: 43, characters: 2160 })
  })

  it("are not known where that message announced none", () => {
    const answered = [fromHost(`Begin. ${note}`), assistantMessage("I read."), fromHost("Go on.")]
    assert.strictEqual(announcedLines([...answered, assistantMessage("Again.")]), undefined)
    assert.strictEqual(announcedLines([fromHost(`${note}\n\nGo on.`), assistantMessage("I read.")]), undefined)
  })

  it("compact the conversation when the reply shows fewer, and a summary would show them", () => {
    const first = fromHost(`Begin. ${budgetNote(800 + 50 * 100, 0)}`)
    const rows = Array.from({ length: 300 }, (_, index) => `${index}: `.padEnd(49, "x"))
    const behind = {
      messages: [first, assistantMessage("I read."), fromHost(rows.slice(0, 50).join("\n"))],
      outcomes: [gave("read_file", { path: "a.ts" }, rows.join("\n"), "turn-2/call-1")],
      turn: 2
    }
    assert.deepStrictEqual([isCutShort(behind, () => 9000), isCutShort(behind, () => 5000)], [true, false])
    assert.isFalse(isCutShort({ ...behind, outcomes: [] }, () => 9000))
  })
})

it("a summary has what the compaction leaves, at least half a reply, and what the last outputs need", () => {
  assert.strictEqual(summarySize(turns(10, 10), 900, 1000), 900)
  assert.strictEqual(summarySize(turns(10, 10), 100, 1000), 500)
  assert.strictEqual(summarySize(turns(10, 700), 100, 1000), 700)
  assert.strictEqual(summarySize(turns(9000, 10), 100, 1000), 1000)
  assert.strictEqual(summarySize(turns(10, 700), 100, 1000, 200), 900)
})

it.each([
  [9000, 1000, 9000, true],
  [9000, 1000, 2143, true],
  [9000, 1000, 2142, false],
  [1501, 1000, 9000, true],
  [1500, 1000, 9000, false],
  [20_000, 7500, 30_000, true],
  [20_000, 7501, 30_000, false]
])("a summary for outputs of %i replaces a reply of %i in %i characters: %s", (wanted, reply, size, isCut) => {
  const isReplaced = isCutShort(turns(wanted, reply), () => size)
  assert.strictEqual(isReplaced, isCut)
})

it("gives two more turns for each changed file beyond the third, up to forty, and leaves a larger limit", () => {
  const limits = [0, 1, 3, 4, 8, 17, 18, 100].map((files) => turnLimit(12, files))
  assert.deepStrictEqual(limits, [12, 12, 12, 14, 22, 40, 40, 40])
  assert.strictEqual(turnLimit(60, 30), 60)
})
