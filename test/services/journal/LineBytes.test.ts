import { expect, it } from "@effect/vitest"
import type { JournalRecord } from "../../../src/domain/history/JournalRecord.ts"
import { firstSum, recordOf } from "../../../src/services/journal/JournalLine.ts"
import { newProof, proofOf, SealKey } from "../../../src/services/journal/JournalSeal.ts"
import { LineBytes } from "../../../src/services/journal/LineBytes.ts"
import { readLine, type SavedLine } from "../../../src/services/journal/SavedLine.ts"
import { oneOfEach, openedRecord, settled } from "../../support/Journals.ts"

const at = "2026-11-20T18:30:00.000Z"
const key = new SealKey(Buffer.alloc(32, 1), openedRecord().order.runId)
const linesFrom = () => new LineBytes({ seq: 0, sum: firstSum, mac: newProof.next }, { key })

/** Texts of one, two and three bytes for each character, around the sizes at which a buffer grows or is not kept. */
const records: ReadonlyArray<JournalRecord> = [
  ...oneOfEach,
  ...[0, 10_000, 21_700, 21_845, 32_768, 65_400, 65_536, 400_000, 1_100_000, 5].flatMap((length) =>
    ["x", "\u00fc", "\u2028"].map((character) => settled(`${character} ${length}`, character.repeat(length)))
  ),
  ...oneOfEach.slice(1)
]

it("makes the same lines of records of any size, taken together or one by one", () => {
  const together = linesFrom()
  for (const record of records) together.add(record, at)
  const single = linesFrom()
  const parts = records.map((record) => {
    single.add(record, at)
    return Buffer.from(single.take())
  })
  const bytes = Buffer.from(together.take())
  expect(Buffer.concat(parts).equals(bytes)).toBe(true)
  expect([together.take().length, single.end]).toEqual([0, together.end])

  const lines: Array<SavedLine> = []
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf("\n", start)
    const line = readLine(bytes, start, end, { seq: lines.length + 1, before: lines.at(-1)?.sum ?? firstSum })
    if (typeof line === "string") throw new Error(line)
    lines.push(line)
    start = end + 1
  }
  expect(lines.map(recordOf)).toEqual(records)
  expect(proofOf(lines, key)).toEqual({ from: 1, next: together.end.mac })
})

it("takes no more room for a large record than its line needs", () => {
  const lines = linesFrom()
  lines.add(settled("large", "x".repeat(1_300_000)), at)
  const line = lines.take()
  expect(line.buffer.byteLength - line.length).toBeLessThan(1000)
})
