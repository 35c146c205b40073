/** Journals with records of a newer version: what can be read is read, and the version that wrote the rest is named. */
import { beforeAll, describe, expect, it } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "../../../src/app/build.ts"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { linesOf, type RecordJson, textOf } from "../../support/SealedJournals.ts"

const sandbox = fileSandbox()

const runs = "home/.local/state/task-conductor/runs"
let whole: ReadonlyArray<RecordJson> = []
let original = ""

beforeAll(async () => {
  sandbox.write("project/notes.md", "# Notes\n\nThe limit is 3.\n")
  await sandbox.run(["run", "--model", "embedded", "What is the limit?"])
  original = readdirSync(join(sandbox.root, runs))[0] ?? ""
  const text = readFileSync(join(sandbox.root, runs, original, "journal.jsonl"), "utf8")
  whole = text
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\{"seq":\d+,"at":"([^"]+)","record":/, "$1").slice(0, -18))
})

let count = 0

/** The same run under another name, with other records. */
const plant = (change: (records: ReadonlyArray<RecordJson>) => ReadonlyArray<RecordJson>): string => {
  const runId = `20261120-183000-${String((count += 1)).padStart(4, "0")}`
  const records = change(whole).map((json) => json.replaceAll(original, runId))
  sandbox.write(`${runs}/${runId}/journal.jsonl`, textOf(linesOf(records)))
  return runId
}

const newer = '{"type":"resumed","program":"9.9.9"}'
const events = (type: string, more: string) => `{"type":"event","event":{"type":"${type}"${more}}}`
const unknown: ReadonlyArray<readonly [what: string, record: string]> = [
  ["a kind", '{"type":"note","text":"x"}'],
  ["a kind that holds an event", '{"type":"aside","event":{"type":"run.finished"}}'],
  ["an event", events("task.dreamt", ',"task":"x"')],
  ["a prompt in another form", '{"type":"prompt","key":"plan/attempt-9#1","messages":[]}'],
  ["an empty record", '{"type":"seen"}']
]

const wordsOfErrors = /internal error|SchemaError|Expected |at \[/

describe("a journal of a newer version", () => {
  it.each(unknown)("is shown and played again without %s that is not known, and goes on", async (_what, record) => {
    const runId = plant((records) => [...records, newer, record])
    for (const words of [["show"], ["replay"], ["show", "--json"]]) {
      const { code, stderr, stdout } = await sandbox.run([...words, runId])
      expect([words[0], stderr.match(wordsOfErrors)]).toEqual([words[0], null])
      expect(stderr).toMatch(/^note: One record of this journal \(.+\) cannot be read .* task-conductor 9\.9\.9 wrote/m)
      if (words[0] === "show") expect([code, stdout.includes("limit")]).toEqual([0, true])
    }
    const { code, stderr } = await sandbox.run(["resume", runId])
    expect([code, stderr.match(wordsOfErrors)]).toEqual([0, null])
  })

  it.each([
    ["what a call was about to do", '{"type":"intent","key":"round-1/tool/x/call-1#1","plan":[]}', "intent"],
    ["how it went on", '{"type":"resumed"}', "resumed"]
  ])("does not go on when it cannot read %s, and is shown", async (_what, record, kind) => {
    const runId = plant((records) => [...records, newer, record])
    const resumed = await sandbox.run(["resume", runId])
    expect([resumed.code, resumed.stderr.match(wordsOfErrors)]).toEqual([1, null])
    expect(resumed.stderr).toContain(`(${kind}) that was written by task-conductor`)
    expect((await sandbox.run(["show", runId])).code).toBe(0)
  })

  it("is replayed with a note about the version that made it", async () => {
    const runId = plant((records) =>
      records.with(0, records[0]!.replace(/"program":"[^"]*"/, '"program":"0.0.9+0a1b2c3d"'))
    )
    const { code, stderr } = await sandbox.run(["replay", runId])
    const note = `note: 0.0.9+0a1b2c3d of task-conductor made the run, and ${build} replays it.`
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${note}\nThe replay of ${runId} is the same`)])
    const { stdout } = await sandbox.run(["replay", "--json", runId])
    expect(JSON.parse(stdout)).toMatchObject({ same: true, made_by: "0.0.9+0a1b2c3d", replayed_by: build })
  })

  it("names the version when not even its first record can be read", async () => {
    const runId = plant((records) =>
      records.with(0, records[0]!.replace(/"program":"[^"]*"/, '"program":"9.9.9"').replace('"prompt":', '"wish":'))
    )
    for (const command of ["show", "resume", "replay"]) {
      const { code, stderr } = await sandbox.run([command, runId])
      expect([code, stderr]).toEqual([1, expect.stringContaining("(opened) that was written by task-conductor 9.9.9")])
    }
    expect((await sandbox.run(["runs"])).code).toBe(0)
  })

  it.each([
    ["settled", "plan"],
    ["outcome", "plan"],
    ["seen", ""]
  ])("says so when a value (%s) has another form", async (type, key) => {
    const runId = plant((records) =>
      records.map((json) =>
        json.includes(`{"type":"${type}","key":"${key}`) ? json.replace(/"value":.*$/, '"value":{"new":true}}') : json
      )
    )
    for (const command of ["resume", "replay"]) {
      const { stderr, stdout } = await sandbox.run([command, runId])
      expect([type, command, `${stderr}${stdout}`.match(wordsOfErrors)]).toEqual([type, command, null])
    }
  })
})
