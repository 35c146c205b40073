/** `resume` of journals that cannot be used says why and changes nothing. */
import { describe, expect, it } from "vitest"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { journalBytes, openedRecord, settled } from "../../support/Journals.ts"

const sandbox = fileSandbox()

const runs = "home/.local/state/task-conductor/runs"
const whole = Buffer.from(journalBytes([openedRecord(), settled("a"), settled("b"), settled("c")])).toString()
const lines = whole.split(/(?<=\n)/)
const damaged = (line: number, what: string) =>
  `is damaged: line ${line} ${what} The ${line - 1} lines before it are intact. "task-conductor runs repair" sets the rest aside, so that the run can be resumed from there.`
const foreign = "does not begin as a journal of task-conductor does. Nothing of it is used."
const empty = "is empty: the run ended before anything was written. Start it anew."

/** One of each kind of damage; JournalReader.test.ts has them all. */
const cases: ReadonlyArray<readonly [what: string, content: string | Uint8Array, says: string]> = [
  [
    "a changed character",
    whole.replace('"key":"b"', '"key":"x"'),
    damaged(3, "was changed: its checksum does not hold.")
  ],
  ["nothing", "", empty],
  ["something else", "# Notes\n", foreign]
]

let count = 0

/** Puts a journal in place with `put` and resumes it. */
const resume = async (put: (file: string) => void) => {
  const runId = `20261120-183000-${String((count += 1)).padStart(4, "0")}`
  const file = join(sandbox.root, runs, runId, "journal.jsonl")
  mkdirSync(dirname(file), { recursive: true })
  put(file)
  const { code, stderr, stdout } = await sandbox.run(["resume", runId])
  return { file, code, stdout, said: stderr.replaceAll(`<root>/${runs}/${runId}/journal.jsonl`, "FILE") }
}

describe.concurrent("resume", () => {
  it.each(cases)("refuses a journal with %s", async (_what, content, says) => {
    const { code, file, said, stdout } = await resume((file) => writeFileSync(file, content))
    expect([code, stdout, said.trim()]).toEqual([1, "", `The journal FILE ${says}`])
    expect(readFileSync(file)).toEqual(Buffer.from(content))
  })
})

it("sets a torn last line aside and goes on", async () => {
  const torn = lines[3]!.slice(0, 40)
  const project = join(sandbox.root, "project")
  const opened = { ...openedRecord(), project, order: { runId: "20261120-183000-torn", prompt: "Hi." } }
  const bytes = Buffer.concat([Buffer.from(journalBytes([opened])), Buffer.from(torn)])
  const file = join(sandbox.root, runs, "20261120-183000-torn/journal.jsonl")
  sandbox.write(`${runs}/20261120-183000-torn/journal.jsonl`, bytes)
  const { code, stderr } = await sandbox.start(["resume", "20261120-183000-torn", "--deny", "write_file"]).ended
  expect([code, stderr]).toEqual([expect.any(Number), expect.not.stringContaining("is damaged")])
  expect(readFileSync(`${file}.torn-2`, "utf8")).toBe(torn)
  expect(stderr).toContain("note: the last record of the journal is incomplete.")
  const [first = "", second = ""] = readFileSync(file, "utf8").split("\n")
  expect([`${first}\n`, JSON.parse(second).record.type]).toEqual([
    Buffer.from(journalBytes([opened])).toString(),
    "resumed"
  ])
})
