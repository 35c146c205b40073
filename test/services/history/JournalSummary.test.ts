import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { crc32 } from "node:zlib"
import { readJournalSummary } from "../../../src/services/history/JournalSummary.ts"
import { ended, journalBytes, journalLines, openedRecord, settled } from "../../support/Journals.ts"
import { makeFolder } from "../../support/Project.ts"

const finished = (answer = "Yes.") => ended("done", answer)

const peek = Effect.fnUntraced(function* (...parts: ReadonlyArray<string | Uint8Array>) {
  const file = `${yield* makeFolder}/journal.jsonl`
  writeFileSync(file, Buffer.concat(parts.map((part) => Buffer.from(part))))
  return yield* readJournalSummary(file)
})

const statusOf = (...parts: ReadonlyArray<string | Uint8Array>) => Effect.map(peek(...parts), (found) => found?.status)

layer(NodeServices.layer)("a look at a journal", (it) => {
  it.effect("tells what was asked, when it began, how it ended and its size", () =>
    Effect.gen(function* () {
      const bytes = journalBytes([openedRecord(), settled("a"), finished()])
      expect(yield* peek(bytes)).toEqual({
        opened: openedRecord(),
        startedAt: "2026-11-20T18:30:00.000Z",
        status: "done",
        bytes: bytes.length
      })
    })
  )

  for (const size of [10, 65_000, 65_300, 65_536, 70_000, 131_072, 300_000]) {
    it.effect(`finds the end behind lines and within a last line of ${size} characters`, () =>
      Effect.gen(function* () {
        const long = "x".repeat(size)
        const opened = { ...openedRecord(), order: { runId: "a", prompt: long } }
        expect(yield* statusOf(journalBytes([opened, settled("a", long), finished(long)]))).toBe("done")
        expect(yield* statusOf(journalBytes([opened, finished(long)]))).toBe("done")
        expect(yield* statusOf(journalBytes([opened, finished(), settled("a", long)]))).toBe(undefined)
        expect(yield* statusOf(journalBytes([opened]))).toBe(undefined)
      })
    )

    it.effect(`passes over ${size} torn bytes at the end`, () =>
      Effect.gen(function* () {
        const whole = journalBytes([openedRecord(), settled("a"), finished()])
        const [, torn = ""] = journalLines([openedRecord(), finished("x".repeat(size))])
        expect(yield* statusOf(whole, "x".repeat(size))).toBe("done")
        expect(yield* statusOf(journalBytes([openedRecord()]), torn)).toBe(undefined)
      })
    )
  }

  it.effect("sees no end that only stands in a value", () =>
    Effect.gen(function* () {
      const end = journalLines([openedRecord(), finished()])[1]!
      expect(yield* statusOf(journalBytes([openedRecord(), settled(end, `\n${end}\n`)]))).toBe(undefined)
    })
  )

  it.effect("gives nothing for what does not begin as a journal of this version", () =>
    Effect.gen(function* () {
      const whole = journalBytes([openedRecord(), finished()])
      const strange = journalLines([openedRecord()])[0]!.replace('"parallel":2', '"parallel":9')
      expect([
        yield* peek(""),
        yield* peek("hello\n"),
        yield* peek(whole.subarray(0, 50)),
        yield* peek("\uFEFF", whole),
        yield* peek(`${strange}\n`),
        yield* peek(journalBytes([settled("a")])),
        yield* peek(journalBytes([{ ...openedRecord(), version: 2 }]))
      ]).toEqual([undefined, undefined, undefined, undefined, undefined, undefined, undefined])
      expect(yield* readJournalSummary(yield* makeFolder)).toBe(undefined)
    })
  )

  it.effect("gives nothing for settings that this program does not know", () =>
    Effect.gen(function* () {
      const [line = ""] = journalLines([{ ...openedRecord(), settings: { think: "high" } }])
      const body = line.slice(0, -18).replace('"high"', '"more"')
      const sum = crc32(`00000000${body}`).toString(16).padStart(8, "0")
      expect(yield* peek(`${body},"sum":"${sum}"}\n`)).toBe(undefined)
    })
  )
})
