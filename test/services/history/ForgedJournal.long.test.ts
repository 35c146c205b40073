/**
 * A journal as input: what somebody else wrote into one, or changed in one, permits nothing when its run goes on.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import type { StepAnswer } from "../../../src/domain/permissions/Answer.ts"
import { makeKeptRun } from "../../support/KeptRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { scriptedApprover } from "../../support/ScriptedApprover.ts"
import { bare, linesOf, type RecordJson, textOf } from "../../support/SealedJournals.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { stageName } from "../../support/stageName.ts"

/** One task that writes one file. */
const writer = (prompt: FilledPrompt): string => {
  const stage = stageName(prompt)
  if (stage === "creation") return planOf([[{ name: "Write 1" }]])
  if (stage === "execution") return resultSaying("Written.")
  if (stage === "iteration") return planOf([])
  const write = { name: "write_file", arguments: { path: "a.txt", content: "new\n" } }
  return stage === "refinement" ? refinementWith([write]) : "All is done."
}

const approving = (...steps: ReadonlyArray<StepAnswer>) => scriptedApprover({ steps })

/** A run that was killed when its person had approved its only step; `change` is what somebody made of its journal. */
const goOn = Effect.fnUntraced(function* (
  change: (records: ReadonlyArray<RecordJson>, keyFile: string) => ReadonlyArray<RecordJson>
) {
  const run = yield* makeKeptRun({ prompt: "Do it." })
  yield* run.session({ answer: writer, approver: approving("step").layer })
  const lines = readFileSync(run.file, "utf8").trimEnd().split("\n")
  const approved = lines.findIndex((line) => line.includes('"record":{"type":"answer"'))
  const records = lines
    .slice(0, approved + 1)
    .map((line) => line.replace(/^\{"seq":\d+,"at":"([^"]+)","record":/, "$1").slice(0, -18))
  rmSync(join(run.project, "a.txt"), { force: true })
  const keyFile = join(dirname(run.place.locks), "journal.key")
  writeFileSync(run.file, textOf(linesOf(change(records, keyFile))))
  const person = approving("step", "step")
  const { events, report } = yield* run.session({ answer: writer, approver: person.layer })
  /* A machine without bubblewrap is told so by a message without a code. */
  const warned = events.flatMap((event) => (event.type === "message" && event.code !== undefined ? [event.code] : []))
  return { run, asked: person.asked.length, status: report?.status, warned }
})

/** Leaves the journal as it is, and changes the file of the key. */
const keyFileChange =
  (change: (file: string) => void): Parameters<typeof goOn>[0] =>
  (records, file) => {
    change(file)
    return records
  }

/** One forgery of each kind; JournalSeal.test.ts has what is proven of all others. */
const forgeries: ReadonlyArray<readonly [what: string, change: Parameters<typeof goOn>[0]]> = [
  ["has no MACs, as that of an older version", (records) => records.map(bare)],
  ["has a changed approval", (records) => [...records.slice(0, -1), records.at(-1)!.replace('"step"', '"remaining"')]],
  ["came to a machine with another key", keyFileChange((file) => writeFileSync(file, `${"0f".repeat(32)}\n`))],
  ["came to a machine without a key", keyFileChange((file) => rmSync(file))],
  ["has a key that others can read", keyFileChange((file) => chmodSync(file, 0o640))]
]

describe("an approval in a journal", () => {
  liveTest("counts when its person wrote it", function* () {
    const { asked, run, status, warned } = yield* goOn((records) => records)
    expect([asked, status, warned]).toEqual([0, "done", []])
    const keyFile = join(dirname(run.place.locks), "journal.key")
    expect([basename(keyFile), statSync(keyFile).mode & 0o777]).toEqual(["journal.key", 0o600])
  })

  for (const [what, change] of forgeries) {
    liveTest(`is asked for again when the journal ${what}`, function* () {
      const { asked, status, warned } = yield* goOn(change)
      expect([asked, status, warned]).toEqual([1, "done", ["journal-unproven"]])
    })
  }

  liveTest("counts from the session on in which it was given again", function* () {
    const { run } = yield* goOn((records) => records.map(bare))
    const lines = readFileSync(run.file, "utf8").trimEnd().split("\n")
    const again = lines.findLastIndex((line) => line.includes('"record":{"type":"answer"'))
    yield* run.cut(again + 1)
    rmSync(join(run.project, "a.txt"))
    const person = approving()
    const { report } = yield* run.session({ answer: writer, approver: person.layer })
    expect([person.asked.length, report?.status]).toEqual([0, "done"])
  })
})
