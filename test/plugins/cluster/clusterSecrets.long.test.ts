import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { askedOf, makeCluster, writing } from "../../support/Cluster.ts"
import type { ChatBody } from "../../support/FakeOllamaScript.ts"
import { withSql } from "../../support/LeasedRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { secrets } from "../../support/SecretForms.ts"
import { freeSkill, planOf, refinementWith } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

/** A secret that only its variable tells, and forms around which text stands. */
const ofVariable = "correct-Horse-7"
const values = [...Object.values(secrets), ofVariable]
const around = [
  ...["", "\n", "\t", "TOKEN=", '"', "'", "é", "\u001b[1m"].map((before) => `${before}${secrets["OpenAI"]}`),
  `Authorization: Bearer ${ofVariable.repeat(2)}`,
  `https://me:${ofVariable}@host.example/`,
  ...values
]
/** Some to a file. */
const contents = Array.from({ length: Math.ceil(around.length / 8) }, (_, index) =>
  around.slice(8 * index, 8 * index + 8).join("\n")
)

/** What a secret holds that no other text does, however it is written. */
const traces = [
  "aB3aB3aB3aB3",
  "ABCDEFGHIJKLMNOP",
  "0a0a0a0a0a0a0a0a",
  "correct-Horse",
  Buffer.from("aB3aB3aB3aB3").toString("base64"),
  Buffer.from("aB3aB3aB3aB3").toString("hex")
]

const found = (rows: ReadonlyArray<string>) => rows.filter((row) => traces.some((trace) => row.includes(trace)))

/** All rows of all tables, as text. */
const dump = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const tables = yield* sql<{
    name: string
  }>`SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) AS name
    FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    sql.unsafe<{ text: string }>(`SELECT '${name}: ' || one::text AS text FROM ${name} AS one`)
  )
  return rows.flat().map(({ text }) => text)
})

const calls: Readonly<Record<string, Parameters<typeof refinementWith>[0]>> = {
  "Write 1": contents.map((content, at) => ({ name: "write_file", arguments: { path: `written-${at}.txt`, content } })),
  "Send 1": [
    {
      name: "run_command",
      arguments: {
        argv: ["sh", "-c", 'printf %s "$1" > sent.txt; while [ ! -e go ]; do sleep 0.1; done', "-", secrets["GitHub"]]
      }
    }
  ],
  "Denied 1": [{ name: "write_file", arguments: { path: `denied/${secrets["GitLab"]}`, content: "new" } }],
  "Search 1": [{ name: "search_files", arguments: { pattern: secrets["npm"] } }]
}

describe("secrets in the arguments of calls", needsPostgres, () => {
  liveTest("reach the calls, and no table of the database while the run goes on or after it", function* () {
    const { begin, sandbox, url, worker } = yield* makeCluster
    sandbox.write("project/.task-conductor/skills/free/SKILL.md", freeSkill)
    const at = (path: string) => join(sandbox.root, "project", path)
    const read = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : "")
    const refined = new Map<string, number>()
    const reported = new Set<string>()
    const script = (body: ChatBody) => {
      const { stage, task } = askedOf(body)
      if (stage === "creation") return planOf([Object.keys(calls).map((name) => ({ name, skill: "free" }))])
      if (stage === "execution") reported.add(task)
      if (stage !== "refinement") return writing({ stage, task })
      refined.set(task, (refined.get(task) ?? 0) + 1)
      return refinementWith(calls[task] ?? [])
    }
    const env = { SERVICE_TOKEN: ofVariable }
    yield* worker(script, ["--deny", "write_file:denied/**"], env)
    yield* worker(script, ["--deny", "write_file:denied/**"], env)
    const client = yield* begin(["--yes-this-run"])
    yield* waitFor("the command", () => read("sent.txt") !== "")
    yield* waitFor("the changes", () => reported.has("Write 1"))
    expect(found(yield* withSql(url, dump))).toEqual([])
    sandbox.write("project/go", "")
    /* A rule denied one call; nothing else had to be asked. */
    const { code, stderr, stdout } = yield* Effect.promise(() => client.ended)
    expect([code, stdout.includes('"type":"run.finished"')], stderr).toEqual([4, true])
    expect(contents.map((_, index) => read(`written-${index}.txt`))).toEqual(contents)
    expect(read("sent.txt")).toBe(secrets["GitHub"])
    const rows = yield* withSql(url, dump)
    expect([rows.length > 50, found(rows)]).toEqual([true, []])
    /* A worker that did not work on a task works on it again. */
    expect(Math.max(...refined.values())).toBeLessThanOrEqual(2)
  })
})
