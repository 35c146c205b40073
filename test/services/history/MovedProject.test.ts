import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { inMovedProject } from "../../../src/services/history/MovedProject.ts"
import { recordOf } from "../../../src/services/journal/JournalLine.ts"
import { oneOfEach, openedRecord, settled } from "../../support/Journals.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { linesOf } from "../../support/SealedJournals.ts"

const started = (project: string): JournalRecord => ({
  type: "event",
  event: { type: "run.started", version: 1, runId: "r", project, model: "m", prompt: "p" }
})

const writing = (path: string): JournalRecord => {
  const intent = oneOfEach.find(({ type }) => type === "intent")
  if (intent?.type !== "intent") throw new Error("There is no intent.")
  return { ...intent, targets: [path, "npm test"], files: [{ path, before: null, after: "1" }] }
}

/** Where the files of the calls are, when the project is at `now`. */
const filesOf = Effect.fnUntraced(function* (records: ReadonlyArray<JournalRecord>, now: string) {
  const lines = yield* inMovedProject(linesOf(records.map((record) => JSON.stringify(record))), now)
  return lines
    .map(recordOf)
    .flatMap((record) => (record.type === "intent" ? [[record.files[0]?.path, ...record.targets]] : []))
})

describe("the files of a run whose project was moved", () => {
  nodeTest("are where the project is now", function* () {
    const records = [openedRecord(), started("/old"), writing("/old/a/b.txt"), settled("x"), writing("/oldest/c.txt")]
    for (const project of ["/new", "/old"]) {
      assert.deepStrictEqual(yield* filesOf(records, project), [
        [`${project}/a/b.txt`, `${project}/a/b.txt`, "npm test"],
        ["/oldest/c.txt", "/oldest/c.txt", "npm test"]
      ])
    }
  })

  nodeTest("are where the project is now after several moves, also into itself", function* () {
    const records = [openedRecord(), started("/a"), writing("/a/1"), started("/b"), writing("/b/2"), writing("/a/b/3")]
    assert.deepStrictEqual(
      (yield* filesOf(records, "/a/b")).map(([file]) => file),
      ["/a/b/1", "/a/b/2", "/a/b/3"]
    )
  })
})
