import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeLine, firstSum, recordOf, sumIn } from "../../../src/services/journal/JournalLine.ts"
import { encodeLine } from "../../support/encodeLine.ts"
import { arbitraryRecords, journalLines, openedRecord, settled } from "../../support/Journals.ts"

const at = "2026-11-20T18:30:00.000Z"

describe("a line of a journal", () => {
  it("has the number, the time, the record and the sum in this order", () => {
    expect(encodeLine(settled("plan", [1]), { seq: 7, at, before: firstSum })).toMatchObject({
      text: '{"seq":7,"at":"2026-11-20T18:30:00.000Z","record":{"type":"settled","key":"plan","value":[1]},"sum":"f2506f7f"}',
      sum: "f2506f7f"
    })
  })

  it.effect.prop(
    "gives every record back as it was, whatever texts it holds",
    { records: arbitraryRecords },
    ({ records }) =>
      Effect.sync(() => {
        const lines = journalLines(records)
        let before = firstSum
        for (const [index, text] of lines.entries()) {
          expect(text).not.toMatch(/[\n\r]/)
          const line = decodeLine(text, { seq: index + 1, before })
          if (typeof line === "string") throw new Error(`${line}: ${text}`)
          const record = records[index]!
          expect(recordOf(line)).toEqual(record)
          expect([line.seq, line.at, line.type, line.key, line.event]).toEqual([
            index + 1,
            "2026-11-20T18:30:00.000Z",
            record.type,
            "key" in record ? record.key : "",
            record.type === "event" ? record.event.type : ""
          ])
          before = sumIn(line.text)
        }
      })
  )

  it("does not follow another line than the one it was written after", () => {
    const [first = "", second = ""] = journalLines([openedRecord(), settled("plan")])
    const sum = first.slice(-10, -2)
    expect([
      decodeLine(second, { seq: 3, before: sum }),
      decodeLine(second, { seq: 2, before: firstSum }),
      decodeLine(second, { seq: 1, before: firstSum }),
      decodeLine(first, { seq: 2, before: sum })
    ]).toEqual(["sequence", "sum", "sequence", "sequence"])
  })

  it("takes no text for its end that stands in a value", () => {
    const record = settled("plan", '"},"sum":"00000000"}')
    const { sum, text } = encodeLine(record, { seq: 1, at, before: firstSum })
    const line = decodeLine(text, { seq: 1, before: firstSum })
    expect(typeof line === "string" ? line : [sumIn(line.text), recordOf(line)]).toEqual([sum, record])
    const cut = text.slice(0, text.indexOf('\\"},\\"sum') + 2)
    expect(decodeLine(cut, { seq: 1, before: firstSum })).toBe("shape")
  })

  it.each(["", "{}", "null", "hello", '{"seq":1}', "\u0000".repeat(80)])("is not %j", (text) => {
    expect(decodeLine(text, { seq: 1, before: firstSum })).toBe("shape")
  })
})
