import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { readJournal } from "../../../src/services/journal/JournalReader.ts"
import { repairJournal } from "../../../src/services/history/JournalRepair.ts"
import { journalBytes, openedRecord, settled } from "../../support/Journals.ts"
import { makeFolder } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const sound = Buffer.from(journalBytes([openedRecord(), settled("plan"), settled("round-1")])).toString("utf8")

describe("the repair of a journal", () => {
  nodeTest("sets aside the first damaged line and what follows it, beside what was set aside before", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* makeFolder}/journal.jsonl`
      const damaged = sound.replace('"round-1"', '"round-2"')
      yield* fs.writeFileString(file, damaged)
      yield* fs.writeFileString(`${file}.damaged-3`, "half")
      const rest = damaged.split("\n").slice(2).join("\n")
      const aside = `${file}.damaged-3-2`
      assert.deepStrictEqual(yield* repairJournal(file), {
        intact: 2,
        bytes: Buffer.byteLength(rest),
        aside,
        effects: []
      })
      assert.strictEqual(yield* fs.readFileString(aside), rest)
      assert.strictEqual(yield* fs.readFileString(`${file}.damaged-3`), "half")
      assert.strictEqual((yield* readJournal(file)).lines.length, 2)
    })
  )

  nodeTest("leaves a sound journal as it is", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* makeFolder}/journal.jsonl`
      yield* fs.writeFileString(file, sound)
      assert.isUndefined(yield* repairJournal(file))
      assert.strictEqual(yield* fs.readFileString(file), sound)
    })
  )
})
