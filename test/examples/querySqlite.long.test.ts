/** The example `plugin-query-sqlite`, packed and installed: its tool is called, says how far it is, and is stopped. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { eventsOf, ollamaTask, testedExample } from "../support/ExampleProject.ts"
import { FakeOllama } from "../support/FakeOllama.ts"
import { fakeModel } from "../support/FakeOllamaPaths.ts"
import { waitForProcesses } from "../support/ProcessTable.ts"
import { liveTest } from "../support/liveTest.ts"

const name = "task-conductor-plugin-query-sqlite"
const skill = `---
name: query
description: Queries the database. Use it in tests.
allowed-tools: query_sqlite
---

## Execution

Query.
`
/** SQLite counts for minutes without a row. */
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
const rainy = "SELECT day FROM days WHERE rain > 10 ORDER BY day"

const installed = testedExample("plugin-query-sqlite", (project) => {
  project.write("app/.task-conductor/skills/query/SKILL.md", skill)
  const database = new DatabaseSync(join(project.root, "app/data.sqlite"))
  database.exec("CREATE TABLE days (day INTEGER, rain REAL)")
  for (let day = 1; day <= 60; day += 1) database.prepare("INSERT INTO days VALUES (?, ?)").run(day, day / 2)
  database.close()
})

const configure = (config: object, more: object = {}): void =>
  installed().write("app/task-conductor.json", JSON.stringify({ plugins: [[name, config]], ...more }))

const runQuery = Effect.fnUntraced(function* (sql: string) {
  const { url } = yield* FakeOllama.make(ollamaTask("query", { name: "query_sqlite", arguments: { sql } }))
  const flags = ["--json", "--model", fakeModel, "--allow", `load_plugin:${name} *`]
  return installed().conduct(["run", ...flags, "Which days were rainy?"], { OLLAMA_HOST: url })
})

describe("the plugin query-sqlite", () => {
  liveTest("answers a query, and shows how many rows came", function* () {
    configure({ file: "data.sqlite" })
    const { ended } = yield* runQuery(rainy)
    const events = eventsOf(yield* Effect.promise(() => ended))
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({
      result: { success: true, data: { columns: ["day"], more: false }, log: ["40 rows of data.sqlite"] }
    })
    expect(events.find(({ type }) => type === "tool.progress")).toMatchObject({
      name: "query_sqlite",
      text: "querying"
    })
  })

  liveTest("stops a query at its time limit, and the run goes on", function* () {
    configure({ file: "data.sqlite" }, { limits: { tools: { query_sqlite: { seconds: 1 } } } })
    const { ended } = yield* runQuery(endless)
    const ending = yield* Effect.promise(() => ended)
    const events = eventsOf(ending)
    expect(events.find(({ type }) => type === "tool.finished")).toMatchObject({
      result: { success: false, error_type: "timeout" }
    })
    expect(JSON.stringify(events)).not.toContain("does not end")
  })

  liveTest("stops a query that never ends on an interrupt", function* () {
    configure({ file: "data.sqlite" })
    const { child, ended, says } = yield* runQuery(endless)
    yield* Effect.promise(() => says(`"tool.progress"`))
    const process = join(installed().root, "app/node_modules", name, "database.js")
    yield* waitForProcesses(process, (count) => count === 1)
    child.kill("SIGINT")
    yield* waitForProcesses(process, (count) => count === 0)
    yield* Effect.promise(() => ended)
  })
})
