/**
 * What a journal can look like after crashes, damage and mistakes: each damage is named, and never is anything used but
 * the beginning of what was written.
 */
import { describe, expect } from "@effect/vitest"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { truncateSync, writeFileSync } from "node:fs"
import { recordOf } from "../../../src/services/journal/JournalLine.ts"
import { maxJournalBytes, readJournal } from "../../../src/services/journal/JournalReader.ts"
import { journalBytes, journalLines, oneOfEach, openedRecord, settled } from "../../support/Journals.ts"
import { makeFolder } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const whole = journalBytes(oneOfEach)
const lines = journalLines(oneOfEach).map((line) => `${line}\n`)
const bytesOf = (parts: ReadonlyArray<string>): Uint8Array => Buffer.from(parts.join(""))
const other = journalLines([openedRecord("20261120-190000-abcd"), settled("a"), settled("b"), settled("c")])

/** Reads these bytes as a journal: its records and what is torn, or why it cannot be used. */
const readBytes = Effect.fnUntraced(function* (bytes: Uint8Array) {
  const file = `${yield* makeFolder}/journal.jsonl`
  writeFileSync(file, bytes)
  return yield* readJournal(file).pipe(
    Effect.map(({ lines, size, torn }) => ({ records: lines.map(recordOf), size, torn: Buffer.from(torn).toString() })),
    Effect.catchTag("JournalError", ({ reason }) => Effect.succeed(reason))
  )
})

/** Reads bytes without a disk: a real one is too slow for each bit of a journal. */
const readInMemory = (bytes: Uint8Array) =>
  Effect.gen(function* () {
    const real = yield* FileSystem.FileSystem
    const info = { ...(yield* real.stat(import.meta.filename)), size: ByteSize.bytes(bytes.length) }
    const memory = { ...real, stat: () => Effect.succeed(info), readFile: () => Effect.succeed(bytes) }
    return yield* Effect.provideService(Effect.result(readJournal("/memory")), FileSystem.FileSystem, memory)
  })

const damaged = (line: number, what: "shape" | "sequence" | "sum") => ({ _tag: "Damaged", line, what })

/** The journal with 40 nulls from here. */
const withNulls = (from: number): Uint8Array => Uint8Array.from(whole).fill(0, from, from + 40)

const why = (file: string) => Effect.map(Effect.flip(readJournal(file)), ({ reason }) => reason)

const startOf = (line: number): number => Buffer.byteLength(lines.slice(0, line - 1).join(""))

describe("reading a journal", () => {
  const damages: ReadonlyArray<readonly [what: string, bytes: Uint8Array, reason: object]> = [
    ["a null block in the middle", withNulls(startOf(4)), damaged(4, "shape")],
    ["a null block over the end of a line", withNulls(startOf(5) - 20), damaged(4, "sum")],
    ["a line that was deleted", bytesOf(lines.toSpliced(3, 1)), damaged(4, "sequence")],
    ["the first line deleted", bytesOf(lines.slice(1)), { _tag: "Foreign" }],
    ["the last line twice", bytesOf([...lines, lines.at(-1)!]), damaged(lines.length + 1, "sequence")],
    ["a line of another run in the place of one", bytesOf(lines.with(3, `${other[3]!}\n`)), damaged(4, "sum")],
    ["a line of another run at the end", bytesOf([...lines.slice(0, 3), `${other[3]!}\n`]), damaged(4, "sum")],
    ["a byte order mark", Buffer.concat([Buffer.from("\uFEFF"), whole]), { _tag: "Foreign" }],
    ["one line end of Windows", bytesOf(lines.with(3, lines[3]!.replace("\n", "\r\n"))), damaged(4, "shape")],
    [
      "a last line with a changed value",
      bytesOf(lines.with(lines.length - 1, lines.at(-1)!.replace("told", "TOLD"))),
      damaged(lines.length, "sum")
    ],
    ["no byte", new Uint8Array(), { _tag: "Empty" }],
    ["a first line that was never finished", whole.subarray(0, 100), { _tag: "Empty" }],
    ["a first line of nulls", new Uint8Array(100), { _tag: "Foreign" }],
    ["a text that is no journal", Buffer.from("# Notes\n\nHello.\n"), { _tag: "Foreign" }],
    ["a text of one line without an end", Buffer.from("hello"), { _tag: "Foreign" }],
    ["a first record that opens nothing", journalBytes([settled("plan"), settled("b")]), { _tag: "Foreign" }],
    [
      "a newer version",
      journalBytes([{ ...openedRecord(), version: 2 }, settled("a")]),
      { _tag: "OtherVersion", found: 2, supported: 1 }
    ]
  ]
  for (const [what, bytes, reason] of damages) {
    nodeTest(`refuses ${what}`, () => Effect.map(readBytes(bytes), (read) => expect(read).toEqual(reason)))
  }

  nodeTest("refuses bytes that are no UTF-8, where the text they stand for would be right", function* () {
    const text = journalLines([openedRecord(), settled("a", "x\uFFFDy"), settled("b")]).join("\n")
    const [first = "", last = ""] = text.split("\uFFFD")
    const bytes = Buffer.concat([Buffer.from(first), Buffer.from([0xff]), Buffer.from(`${last}\n`)])
    expect(yield* readBytes(bytes)).toEqual(damaged(2, "shape"))
  })

  nodeTest("tells a last line that was not written to its end apart, at every byte", function* () {
    const start = startOf(lines.length)
    for (let end = start; end < whole.length; end += 1) {
      const read = yield* readInMemory(whole.subarray(0, end))
      expect(read).toMatchObject({ _tag: "Success", success: { size: start } })
      if (read._tag !== "Success") continue
      expect(read.success.lines.map(recordOf)).toEqual(oneOfEach.slice(0, -1))
      expect(read.success.torn).toEqual(whole.subarray(start, end))
    }
  })

  nodeTest("tells a last line apart that was half written and has its end", function* () {
    const start = startOf(lines.length)
    for (const torn of ["\n", `${lines.at(-1)!.slice(0, 30)}\n`, `${"\u0000".repeat(30)}${lines.at(-1)!.slice(30)}`]) {
      const bytes = Buffer.concat([whole.subarray(0, start), Buffer.from(torn)])
      expect(yield* readBytes(bytes)).toEqual({ records: oneOfEach.slice(0, -1), size: start, torn })
    }
  })

  nodeTest("uses nothing but the beginning of what was written, whichever bit was flipped", function* () {
    const few = oneOfEach.slice(0, 3)
    const bytes = journalBytes(few)
    let used = 0
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Uint8Array.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const read = yield* readInMemory(flipped)
      if (read._tag === "Failure") continue
      used += 1
      const { lines, torn } = read.success
      expect(lines.map(recordOf), `bit ${bit}`).toEqual(few.slice(0, lines.length))
      expect([lines.length, torn.length > 0], `bit ${bit}`).toEqual([2, true])
    }
    expect(used).toBeGreaterThan(100)
  })

  nodeTest("cuts no record off whose line end was flipped, wherever it stands", function* () {
    for (let line = 1; line <= lines.length; line += 1) {
      const end = startOf(line + 1) - 1
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = Uint8Array.from(whole)
        flipped[end]! ^= 1 << bit
        const read = yield* readInMemory(flipped)
        const reason = line === 1 ? { _tag: "Foreign" } : { _tag: "Damaged", line }
        expect(read, `end of line ${line}, bit ${bit}`).toMatchObject({ _tag: "Failure", failure: { reason } })
        /* The same when the line behind it was not written to its end. */
        if (line === 1 || line === lines.length) continue
        const cut = yield* readInMemory(flipped.subarray(0, end + 40))
        expect(cut).toMatchObject({ _tag: "Failure", failure: { reason } })
      }
    }
  })

  nodeTest("refuses a folder, a file that is not there, one that may not be read, and one of 2 GB", function* () {
    const folder = yield* makeFolder
    writeFileSync(`${folder}/large`, "")
    truncateSync(`${folder}/large`, 2 ** 31)
    expect(yield* why(folder)).toEqual({ _tag: "NotAFile" })
    expect(yield* why(`${folder}/none`)).toEqual({ _tag: "Missing" })
    expect(yield* why(`${folder}/large/journal.jsonl`)).toEqual({ _tag: "Unreadable", code: "ENOTDIR" })
    expect(yield* why(`${folder}/large`)).toEqual({ _tag: "TooLarge", bytes: 2 ** 31, most: maxJournalBytes })
  })
})
