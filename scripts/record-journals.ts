/**
 * Records the journals of test/fixtures/journals anew: `node scripts/record-journals.ts FOLDER`. What belongs to this
 * machine (the folder of the project, the address of the model, the operating system) is replaced; the hashes in the names
 * of prompts and the sums of the lines are made again for what then stands there. Needs `script` of util-linux.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { JournalRecord, makeWholePrompts } from "../src/domain/journal/JournalRecord.ts"
import { activityName } from "../src/domain/runs/ActivityKey.ts"
import { hashOf } from "../src/services/files/Hash.ts"
import { decodeLine, firstSum, type JournalLine, recordOf, sumIn } from "../src/services/journal/JournalLine.ts"
import { encodeLine } from "../test/support/encodeLine.ts"
import { record, recordingNames } from "../test/support/RecordedRuns.ts"

const encode = Schema.encodeSync(JournalRecord)
const decode = Schema.decodeUnknownSync(JournalRecord)

const linesOf = (journal: string): ReadonlyArray<JournalLine> => {
  const lines: Array<JournalLine> = []
  for (const text of journal.trimEnd().split("\n")) {
    const last = lines.at(-1)
    const line = decodeLine(text, { seq: lines.length + 1, before: last === undefined ? firstSum : sumIn(last.text) })
    if (typeof line === "string") throw new Error(`line ${lines.length + 1}: ${line}`)
    lines.push(line)
  }
  return lines
}

/** The record with texts of this machine replaced. */
const neutral = (one: JournalRecord, machine: Readonly<Record<string, string>>): JournalRecord => {
  let json = JSON.stringify(encode(one))
  for (const [mine, other] of Object.entries(machine)) json = json.replaceAll(mine, other)
  return decode(JSON.parse(json.replaceAll(/- Operating system: [^\\"]*/g, "- Operating system: Linux 6.1 (x64)")))
}

/** The names of prompts after the replacement. */
const namesOf = (records: ReadonlyArray<JournalRecord>): ReadonlyMap<string, string> =>
  new Map(
    records.flatMap((one) => {
      if (one.type !== "prompt") return []
      const key = one.key.split("#")[0] ?? ""
      return [[one.key, activityName({ key, input: hashOf([one.system ?? "", one.user]) })] as const]
    })
  )

const folder = process.argv[2] ?? "test/fixtures/journals/v1"
for (const name of recordingNames) {
  const { journal, machine } = await Effect.runPromise(Effect.scoped(record(name)))
  const lines = linesOf(journal)
  const records = lines
    .map(recordOf)
    .map(makeWholePrompts())
    .map((one) => neutral(one, machine))
  const names = namesOf(records)
  let before = firstSum
  const texts = records.map((one, index) => {
    const renamed = "key" in one ? { ...one, key: names.get(one.key) ?? one.key } : one
    const line = encodeLine(renamed, { seq: index + 1, at: lines[index]?.at ?? "", before })
    before = line.sum
    return `${line.text}\n`
  })
  const opened = records[0]
  if (opened?.type !== "opened") throw new Error(`${name} does not begin with its first record`)
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, "journal.jsonl"), texts.join(""))
  console.log(`${name}: ${lines.length} records, ${texts.join("").length} bytes, run ${opened.order.runId}`)
}
