/**
 * Journals that were recorded once and stay: this program reads and shows every one of them, without their projects and
 * without a model server. Their tasks had no turns, so a replay says what is different.
 */
import { describe, expect, it } from "vitest"
import { cpSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { RunDifference } from "../../../src/plugins/replay/RunDifference.ts"
import type { RunOverview } from "../../../src/domain/history/RunOverview.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { takeSnapshot } from "../../support/FolderSnapshot.ts"

const fixtures = join(import.meta.dirname, "../../fixtures/journals/v1")
const sandbox = fileSandbox()
cpSync(join(fixtures, "skills"), join(sandbox.root, "config/task-conductor/skills"), { recursive: true })

const cases = [
  { name: "approved", runId: "20261121-185920-ndfx", standing: "done" },
  { name: "denied", runId: "20261121-185925-be4m", standing: "not_permitted" },
  { name: "resumed", runId: "20261121-185928-3bq1", standing: "done" }
] as const

for (const { name, runId } of cases) {
  const folder = join(sandbox.root, "home/.local/state/task-conductor/runs", runId)
  mkdirSync(folder, { recursive: true })
  cpSync(join(fixtures, name, "journal.jsonl"), join(folder, "journal.jsonl"))
}

const json = async <A>(...words: ReadonlyArray<string>): Promise<A> => {
  const { stdout } = await sandbox.run([...words, "--json"])
  return JSON.parse(stdout) as A
}

describe.concurrent("a journal that was recorded", () => {
  it("stands in the list of runs with how it ended", async () => {
    const { stdout } = await sandbox.start(["runs", "--json"]).ended
    const shown = cases.map(({ runId, standing }) => ({
      run_id: runId,
      standing,
      model: "qwen3:8b",
      project: "/project"
    }))
    expect(JSON.parse(stdout)).toMatchObject(shown.toSorted((a, b) => (a.run_id < b.run_id ? 1 : -1)))
  })

  it.each(cases)("is shown, and replayed to its first difference: $name", async ({ runId }) => {
    const { tasks } = await json<RunOverview>("show", runId)
    expect(tasks.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "Read 1 finished",
      "Look 1 finished",
      "Write 1 finished"
    ])
    const { code, stdout } = await sandbox.run(["show", runId, "--task", "Write 1"])
    expect([code, stdout.includes("- write_file "), stdout.includes("- write_file /")]).toEqual([0, true, false])
    const before = takeSnapshot(sandbox.root)
    const { differences } = await json<{ readonly differences: ReadonlyArray<RunDifference> }>("replay", runId)
    expect(differences.length).toBeGreaterThan(0)
    expect(takeSnapshot(sandbox.root)).toEqual(before)
  })

  it.each(cases)("tells of no machine: $name", ({ name }) => {
    const text = readFileSync(join(fixtures, name, "journal.jsonl"), "utf8")
    expect(text.match(/\/(tmp|home|root|Users|var)\/[^"\\ ]*/g)).toBeNull()
  })
})
