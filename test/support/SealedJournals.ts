/**
 * Journals with MACs for tests, and what somebody without the key can make of one: lines with right checksums and any
 * records.
 */
import type { JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import { decodeLine, firstSum, type JournalLine } from "../../src/services/journal/JournalLine.ts"
import { newProof, proofOf, type SealKey } from "../../src/services/journal/JournalSeal.ts"
import { encodeLine } from "./encodeLine.ts"
import { crc32 } from "node:zlib"

const at = "2026-11-20T18:30:00.000Z"

/** The JSON of a record as it stands in a journal, MAC included; its time may stand before it. */
export type RecordJson = string

/** Lines with right checksums around these records; everybody can make them. */
export const linesOf = (records: ReadonlyArray<RecordJson>): ReadonlyArray<JournalLine> => {
  let before = firstSum
  return records.map((record, index) => {
    const json = record.slice(record.indexOf("{"))
    const time = record.slice(0, record.indexOf("{"))
    const body = `{"seq":${index + 1},"at":"${time === "" ? at : time}","record":${json}`
    const sum = crc32(before + body)
      .toString(16)
      .padStart(8, "0")
    const line = decodeLine(`${body},"sum":"${sum}"}`, { seq: index + 1, before })
    if (typeof line === "string") throw new Error(`Not a line: ${line}: ${json}`)
    before = sum
    return line
  })
}

/** The text of these lines. */
export const textOf = (lines: ReadonlyArray<JournalLine>): string => lines.map(({ text }) => `${text}\n`).join("")

/** What a journal begins with, and records that its holder of the key adds in one session. */
export const sealedRecords = (
  key: SealKey,
  records: ReadonlyArray<JournalRecord>,
  earlier: ReadonlyArray<RecordJson> = []
): ReadonlyArray<RecordJson> => {
  const all = [...earlier]
  let mac = earlier.length === 0 ? newProof.next : proofOf(linesOf(earlier), key).next
  for (const record of records) {
    const { mac: made, text } = encodeLine(record, { seq: all.length + 1, at, before: firstSum, mac }, { key })
    mac = made
    all.push(text.slice(text.indexOf('"record":') + 9, text.lastIndexOf(',"sum":"')))
  }
  return all
}

/** A record without its MAC. */
export const bare = (json: RecordJson): RecordJson => json.replace(/,"mac":"[\w-]{22}"\}$/, "}")
