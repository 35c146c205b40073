/**
 * Sessions of one small workflow over the real journal engine and a journal on the disk, which each session reads and
 * continues.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import type { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { writeFileSync } from "node:fs"
import { Activities } from "../../src/services/journal/Activities.ts"
import { Journal } from "../../src/services/journal/Journal.ts"
import { layerJournalEngine } from "../../src/services/journal/JournalEngine.ts"
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

export const TestWorkflow = Workflow.make("test/Run", {
  payload: { runId: Schema.String },
  success: Schema.Json,
  error: Schema.String,
  idempotencyKey: ({ runId }) => runId
})

/** What a session provides outside a workflow. */
export const layerSession = (file: string) =>
  Layer.mergeAll(Activities.layerWorkflow, layerJournalEngine).pipe(Layer.provide(layerJournal(file)))

/** Does the work as a workflow in a session of its own. */
export const inSession = (
  file: string,
  work: Effect.Effect<Schema.Json, string, Activities | WorkflowEngine | WorkflowInstance>
) =>
  TestWorkflow.execute({ runId: "r" }).pipe(
    Effect.provide(TestWorkflow.toLayer(() => work).pipe(Layer.provideMerge(layerSession(file))))
  )
