import { assert, describe } from "@effect/vitest"
import * as FileSystem from "effect/FileSystem"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { readJournal } from "../../../src/services/journal/JournalReader.ts"
import { repairJournal } from "../../../src/services/history/JournalRepair.ts"
import { journalBytes, openedRecord, settled } from "../../support/Journals.ts"
import { makeFolder } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const sound = Buffer.from(journalBytes([openedRecord(), settled("plan"), settled("round-1")])).toString("utf8")

const intentOf = (name: string, path: string): JournalRecord => ({
  type: "intent",
  key: `round-1/tool/t/${name}`,
  call: { uid: "call-1", name, arguments: { content: 'a "name":"x" \n' } },
  task: "T",
  effect: "once",
  targets: path === "" ? [] : [path],
  files: []
})

describe("the repair of a journal", () => {
  nodeTest("sets aside the first damaged line and what follows it, beside what was set aside before", function* () {
    const fs = yield* FileSystem.FileSystem
    const file = `${yield* makeFolder}/journal.jsonl`
    const damaged = sound.replace('"round-1"', '"round-2"')
    yield* fs.writeFileString(file, damaged)
    yield* fs.writeFileString(`${file}.damaged-3`, "half")
    const rest = damaged.split("\n").slice(2).join("\n")
    const quarantine = `${file}.damaged-3-2`
    assert.deepStrictEqual(yield* repairJournal(file), {
      intact: 2,
      bytes: Buffer.byteLength(rest),
      quarantine,
      effects: []
    })
    assert.strictEqual(yield* fs.readFileString(quarantine), rest)
    assert.strictEqual(yield* fs.readFileString(`${file}.damaged-3`), "half")
    assert.strictEqual((yield* readJournal(file)).lines.length, 2)
  })

  nodeTest("names the calls that are no longer known, and may be done again", function* () {
    const fs = yield* FileSystem.FileSystem
    const file = `${yield* makeFolder}/journal.jsonl`
    const records = [
      openedRecord(),
      intentOf("write_file", "/p/kept.txt"),
      settled("a"),
      intentOf("write_file", "/p/a.txt")
    ]
    const more = [settled("b"), intentOf("run_command", "npm test"), intentOf("send", ""), settled("c")]
    const text = Buffer.from(journalBytes([...records, ...more])).toString()
    yield* fs.writeFileString(file, text.replace('"key":"a"', '"key":"x"').replace('"targets":["npm', '"targets":[npm'))
    const repaired = yield* repairJournal(file)
    assert.deepStrictEqual(repaired?.effects, ["write_file /p/a.txt", "run_command", "send"])
  })

  nodeTest("leaves a sound journal as it is", function* () {
    const fs = yield* FileSystem.FileSystem
    const file = `${yield* makeFolder}/journal.jsonl`
    yield* fs.writeFileString(file, sound)
    assert.isUndefined(yield* repairJournal(file))
    assert.strictEqual(yield* fs.readFileString(file), sound)
  })
})
