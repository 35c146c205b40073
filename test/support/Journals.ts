/**
 * Journals for tests: records of every kind, whole journals of one run as bytes, and arbitrary records whose texts are
 * made of what could break a line.
 */
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { JournalRecord, journalVersion, type RunOpened } from "../../src/domain/journal/JournalRecord.ts"
import { exitCodeOf, type RunStatus } from "../../src/domain/runs/RunReport.ts"
import { firstSum } from "../../src/services/journal/JournalLine.ts"
import { encodeLine } from "./encodeLine.ts"

const decodeRecord = Schema.decodeUnknownSync(JournalRecord)

/** The first record of a run. */
export const openedRecord = (runId = "20261120-183000-k3x9"): RunOpened => ({
  type: "opened",
  version: journalVersion,
  program: "0.1.0",
  project: "/project",
  order: { runId, prompt: "Do it." },
  settings: { model: "embedded", parallel: 2 }
})

/** A stage that settled with a text. */
export const settled = (key: string, value: Schema.Json = "done"): JournalRecord => ({ type: "settled", key, value })

/** The record that ends a run. */
export const ended = (status: RunStatus, answer = ""): JournalRecord => ({
  type: "event",
  event: {
    type: "run.finished",
    exitCode: exitCodeOf(status),
    report: {
      runId: "20261120-183000-k3x9",
      status,
      answer,
      message: "",
      issues: [],
      goals: "",
      results: [],
      failures: [],
      rounds: 1,
      usage: { modelCalls: 0, toolCalls: 0, promptTokens: 0, answerTokens: 0, modelMs: 0, durationMs: 0 }
    }
  }
})

/** One record of each kind, the first one first. */
export const oneOfEach: ReadonlyArray<JournalRecord> = [
  openedRecord(),
  { type: "resumed", program: "0.1.0" },
  {
    type: "intent",
    key: "round-1/tool/write/call-1",
    call: { uid: "call-1", name: "write_file", arguments: { path: "a.txt", content: 'ä "sum":"00000000"}\n\uD800' } },
    task: "Write",
    effect: "idempotent",
    targets: ["/project/a.txt"],
    files: [{ path: "/project/a.txt", before: null, after: "1" }]
  },
  { type: "prompt", key: "plan/attempt-1", system: "Be \\ brief.\r\n", user: "\u2028\u0000" },
  { type: "outcome", key: "plan/attempt-1", value: { text: "# Plan", list: [1, null, true] } },
  { type: "failure", key: "plan/attempt-2", error: "gone" },
  settled("round-1/task/write", { summary: "Ü" }),
  { type: "settled", key: "round-1", value: "yes" },
  { type: "seen", key: "reference/write/document/a.md", value: { found: "\u2028", denials: [] } },
  { type: "event", event: { type: "message", level: "info", text: "told" } }
]

/** The lines of a journal with these records, without their ends. */
export const journalLines = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<string> => {
  let before = firstSum
  return records.map((record, index) => {
    const { sum, text } = encodeLine(record, { seq: index + 1, at: "2026-11-20T18:30:00.000Z", before })
    before = sum
    return text
  })
}

/** The bytes of a journal with these records. */
export const journalBytes = (records: ReadonlyArray<JournalRecord>): Uint8Array =>
  Buffer.from(
    journalLines(records)
      .map((line) => `${line}\n`)
      .join("")
  )

/** The text of a journal with what `change` makes of the JSON of its records; its sums are right again. */
export const changeJournal = (text: string, change: (json: string) => string): string => {
  let before = firstSum
  const lines: Array<string> = []
  for (const line of text.trimEnd().split("\n")) {
    const { at, record } = JSON.parse(line) as { readonly at: string; readonly record: unknown }
    const changed = decodeRecord(JSON.parse(change(JSON.stringify(record))))
    const encoded = encodeLine(changed, { seq: lines.length + 1, at, before })
    before = encoded.sum
    lines.push(`${encoded.text}\n`)
  }
  return lines.join("")
}

const awkward = [
  ...'"\\\n\0\u2028\uFEFF\uFFFD\uD800\uDC00é'.split(""),
  ...'\r\n|😀|","sum":"00000000"}|},"sum":"1a2b3c4d"}\n{"seq":2,"at":"|{"type":"opened"|__proto__|word'.split("|")
]

const piece = Arbitrary.schema(Schema.Literals(awkward))
/* JSON has no -0: what comes back is 0. */
const anyJson = Arbitrary.map(Arbitrary.schema(Schema.Json), (json): Schema.Json => JSON.parse(JSON.stringify(json)))
const noise = Arbitrary.schema(Schema.String.check(Schema.isMaxLength(4)))

/** Any text, mostly of what could break a line. */
export const arbitraryText = Arbitrary.map(Arbitrary.array(Arbitrary.all([piece, noise]), { maxLength: 6 }), (pairs) =>
  pairs.flat().join("")
)

/** One record of each kind, with such texts wherever a record has one. */
export const arbitraryRecords = Arbitrary.map(
  Arbitrary.all([arbitraryText, arbitraryText, arbitraryText, anyJson]),
  ([a, b, c, json]): ReadonlyArray<JournalRecord> => [
    {
      type: "opened",
      version: journalVersion,
      program: a,
      project: b,
      order: { runId: c, prompt: a, currentFile: b, openFiles: [a, c], skill: b, plan: c },
      settings: { host: `x${a}`, limits: { rounds: 3 } }
    },
    { type: "resumed", program: a },
    {
      type: "intent",
      key: a,
      call: { uid: b, name: c, arguments: { [`x${a}`]: b, value: json } },
      task: c,
      effect: "once",
      targets: [a, b],
      files: [
        { path: a, before: b, after: b },
        { path: c, before: null, after: "1" }
      ]
    },
    { type: "prompt", key: a, system: b, user: c },
    { type: "outcome", key: a, value: { [`x${b}`]: c, json } },
    { type: "failure", key: b, error: [a, json] },
    settled(c, a),
    { type: "seen", key: a, value: json },
    { type: "event", event: { type: "message", level: "info", text: a, code: c } }
  ]
)
