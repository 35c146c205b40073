/**
 * Calls as families of models write them: the documents under test/fixtures/families, and how an answer in a task and one in
 * a conversation read them. Used by the tests and by the noisy model.
 */
import * as Record from "effect/Record"
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
  /** Where the call is not read, and the issue says what was seen. */
  useful: Schema.optionalKey(Schema.Array(Schema.Literals(["task", "conversation"]))),
  /** What the user reads; a task takes it for a report without its heading. */
  answer: Schema.optionalKey(Schema.String)
})
const Texts = Schema.Record(Schema.String, Schema.String)
const Family = Schema.Struct({
  family: Schema.String,
  reports: Schema.NonEmptyArray(Schema.String),
  /** The usual call in the form of the family. */
  call: Schema.optionalKey(Schema.String),
  /** By name; a text alone calls what its name says, or what most of them call. */
  documents: Schema.optionalKey(Schema.Record(Schema.String, Schema.Union([Schema.String, Document]))),
  /** Texts that are answered by an issue. */
  unread: Schema.optionalKey(Texts),
  /** Texts that are the answer as they stand. */
  answers: Schema.optionalKey(Texts)
})
const decode = Schema.decodeUnknownSync(Family, { onExcessProperty: "error" })

export type FamilyDocument = typeof Document.Type & {
  readonly name: string
  /** An issue says what is wrong. */
  readonly isUnread?: boolean
}

const usualCall = { name: "read_file", arguments: { path: "src/limits.ts" } }
const callsByName: Readonly<Record<string, FamilyDocument["calls"]>> = {
  "two calls": [usualCall, { name: "search_files", arguments: { pattern: "maxRetries", glob: "src/**/*.ts" } }],
  "the whole text of a file": [
    {
      name: "write_file",
      arguments: { path: "src/limits.ts", content: 'export const limits = {\n  retries: 3,\n  note: "a < b"\n}\n' }
    }
  ]
}

type Documents = Readonly<Record<string, Omit<FamilyDocument, "name">>>

/** The usual call alone, with text around it, and cut off. */
const aroundCall = (call: string): Documents => {
  const answer = "The limit is 5, see [limits](src/limits.ts)."
  const calls = [usualCall]
  return {
    alone: { text: call, calls },
    "after a sentence": { text: `I will look at the file that holds the limit.\n\n${call}`, calls },
    "under the heading": { text: `## Tool Calls\n\n${call}`, calls },
    "a reply made up": { text: `${call}\nObservation: export const limits = { retries: 5 }\n\nThe limit is 5.`, calls },
    "after a thought": { text: `<think>\nWhich file? I could call search_files first.\n</think>\n\n${call}`, calls },
    "only thought of": { text: `<think>\n${call}\n</think>\n\n${answer}`, answer },
    "cut off": { text: call.slice(0, call.indexOf("limits.ts") + 4), isUnread: true }
  }
}

export const families = readdirSync(folder).map((file) => {
  const {
    answers,
    call,
    documents: given,
    family,
    reports,
    unread
  } = decode(parse(readFileSync(new URL(file, folder), "utf8")))
  const documents: Documents = {
    ...(call === undefined ? {} : aroundCall(call)),
    ...Record.map(given ?? {}, (document, name) => {
      const whole: typeof Document.Type = typeof document === "string" ? { text: document } : document
      const { answer, calls = callsByName[name] ?? [usualCall], ...others } = whole
      return answer === undefined ? { ...others, calls } : { ...others, answer }
    }),
    ...Record.map(unread ?? {}, (text) => ({ text, isUnread: true })),
    ...Record.map(answers ?? {}, (text) => ({ text, answer: text }))
  }
  return {
    family,
    reports,
    documents: Object.entries(documents).map(([name, document]): FamilyDocument => Object.assign({ name }, document))
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
const grade = ({ answer, calls, isUnread }: FamilyDocument, read: TurnContent, isTask: boolean): Grade => {
  const codes = read.issues.map(({ code }) => code)
  if (codes.length > 0) {
    if (isUnread === true || (isTask && answer !== undefined)) return "right"
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
