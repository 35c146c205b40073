/** `replay` on the real binary, of runs that another process carried out, killed or not. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { inProcess } from "../../support/inProcess.ts"
import { type CrashRun, makeCrashRun } from "../../support/CrashRun.ts"
import { takeSnapshot } from "../../support/FolderSnapshot.ts"
import { changeJournal } from "../../support/Journals.ts"
import { liveTest } from "../../support/liveTest.ts"

/** Plays the newest run while what it wrote is gone; nothing is put back, and nobody calls the model server. */
const replay = ({ project, sandbox, server }: CrashRun, ...more: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    rmSync(join(project, "out"), { recursive: true, force: true })
    // Working copies that a killed process left are removed by the next one, whatever it does.
    rmSync(join(sandbox.root, "home/.local/state/task-conductor/copies"), { recursive: true, force: true })
    const before = [takeSnapshot(sandbox.root), server.acceptedCount()]
    const ended = await inProcess(sandbox).run(["replay", "last", ...more])
    expect([takeSnapshot(sandbox.root), server.acceptedCount()]).toEqual(before)
    return { ...ended, stderr: ended.stderr.replace(/\d{8}-\d{6}-\w+/, "RUN").replace(/\d+ events/, "N events") }
  })

const journalOf = ({ sandbox }: CrashRun): string => {
  const folder = join(sandbox.root, "home/.local/state/task-conductor/runs")
  const [file = ""] = globSync("*/journal.jsonl", { cwd: folder })
  return join(folder, file)
}

describe("replay", () => {
  liveTest("shows the first difference and ends with 1 when an answer in the journal was changed", function* () {
    const run = yield* makeCrashRun()
    expect((yield* run.session({})).code).toBe(0)
    const file = journalOf(run)
    const key = "round-1/turn/talk-1/attempt-1"
    writeFileSync(
      file,
      changeJournal(readFileSync(file, "utf8"), (json) =>
        json.startsWith(`{"type":"outcome","key":"${key}`) ? json.replace("Talk 1 is done.", "Talk 1 is open.") : json
      )
    )
    const { code, stderr, stdout } = yield* replay(run)
    expect([code, stdout.replaceAll(/(?<=: {1,2})\.\.\..*(Talk 1 is \w+)\..*/g, "$1")]).toEqual([
      1,
      'task.finished round 1 "Talk 1"\n  then: Talk 1 is done\n  now:  Talk 1 is open\n'
    ])
    expect(stderr).toMatch(/^This is the first of \d+ differences; --json prints all\.\n$/)
    const all = JSON.parse((yield* replay(run, "--json")).stdout) as {
      readonly same: boolean
      readonly differences: ReadonlyArray<{ readonly about: string }>
    }
    expect([all.same, all.differences[0]?.about]).toEqual([false, 'task.finished round 1 "Talk 1"'])
  })
})
