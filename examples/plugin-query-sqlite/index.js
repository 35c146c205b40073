// @ts-check
/** The tool `query_sqlite`, for the database that the configuration names. */
import { fork } from "node:child_process"
import { definePlugin, tool, ToolFailure, ToolOutput } from "task-conductor/plugin"

/**
 * @typedef {{ sql: string, rows: number }} Query
 * @typedef {{ columns: Array<string>, rows: Array<Array<string | number | null>>, more: boolean }} Answer
 * @typedef {{ type: "progress", done: number } | { type: "answer", answer: Answer } | { type: "failed", message: string }} Message
 */

/** Only these read alone; SQLite itself refuses what writes, and ATTACH would open files that the call was not granted. */
const reads = /^\s*(select|values|with)\b/i

/** As many rows as a file may have. */
const mostExported = 100_000

/** @param {string} sql */
const requireRead = (sql) => {
  if (reads.test(sql)) return
  throw new ToolFailure({ type: "validation_failed", message: "Only a SELECT can be run. Begin with SELECT or WITH." })
}

/** @param {string | number | null} value */
const csvCell = (value) =>
  /[",\n\r]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value ?? "")

/** @param {Answer} answer */
const csvOf = ({ columns, rows }) => [columns, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join("")

/** A process for each database file, started by the first query and kept for the next; queries wait for each other. */
const makeDatabase = () => {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child
  /** @type {Promise<unknown>} */
  let last = Promise.resolve()

  const close = () => {
    child?.kill("SIGKILL")
    child = undefined
  }
  /**
   * @param {string} file
   * @param {Query} query
   * @param {{ signal: AbortSignal, progress: (progress: { done: number, text: string }) => void }} call
   * @returns {Promise<Answer>}
   */
  const ask = (file, query, { progress, signal }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const asked = (child ??= fork(new URL("./database.js", import.meta.url), [file], { execArgv: [] }))
      /** @param {Message} message */
      const receive = (message) => {
        if (message.type === "progress") return progress({ done: message.done, text: "rows" })
        leave()
        if (message.type === "answer") return resolve(message.answer)
        reject(new ToolFailure({ type: "validation_failed", message: message.message }))
      }
      const stop = () => {
        leave()
        close()
        reject(signal.reason)
      }
      const end = () => {
        leave()
        close()
        reject(new Error("The process of the database ended."))
      }
      const leave = () => {
        asked.off("message", receive)
        asked.off("exit", end)
        asked.off("error", end)
        signal.removeEventListener("abort", stop)
      }
      asked.on("message", receive)
      asked.once("exit", end)
      asked.once("error", end)
      signal.addEventListener("abort", stop)
      asked.send(query)
    })

  return {
    close,
    /** @type {typeof ask} */
    query: (...given) => {
      const answer = last.then(() => ask(...given))
      last = answer.catch(() => undefined)
      return answer
    }
  }
}

export default definePlugin({
  name: "query-sqlite",
  config: {
    type: "object",
    properties: {
      file: { type: "string", minLength: 1, description: "The database, relative to the project." },
      rows: { type: "integer", minimum: 1, maximum: 1000, default: 100, description: "The most rows of an answer." }
    },
    required: ["file"]
  },
  tools: ({ config, onEnd }) => {
    const { file, rows = 100 } = config
    const database = makeDatabase()
    onEnd(database.close)
    return {
      query_sqlite: tool({
        description: `Runs one SELECT on the SQLite database ${file}. Use it when the answer is in its tables. Its table sqlite_schema has all tables and their columns.`,
        parameters: {
          type: "object",
          properties: { sql: { type: "string", description: "One SELECT in the SQL of SQLite." } },
          required: ["sql"]
        },
        aliases: { query: "sql" },
        risk: "safe",
        effect: "pure",
        example: { sql: "SELECT name, sql FROM sqlite_schema" },
        errors: { validation_failed: "The SQL is wrong, or does more than read." },
        access: () => [{ _tag: "ReadFile", path: file }],
        execute: async ({ sql }, { granted: [read], log, progress, signal }) => {
          if (read?._tag !== "ReadFile") throw new Error("The database was not granted.")
          requireRead(sql)
          progress("querying")
          const answer = await database.query(read.path, { sql, rows }, { progress, signal })
          log(`${answer.rows.length} rows of ${file}`)
          return { ...answer, ...(answer.more ? { note: `Only the first ${rows} rows. Use WHERE or GROUP BY.` } : {}) }
        }
      }),
      export_sqlite: tool({
        description: `Gives the user all rows of one SELECT on the SQLite database ${file} as a CSV file. Use it when the prompt wants a table as a file.`,
        parameters: {
          type: "object",
          properties: { sql: { type: "string", description: "One SELECT in the SQL of SQLite." } },
          required: ["sql"]
        },
        aliases: { query: "sql" },
        risk: "safe",
        effect: "pure",
        example: { sql: "SELECT * FROM days" },
        errors: { validation_failed: "The SQL is wrong, or does more than read." },
        access: () => [{ _tag: "ReadFile", path: file }],
        execute: async ({ sql }, { granted: [read], progress, signal }) => {
          if (read?._tag !== "ReadFile") throw new Error("The database was not granted.")
          requireRead(sql)
          const answer = await database.query(read.path, { sql, rows: mostExported }, { progress, signal })
          const left = answer.more ? ", the first of more" : ""
          return new ToolOutput({
            text: `${answer.rows.length} rows${left}, with the columns ${answer.columns.join(", ")}.`,
            files: [{ name: "rows.csv", mediaType: "text/csv", data: Buffer.from(csvOf(answer)) }]
          })
        }
      })
    }
  }
})
