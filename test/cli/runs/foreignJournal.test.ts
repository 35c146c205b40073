/** What the settings of a foreign journal name is neither loaded nor started, and chooses no folder to work in. */
import { describe, expect, it } from "vitest"
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import type { Configuration } from "../../../src/domain/configuration/Configuration.ts"
import type { JournalRecord } from "../../../src/domain/journal/JournalRecord.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { journalBytes, openedRecord } from "../../support/Journals.ts"

const sandbox = fileSandbox()

const project = join(sandbox.root, "project")
const canary = join(sandbox.root, "canary")
const runs = "home/.local/state/task-conductor/runs"

sandbox.write("project/notes.md", "# Notes\n\nNothing.\n")
sandbox.write("project/plugin.mjs", 'throw new Error("the plugin was loaded")\n')

const server = (name: string) => ({ command: "touch", args: [`${canary}-${name}`] })

let count = 0

/** Puts a journal with these settings into the folder of runs, as somebody else could make it. */
const plant = (
  settings: Configuration,
  { at = project, more = [] }: { readonly at?: string; readonly more?: ReadonlyArray<JournalRecord> } = {}
): string => {
  const runId = `20261120-183000-${String((count += 1)).padStart(4, "0")}`
  const opened = { ...openedRecord(runId), project: at, order: { runId, prompt: "Find notes." } }
  const all = [{ ...opened, settings: { model: "embedded", ...settings } }, ...more]
  sandbox.write(`${runs}/${runId}/journal.jsonl`, Buffer.from(journalBytes(all)))
  return runId
}

const plugins = { plugins: [join(project, "plugin.mjs")] }
const loaded = /the plugin was loaded/
const notProven = /is not proven to be yours/

describe("a journal of somebody else", () => {
  it("loads no plugin when its run goes on; the user may name it", async () => {
    const { stderr } = await sandbox.run(["resume", plant(plugins)])
    expect([stderr.match(loaded), notProven.test(stderr)]).toEqual([null, true])
    const named = await sandbox.run(["resume", plant({}), "--plugin", "./plugin.mjs"])
    expect(named.stderr).toMatch(loaded)
  })

  it("loads no plugin when it is played again, whichever record names it", async () => {
    const resumed: JournalRecord = { type: "resumed", program: "0.1.0", settings: { model: "embedded", ...plugins } }
    for (const runId of [plant(plugins), plant({}, { more: [resumed] })]) {
      const { stderr } = await sandbox.run(["replay", runId])
      expect(stderr).toMatch(/is the same, .* as far as the journal goes: the run did not finish\.$/m)
      expect(stderr).not.toMatch(loaded)
    }
  })

  it("loads no plugin of the configuration when it is played again", async () => {
    sandbox.write("config/task-conductor/config.json", JSON.stringify(plugins))
    const again = await sandbox.run(["replay", plant({})])
    const resumed = await sandbox.run(["resume", plant({})])
    sandbox.write("config/task-conductor/config.json", "{}")
    expect([loaded.test(again.stderr), loaded.test(resumed.stderr)]).toEqual([false, true])
    const quiet = await sandbox.run(["resume", plant({}), "--quiet"])
    expect([/^run /m.test(resumed.stderr), /^run /m.test(quiet.stderr)]).toEqual([true, false])
  })

  it("starts no server when its run goes on, or is played again", async () => {
    const settings: Configuration = { mcpServers: { notes: server("journal") } }
    await sandbox.run(["resume", plant(settings)])
    await sandbox.run(["replay", plant(settings)])
    sandbox.write("config/task-conductor/config.json", JSON.stringify({ mcpServers: { notes: server("own") } }))
    await sandbox.run(["replay", plant({})])
    expect([existsSync(`${canary}-journal`), existsSync(`${canary}-own`)]).toEqual([false, false])
    await sandbox.run(["resume", plant({})])
    sandbox.write("config/task-conductor/config.json", "{}")
    expect(existsSync(`${canary}-own`)).toBe(true)
  })

  it("does not choose the folder to work in", async () => {
    const elsewhere = join(sandbox.root, "elsewhere")
    mkdirSync(elsewhere, { recursive: true })
    const refused = await sandbox.run(["resume", plant({}, { at: elsewhere })])
    const said =
      'its journal may come from somebody else, so it cannot choose the folder to work in. Name the folder yourself: --project "<root>/elsewhere".'
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(said)])
    const chosen = await sandbox.run(["resume", plant({}, { at: elsewhere }), "--project", "../elsewhere"])
    expect([chosen.code, chosen.stderr]).toEqual([0, expect.stringContaining("in <root>/elsewhere")])
  })

  it("does not choose a hosted model", async () => {
    const { code, stderr } = await sandbox.run(["resume", plant({ model: "gpt-oss:120b-cloud" })])
    expect([code, stderr]).toEqual([2, expect.stringContaining("Give a model: --model NAME.")])
  })
})

it("a project that was moved is named when its run goes on, once", async () => {
  const old = join(sandbox.root, "old")
  mkdirSync(old)
  sandbox.write("old/notes.md", "# Notes\n")
  const { stderr } = await sandbox.run(["run", "--model", "embedded", "--project", "../old", "Find notes."])
  const runId = /run (\S+) with/.exec(stderr)?.[1] ?? ""
  renameSync(old, join(sandbox.root, "new"))
  const lost = await sandbox.run(["resume", runId])
  const said = "its project <root>/old was not found. If it was moved, say where it is: --project FOLDER."
  expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining(said)])
  for (const words of [["last", "--project", "../new"], [runId]]) {
    const { code, stderr } = await sandbox.run(["resume", ...words])
    expect([code, stderr]).toEqual([0, expect.stringContaining("in <root>/new")])
    expect(stderr).not.toMatch(notProven)
  }
})

it("makes the key of the user with the first journal, and keeps it", async () => {
  const file = join(sandbox.root, "home/.local/state/task-conductor/journal.key")
  const keys = []
  for (const _run of [1, 2]) {
    await sandbox.run(["run", "--model", "embedded", "Find notes."])
    keys.push(readFileSync(file, "utf8"))
  }
  expect(keys).toEqual([keys[1], expect.stringMatching(/^[0-9a-f]{64}\n$/)])
})
