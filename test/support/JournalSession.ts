/**
 * Sessions of a run over a journal on the disk, which each session reads and continues.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { writeFileSync } from "node:fs"
import { Activities } from "../../src/services/journal/Activities.ts"
import { Journal } from "../../src/services/journal/Journal.ts"
import { recordOf } from "../../src/services/journal/JournalLine.ts"
import { readJournal } from "../../src/services/journal/JournalReader.ts"
import { openJournal } from "../../src/services/journal/JournalWriter.ts"
import { journalBytes, openedRecord } from "./Journals.ts"
import { makeFolder } from "./Project.ts"

/** Makes the journal of a run that has just begun. */
export const makeJournal = Effect.map(makeFolder, (folder) => {
  const file = `${folder}/journal.jsonl`
  writeFileSync(file, journalBytes([openedRecord()]))
  return file
})

/** The records on the disk after the first one. */
export const writtenTo = (file: string) => Effect.map(readJournal(file), ({ lines }) => lines.slice(1).map(recordOf))

/** The journal, continued in a session of its own. */
export const layerJournal = (file: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const content = yield* readJournal(file)
      return Journal.layer(content.lines, 1, yield* openJournal(file, content))
    })
  )

/** Does the work in a session of its own. */
export const inSession = <A, E, R>(file: string, work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Layer.fresh(Layer.provideMerge(Activities.layer, layerJournal(file))))
