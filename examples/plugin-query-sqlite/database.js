// @ts-check
/** The process of a database: answers the queries that it is sent, one after another, and ends with the program. */
import { DatabaseSync } from "node:sqlite"

/** After so many rows the program hears how many there are. */
const rowsBetween = 10

/**
 * JSON has neither bytes nor integers above 2^53.
 * @param {unknown} value
 */
const jsonValue = (value) => {
  if (value instanceof Uint8Array) return `(${value.length} bytes)`
  if (typeof value !== "bigint") return value
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

/** @param {import("node:child_process").Serializable} message */
const send = (message) => process.send?.(message)

/** @param {DatabaseSync} database */
const tablesOf = (database) =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name")
    .all()
    .map(({ name }) => name)
    .join(", ")

/** @param {DatabaseSync} database @param {import("./index.js").Query} query */
const answer = (database, { rows: most, sql }) => {
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  const columns = statement.columns().map(({ name }) => name)
  const rows = []
  for (const row of statement.iterate()) {
    if (rows.length === most) return { columns, rows, more: true }
    rows.push(Object.values(row).map(jsonValue))
    if (rows.length % rowsBetween === 0) send({ type: "progress", done: rows.length })
  }
  return { columns, rows, more: false }
}

const database = new DatabaseSync(process.argv[2] ?? "", { readOnly: true })

process.on("message", (/** @type {import("./index.js").Query} */ query) => {
  try {
    send({ type: "answer", answer: answer(database, query) })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    send({ type: "failed", message: `${message}. Tables: ${tablesOf(database)}` })
  }
})
process.on("disconnect", () => process.exit(0))
