import { describe, expect, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { recordOf } from "../../../src/services/journal/JournalLine.ts"
import { proofOf, SealKey } from "../../../src/services/journal/JournalSeal.ts"
import { oneOfEach, openedRecord, settled } from "../../support/Journals.ts"
import { bare, linesOf, type RecordJson, sealedRecords } from "../../support/SealedJournals.ts"

const mine = Buffer.alloc(32, 1)
const theirs = Buffer.alloc(32, 2)
const runId = "20261120-183000-k3x9"
const other = "20261120-190000-abcd"
const key = new SealKey(mine, runId)
const answer = (value: string): JournalRecord => ({
  type: "answer",
  key: "question/1",
  value: { answer: value, by: "person" }
})
const resumed: JournalRecord = { type: "resumed", program: "0.1.0" }

/** Nine records of two sessions: 1 to 5, and 6 to 9. */
const first = sealedRecords(key, [openedRecord(), settled("a"), answer("step"), settled("b"), settled("c")])
const whole = sealedRecords(key, [resumed, settled("d"), answer("step"), settled("e")], first)
const foreign = sealedRecords(new SealKey(mine, other), [
  openedRecord(other),
  settled("a"),
  answer("remaining"),
  resumed,
  settled("b")
])
const from = (records: ReadonlyArray<RecordJson>, with_ = key): number => proofOf(linesOf(records), with_).from

describe("the MAC of a line", () => {
  const runKey = createHmac("sha256", mine).update(`task-conductor journal ${runId}`).digest()
  const hmac = (text: string): string => createHmac("sha256", runKey).update(text).digest("base64url").slice(0, 22)

  it("is the HMAC of the MAC before and of the line", () => {
    const line = "x\u00fc\u2028".repeat(30_000)
    for (const before of ["", "A".repeat(22), `start ${"0".repeat(64)}`]) {
      expect(key.mac(before, `${line}}`)).toBe(hmac(`${before}${line}}`))
    }
  })
})

describe("a journal that its person wrote", () => {
  it("is proven from its first record on", () => expect([from(first), from(whole)]).toEqual([1, 1]))

  it("is proven with records of every kind, whatever stands in them", () => {
    const awkward: ReadonlyArray<JournalRecord> = [
      settled("x", { mac: "A".repeat(22) }),
      settled("y", `,"mac":"${"A".repeat(22)}"}`),
      settled("z", "ä\u2028")
    ]
    expect(from(sealedRecords(key, [...oneOfEach, ...awkward]))).toBe(1)
  })

  it("is proven as far as it goes, wherever it was cut off", () => {
    expect(whole.map((_, index) => from(whole.slice(0, index + 1)))).toEqual(whole.map(() => 1))
  })

  it("holds the same records for a program that knows no MACs", () => {
    const plain = linesOf(whole.map(bare)).map(recordOf)
    expect(linesOf(whole).map(recordOf)).toEqual(plain)
  })
})

const none = whole.length + 1
const macField = /,"mac":"[\w-]{22}"\}$/
/** The record with the MAC of another one. */
const withMacOf = (record: RecordJson, other: RecordJson): RecordJson =>
  record.replace(macField, macField.exec(other)?.[0] ?? "")
const forged: ReadonlyArray<readonly [what: string, records: ReadonlyArray<RecordJson>]> = [
  ["every MAC is gone", whole.map(bare)],
  ["one MAC is gone", whole.with(8, bare(whole[8]!))],
  ["an approval is another one", whole.with(2, whole[2]!.replace('"step"', '"remaining"'))],
  [
    "somebody else signed all of it",
    sealedRecords(new SealKey(theirs, runId), [openedRecord(), answer("remaining"), resumed])
  ],
  ["the key of the user was used for another run", foreign],
  ["the session of another run stands at its end", [...whole, foreign[3]!, foreign[4]!]],
  ["the MAC of the record before is used again", whole.with(8, withMacOf(whole[8]!, whole[7]!))]
]

describe("nothing is proven", () => {
  it.each(forged)("when %s", (_what, records) => expect(from(records)).toBe(records.length + 1))

  it("with another key", () => {
    expect([from(whole, new SealKey(theirs, runId)), from(whole, new SealKey(mine, other))]).toEqual([none, none])
  })
})

/** In these the last session was not touched; it is bound to what stands before it. */
const before: ReadonlyArray<readonly [what: string, records: ReadonlyArray<RecordJson>]> = [
  ["removed", whole.toSpliced(1, 1)],
  ["changed", whole.with(1, whole[1]!.replace('"a"', '"x"'))],
  ["stripped of its MAC", whole.with(1, bare(whole[1]!))]
]

describe("the last session does not count", () => {
  it.each(before)("when a record before it was %s", (_what, records) => expect(from(records)).toBe(records.length + 1))

  it("when it is put behind the records of another run", () => {
    expect(from([...foreign.slice(0, 3), ...whole.slice(5)])).toBe(8)
  })
})

describe("a journal that goes on with the key of the user", () => {
  const old = first.map(bare)
  const session: ReadonlyArray<JournalRecord> = [resumed, answer("step"), settled("d")]

  it("is proven from that session on when the records before have no MAC", () => {
    const records = sealedRecords(key, session, old)
    expect([from(records), from(records.with(1, records[1]!.replace('"a"', '"x"')))]).toEqual([6, 9])
  })

  it("is proven from that session on when another machine of the user wrote what is before", () => {
    const there = sealedRecords(new SealKey(theirs, runId), [openedRecord(), settled("a"), answer("step")])
    const here = sealedRecords(key, session, there)
    expect([from(here), from(here, new SealKey(theirs, runId))]).toEqual([4, 7])
  })

  it("is proven from its next session on when an older version went on in between", () => {
    const between = [...whole, ...[resumed, answer("remaining")].map((record) => JSON.stringify(record))]
    expect([from(between), from(sealedRecords(key, session, between))]).toEqual([12, 12])
  })
})
