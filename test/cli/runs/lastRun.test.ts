import { beforeAll, describe, expect, it } from "vitest"
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { RunSummary } from "../../../src/domain/history/RunOverview.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { changeJournal } from "../../support/Journals.ts"

const sandbox = fileSandbox()

const folder = join(sandbox.root, "home/.local/state/task-conductor/runs")
/** Gives a run another id, and its first record another time. */
const rename = (runId: string, to: string, at: string): void => {
  renameSync(join(folder, runId), join(folder, to))
  const file = join(folder, to, "journal.jsonl")
  const lines = readFileSync(file, "utf8").split("\n")
  const [first = ""] = lines
  const text = [first.replace(/"at":"[^"]*"/, `"at":"${at}"`), ...lines.slice(1)].join("\n")
  writeFileSync(
    file,
    changeJournal(text, (json) => json.replaceAll(runId, to))
  )
}

type Listed = Pick<RunSummary, "project" | "tasks"> & { readonly run_id: string }

const list = async (): Promise<ReadonlyArray<Listed>> =>
  JSON.parse((await sandbox.run(["runs", "--json"])).stdout) as ReadonlyArray<Listed>

let other = ""
beforeAll(async () => {
  mkdirSync(join(sandbox.root, "other"))
  sandbox.write("project/notes.md", "# Notes\n")
  const { stderr } = await sandbox.run(["run", "--model", "embedded", "--project", "../other", "Find notes."])
  other = /run (\S+) with/.exec(stderr)?.[1] ?? ""
})

describe("the last run", () => {
  it("is not that of another project", async () => {
    const none = `There is no run of this project (<root>/project) yet. There is one run of another project; the newest is ${other} of <root>/other. See "task-conductor runs --all".\n`
    for (const words of ["show last", "resume last", "replay last", "fork last --from Search", "runs repair last"])
      expect([words, await sandbox.run(words.split(" "))]).toEqual([words, { code: 2, stdout: "", stderr: none }])
  })

  it("has no list of its own before there is one", async () => {
    expect(await sandbox.run(["runs"])).toEqual({
      code: 0,
      stdout: "",
      stderr: "There are no runs of this project yet. There is 1 run of other projects: task-conductor runs --all\n"
    })
    expect((await sandbox.run(["runs", "--all"])).stdout).toMatch(/✓ done .*<root>\/other {2}Find notes\.\n$/)
  })

  it("is the newest of this project, also within one second", async () => {
    await sandbox.run(["run", "--model", "embedded", "Find notes."])
    await sandbox.run(["run", "--model", "embedded", "Find notes again."])
    const ids = (await list()).flatMap(({ project, run_id }) => (project?.endsWith("/project") ? [run_id] : []))
    const [second = "", first = ""] = ids
    rename(first, "20260101-100000-zzzz", "2026-01-01T10:00:00.100Z")
    rename(second, "20260101-100000-aaaa", "2026-01-01T10:00:00.900Z")
    expect((await list()).map(({ run_id }) => run_id)).toEqual([other, "20260101-100000-aaaa", "20260101-100000-zzzz"])
    const { stdout } = await sandbox.run(["show", "last", "--json"])
    const overview = JSON.parse(stdout) as { readonly ended_at?: string }
    expect(overview).toMatchObject({
      run_id: "20260101-100000-aaaa",
      status: "done",
      model: "embedded",
      prompt: "Find notes again.",
      project: "<root>/project",
      started_at: "2026-01-01T10:00:00.900Z",
      exit_code: 0
    })
    expect(new Date(overview.ended_at ?? "").toISOString()).toBe(overview.ended_at)
  })

  it("is listed with those of this project, and the others are counted", async () => {
    const { stderr, stdout } = await sandbox.run(["runs"])
    expect(stderr).toBe("There is 1 run of other projects: task-conductor runs --all\n")
    const lines = stdout.trimEnd().split("\n")
    expect(lines.map((line) => line.slice(0, 33))).toEqual([
      "20260101-100000-aaaa  ✓ done  1/1",
      "20260101-100000-zzzz  ✓ done  1/1"
    ])
    expect((await sandbox.run(["runs", "--all"])).stdout.split("\n").map((line) => line.slice(0, 20))).toEqual([
      "20260101-100000-aaaa",
      "20260101-100000-zzzz",
      other,
      ""
    ])
  })

  it("is that of the moved project when a person says that it was moved", async () => {
    renameSync(join(sandbox.root, "other"), join(sandbox.root, "moved"))
    const { code, stderr } = await sandbox.run(["resume", "last", "--project", "../moved"])
    expect([code, stderr]).toEqual([0, expect.stringContaining(`run ${other} with embedded in <root>/moved`)])
    const found = (await list()).find(({ run_id }) => run_id === other)
    expect([found?.project, found?.tasks]).toEqual(["<root>/moved", { done: 1, total: 1 }])
  })
})

it("show tells of a task what it was for, what was found, its calls and files, and the rest on request", async () => {
  const { stdout } = await sandbox.run(["show", "last", "--task", "search 1"])
  expect(stdout).toMatch(/^# Task Search 1\n\nfinished · skill search-code\n\n## Purpose\n\nFind notes again\.\n/)
  expect(stdout).toMatch(/\n## Result\n\nFound 1 line .*\n\n## Calls\n\n- search_files "note"[^\n]*: \d+ bytes, \d/s)
  expect(stdout).toMatch(/\n- 2 calls: \d+ tokens in, \d+ out, /)
  expect(stdout).not.toContain("System part of the prompt")
  const whole = await sandbox.run(["show", "last", "--task", "search 1", "--prompts"])
  expect(whole.stdout).toContain("#### System part of the prompt")
  expect(await sandbox.run(["show", "last", "--prompts"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Name it: --task "Search 1".')
  })
})
