/**
 * Calls as families of models write them: the documents under test/fixtures/families, and how an answer in a task and one in
 * a conversation read them. Used by the tests and by the noisy model.
 */
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import { readMessageTurn } from "../../src/domain/conversation/MessageTurn.ts"
import { type TurnContent, readTurn } from "../../src/domain/documents/TurnFormat.ts"
import { plainTask } from "../../src/domain/plan/Task.ts"
import { meantTool } from "../../src/domain/tools/ArgumentCheck.ts"

const folder = new URL("../fixtures/families/", import.meta.url)

const Call = Schema.Struct({ name: Schema.String, arguments: Schema.Record(Schema.String, Schema.Json) })
const Document = Schema.Struct({
  text: Schema.String,
  /** What is called; a value without a name stands under the empty one. */
  calls: Schema.optionalKey(Schema.Array(Call)),
  /** The code of an issue that says what is wrong; `any` for one of several. */
  issue: Schema.optionalKey(Schema.String),
  /** Where the call is not read, and the issue says what was seen. */
  useful: Schema.optionalKey(Schema.Array(Schema.Literals(["task", "conversation"]))),
  /** What the user reads; a task takes it for a report without its heading. */
  answer: Schema.optionalKey(Schema.String)
})
const Family = Schema.Struct({
  family: Schema.String,
  reports: Schema.NonEmptyArray(Schema.String),
  /** By name; a text alone calls what most of them call. */
  documents: Schema.Record(Schema.String, Schema.Union([Schema.String, Document]))
})
const decode = Schema.decodeUnknownSync(Family)

export type FamilyDocument = typeof Document.Type & { readonly name: string }

const usualCalls = [{ name: "read_file", arguments: { path: "src/limits.ts" } }]

export const families = readdirSync(folder).map((file) => {
  const { documents, family, reports } = decode(parse(readFileSync(new URL(file, folder), "utf8")))
  return {
    family,
    reports,
    documents: Object.entries(documents).map(([name, document]): FamilyDocument =>
      Object.assign({ name }, typeof document === "string" ? { text: document, calls: usualCalls } : document)
    )
  }
})

const tools = ["read_file", "search_files", "write_file", "edit_file", "run_command", "get_file_tree"]
const task = plainTask("limit", "edit-files", "Raise the limit.", "A change.")

/** Right, an issue that says what was seen, an issue that does not, or something else than what was meant. */
export type Grade = "right" | "useful" | "poor" | "wrong"

const useful = /^(?:tool-call-(?:json|truncated|key-duplicate|misplaced)|change-|section-(?:empty|several)|argument-)/

const same = (read: TurnContent, meant: NonNullable<FamilyDocument["calls"]>): boolean =>
  read.calls.length === meant.length &&
  meant.every(({ arguments: given, name }, at) => {
    const call = read.calls[at]
    if (call === undefined || call.name !== name) return false
    const found = meaningOf(call.arguments)
    const entries = Object.entries(meaningOf(given))
    return (
      entries.length === Object.keys(found).length &&
      entries.every(([key, value]) => JSON.stringify(typed(found[key], value)) === JSON.stringify(value))
    )
  })

/** A string as the checks of calls read it where another type is meant. */
const typed = (found: Schema.Json | undefined, meant: Schema.Json): Schema.Json | undefined =>
  typeof found === "string" && typeof meant !== "string" ? (JSON.parse(found) as Schema.Json) : found

/** Arguments as the checks of calls read them: a value without a name is the path of what is read. */
const meaningOf = ({ "": unnamed, ...others }: Readonly<Record<string, Schema.Json>>): Record<string, Schema.Json> =>
  unnamed === undefined ? others : { path: unnamed, ...others }

/** Grades what was read of a document; `report` is what is taken for the answer. */
const grade = ({ answer, calls, issue }: FamilyDocument, read: TurnContent, isTask: boolean): Grade => {
  const codes = read.issues.map(({ code }) => code)
  if (codes.length > 0) {
    if (issue === "any" || codes.includes(issue ?? "") || (isTask && answer !== undefined)) return "right"
    return codes.every((code) => useful.test(code)) ? "useful" : "poor"
  }
  if (calls !== undefined) return same(read, calls) && read.report === undefined ? "right" : "wrong"
  if (answer !== undefined) return read.calls.length === 0 && (isTask || read.report === answer) ? "right" : "wrong"
  return "wrong"
}

/** A document as an answer in the turns of a task, and in a conversation. */
export const gradesOf = (document: FamilyDocument) => {
  const isTool = (name: string) => meantTool(name, tools) !== undefined
  const turn = readTurn(document.text, { task, inputs: [], kept: [], mayChange: true, isTool })
  const message = readMessageTurn(document.text, { mayChange: true, tools: new Set(tools) })
  return [
    { place: "task" as const, read: turn as TurnContent, grade: grade(document, turn, true) },
    { place: "conversation" as const, read: message, grade: grade(document, message, false) }
  ]
}
