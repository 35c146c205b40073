/** Runs that older versions left unfinished are continued, replayed, or refused with words. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { scopedSandbox } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { inProcess } from "../../support/inProcess.ts"
import { liveTest } from "../../support/liveTest.ts"
import { recordedAnswer } from "../../support/RecordedRuns.ts"
import { linesOf, textOf } from "../../support/SealedJournals.ts"

const fixtures = join(import.meta.dirname, "../../fixtures/journals")

describe("a run that an older version left", () => {
  for (const version of ["v1", "v1-turns", "v1-builds"])
    liveTest(`goes on and is replayed: ${version}`, function* () {
      const server = yield* FakeOllama.make(recordedAnswer)
      const sandbox = inProcess(yield* scopedSandbox())
      const { root } = sandbox
      const skill = readFileSync(join(fixtures, "v1/skills/any/SKILL.md"))
      sandbox.write("config/task-conductor/skills/any/SKILL.md", skill)
      sandbox.write("project/notes.md", "# Notes\n\nTea is hot.\n")
      const all = readFileSync(join(fixtures, version, "resumed/journal.jsonl"), "utf8")
        .trimEnd()
        .split("\n")
      const records = all.slice(0, Math.round(all.length * 0.7)).map((line) => {
        const { at, record } = JSON.parse(line) as { readonly at: string; readonly record: object }
        return at + JSON.stringify(record)
      })
      const runId = "20261121-185928-3bq1"
      const here = records.map((one) =>
        one
          .replaceAll(/2026\d{4}-\d{6}-\w{4}/g, runId)
          .replaceAll('"/project"', JSON.stringify(`${root}/project`))
          .replaceAll("http://127.0.0.1:11434", server.url)
      )
      const folder = join(root, "home/.local/state/task-conductor/runs", runId)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, "journal.jsonl"), textOf(linesOf(here)))
      const resumed = yield* Effect.promise(() =>
        sandbox.run(["resume", runId, "--allow", "write_file", "--allow", "read_file", "--yes-this-run"], {
          env: { OLLAMA_HOST: server.url }
        })
      )
      expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringMatching(/^done: 3 results/m)])
      expect(resumed.stderr).toContain("The journal of this run is not proven to be yours")
      const replayed = yield* Effect.promise(() => sandbox.run(["replay", runId]))
      /* Prompts that changed since are differences, which are told. */
      if (replayed.code === 0) expect(replayed.stderr).toContain(`The replay of ${runId} is the same`)
      else expect([replayed.code, replayed.stdout]).toEqual([1, expect.stringMatching(/^session \d: /)])
    })
})
