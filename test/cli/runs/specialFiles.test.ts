/** What stands in the folder of runs beside journals, and state folders that cannot be made. */
import { afterAll, describe, expect, it } from "vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import type { RunSummary } from "../../../src/domain/history/RunOverview.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { journalBytes, openedRecord, settled } from "../../support/Journals.ts"

const sandbox = fileSandbox()

const state = join(sandbox.root, "home/.local/state/task-conductor")
const runs = join(state, "runs")
const pipe = (path: string) => void execFileSync("mkfifo", [path])

const sockets: Array<Server> = []
afterAll(() => sockets.forEach((socket) => socket.close()))

/** What may stand where a journal is expected. */
const strange: ReadonlyArray<readonly [what: string, put: (file: string) => unknown]> = [
  ["a named pipe", pipe],
  ["a folder", (file) => mkdirSync(file)],
  ["a socket", (file) => sockets.push(createServer().listen(file))],
  ["a device that never ends", (file) => symlinkSync("/dev/zero", file)],
  ["a link to itself", (file) => symlinkSync("journal.jsonl", file)],
  ["nothing", () => undefined]
]

describe("a folder of runs", () => {
  it("is listed and used whatever stands in it", async () => {
    for (const [index, [, put]] of strange.entries()) {
      const folder = join(runs, `20261120-183000-s${index}`)
      mkdirSync(folder, { recursive: true })
      put(join(folder, "journal.jsonl"))
    }
    pipe(join(runs, "20261120-183000-pipe"))
    writeFileSync(join(runs, "20261120-183000-file"), "x")
    const { code, stdout } = await sandbox.run(["runs", "--json"])
    const all = JSON.parse(stdout) as ReadonlyArray<RunSummary>
    expect([code, all.length]).toEqual([0, strange.length + 2])
    expect(new Set(all.map(({ standing }) => standing))).toEqual(new Set(["unreadable"]))
    for (const [index, [what]] of strange.entries()) {
      const runId = `20261120-183000-s${index}`
      for (const command of ["show", "resume", "replay"]) {
        const ended = await sandbox.run([command, runId])
        expect([what, command, ended.code]).toEqual([what, command, 1])
        expect(ended.stderr).toMatch(/^The journal \S+ (is|does|cannot) /)
      }
      expect([what, (await sandbox.run(["runs", "repair", runId])).code]).toEqual([what, 1])
    }
    const { code: pruned } = await sandbox.run(["runs", "prune", "--older-than", "0"])
    expect(pruned).toBe(0)
  })

  it("is repaired beside a named pipe that has the name of what is set aside", async () => {
    const folder = join(runs, "20261120-190000-pipe")
    mkdirSync(folder, { recursive: true })
    const opened = { ...openedRecord("20261120-190000-pipe") }
    const damaged = Buffer.from(journalBytes([opened, settled("a"), settled("b")])).toString()
    writeFileSync(join(folder, "journal.jsonl"), damaged.replace('"key":"b"', '"key":"c"'))
    pipe(join(folder, "journal.jsonl.damaged-3"))
    const { code, stderr } = await sandbox.run(["runs", "repair", "20261120-190000-pipe"])
    expect([code, stderr]).toEqual([0, expect.stringContaining("journal.jsonl.damaged-3-2")])
  })

  it("does without a key that is a named pipe, and says so", async () => {
    const key = join(state, "journal.key")
    rmSync(key, { force: true })
    pipe(key)
    const { code, stderr } = await sandbox.run(["run", "--model", "embedded", "Find notes."])
    rmSync(key)
    expect([code, stderr]).toEqual([0, expect.stringContaining("journal.key: it is not a key. Remove it.")])
  })
})

describe("a state folder that cannot be made", () => {
  writeFileSync(join(sandbox.root, "plain"), "x")

  const folders =
    "/proc/x /proc/x/y/z /proc/self/x /proc/self/fd/x /proc/sys/x /sys/x /sys/kernel/x /dev/null/x /dev/fd/x"
  it.each([...folders.split(" "), join(sandbox.root, "plain", "x"), `/${"x".repeat(300)}`])(
    "ends the run with a sentence: %s",
    async (folder) => {
      const env = { XDG_STATE_HOME: folder }
      const { code, stderr } = await sandbox.run(["run", "--model", "embedded", "Find notes."], { env })
      expect([code, stderr.includes("internal error")]).toEqual([1, false])
      expect(stderr).toMatch(/cannot be written: the system says [A-Z]+\. 0 records are safe, .* start the run\./)
    }
  )

  it("ends other commands too", async () => {
    for (const words of [["runs"], ["show", "last"], ["resume", "last"], ["runs", "prune", "--older-than", "1"]]) {
      const { stderr } = await sandbox.run(words, { env: { XDG_STATE_HOME: "/proc/x" } })
      expect(stderr).not.toContain("internal error")
    }
  })
})
