// @ts-check
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { checkPlugin, runTool } from "task-conductor/testing"

const plugin = new URL("./index.js", import.meta.url)
const config = { file: "data.sqlite", rows: 25 }

const project = mkdtempSync(join(tmpdir(), "query-sqlite-"))
after(() => rmSync(project, { recursive: true, force: true }))

const database = new DatabaseSync(join(project, "data.sqlite"))
database.exec("CREATE TABLE days (day INTEGER, rain REAL)")
for (let day = 1; day <= 40; day += 1) database.prepare("INSERT INTO days VALUES (?, ?)").run(day, day / 2)
database.close()

/** @param {string} sql */
const query = (sql) => runTool(plugin, "query_sqlite", { sql }, { config, project })

test("is a plugin that the host accepts", async () => {
  assert.deepEqual(await checkPlugin(plugin, { config }), [])
})

test("says what a configuration lacks, and what is wrong in it", async () => {
  for (const wrong of [{}, { file: 1 }, { file: "data.sqlite", rows: 5000 }, { file: "data.sqlite", row: 5 }]) {
    const problems = await checkPlugin(plugin, { config: wrong })
    assert.equal(problems.length, 1, JSON.stringify(wrong))
  }
})

test("gives rows with the names of their columns", async () => {
  const { data, log } = await query("SELECT day, rain FROM days WHERE day < 3 ORDER BY day")
  assert.deepEqual(data, {
    columns: ["day", "rain"],
    rows: [
      [1, 0.5],
      [2, 1]
    ],
    more: false
  })
  assert.deepEqual(log, ["2 rows of data.sqlite"])
})

test("gives no more rows than the configuration says", async () => {
  const { data, log } = await query("SELECT 1 FROM days")
  assert.deepEqual(data, {
    columns: ["1"],
    rows: Array.from({ length: 25 }, () => [1]),
    more: true,
    note: "Only the first 25 rows. Use WHERE or GROUP BY."
  })
  assert.deepEqual(log, ["25 rows of data.sqlite"])
})

test("gives all rows as a file", async () => {
  const args = { sql: "SELECT day, 'a \"b\", c' AS text FROM days" }
  const { data, files = [] } = await runTool(plugin, "export_sqlite", args, { config, project })
  assert.match(
    String(data),
    /^40 rows, with the columns day, text\.\n\[file rows\.csv: text\/csv, \d+ bytes, not kept\]$/
  )
  assert.deepEqual(
    files.map(({ mediaType, name }) => [name, mediaType]),
    [["rows.csv", "text/csv"]]
  )
  assert.ok((files[0]?.bytes ?? 0) > 40)
})

test("names the tables when a query is wrong", async () => {
  const { error_message, error_type } = await query("SELECT * FROM weather")
  assert.equal(error_type, "validation_failed")
  assert.match(error_message ?? "", /no such table: weather\. Tables: days/)
})

test("only reads", async () => {
  for (const sql of ["DELETE FROM days", "WITH a AS (SELECT 1) DELETE FROM days", "ATTACH 'other.sqlite' AS other"]) {
    assert.equal((await query(sql)).success, false, sql)
  }
})
