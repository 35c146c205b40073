/**
 * The documents of test/fixtures/{task-lists,refinements,results}: what a model wrote, and what the reader must find in it.
 * A file holds the documents of a family of findings; test/fixtures/README.md says what the keys mean.
 */
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import type { CheckOptions, DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import { Task } from "../../src/domain/plan/Task.ts"
import { readSkillInputs } from "../../src/domain/skills/Skill.ts"
import { writeOut } from "./writeOut.ts"

const fixtures = new URL("../fixtures/", import.meta.url)

/** A markdown link, or all that a reference holds where the link does not say it. */
const Reference = Schema.Union([
  Schema.String,
  Schema.Struct({ title: Schema.String, href: Schema.String, kind: Schema.String, target: Schema.String })
])
const taskFields = {
  name: Schema.String,
  slug: Schema.optionalKey(Schema.String),
  skill: Schema.String,
  need: Schema.String,
  output: Schema.String,
  references: Schema.optionalKey(Schema.Array(Reference)),
  for_each: Schema.optionalKey(Schema.Json),
  approval: Schema.optionalKey(Schema.Boolean),
  code: Schema.optionalKey(Schema.Array(Schema.Struct({ language: Schema.String, text: Schema.String })))
}
const TaskRow = Schema.Struct(taskFields)
/** What differs from a task of shared.yaml. */
const TaskLike = Schema.Struct({
  like: Schema.String,
  references: taskFields.references,
  for_each: taskFields.for_each,
  approval: taskFields.approval,
  code: taskFields.code
})
/** A task, or its name in shared.yaml. */
const TaskOrName = Schema.Union([Schema.String, TaskLike, TaskRow])

const Sections = Schema.Record(Schema.String, Schema.Array(TaskOrName))
const Piece = Schema.Struct({
  text: Schema.String,
  goals: Schema.optionalKey(Schema.String),
  /** The task that the piece holds. */
  task: Schema.optionalKey(Schema.String),
  sections: Schema.optionalKey(Sections),
  planned: Schema.optionalKey(Schema.String),
  inputs: Schema.optionalKey(Schema.String),
  calls: Schema.optionalKey(Schema.Array(Schema.Json))
})
type Piece = typeof Piece.Type
const Shared = Schema.Struct({
  pieces: Schema.Record(Schema.String, Piece),
  tasks: Schema.Record(Schema.String, TaskRow),
  inputs: Schema.Record(Schema.String, Schema.Array(Schema.String))
})

/** A code and its line, as in `field-empty 14`. */
const Place = Schema.String
const Entry = Schema.Struct({
  finished: Schema.optionalKey(Schema.Array(Schema.String)),
  planned: Schema.optionalKey(Schema.String),
  inputs: Schema.optionalKey(Schema.String),
  text: Schema.optionalKey(Schema.String),
  blocks: Schema.optionalKey(Schema.Array(Schema.String)),
  references: Schema.optionalKey(Schema.Array(Schema.String)),
  added: Schema.optionalKey(Schema.Array(Schema.String)),
  issues: Schema.optionalKey(Schema.Array(Place)),
  repairs: Schema.optionalKey(Schema.Array(Place)),
  goals: Schema.optionalKey(Schema.String),
  tasks: Schema.optionalKey(Schema.Array(TaskOrName)),
  read: Schema.optionalKey(Schema.Array(Schema.Array(Reference))),
  sections: Schema.optionalKey(Sections),
  task: Schema.optionalKey(TaskOrName),
  values: Schema.optionalKey(Schema.Json),
  look_first: Schema.optionalKey(Schema.Json),
  calls: Schema.optionalKey(Schema.Array(Schema.Json)),
  summary: Schema.optionalKey(Schema.String),
  links: Schema.optionalKey(Schema.Array(Schema.Json))
})
type Entry = typeof Entry.Type

const readYaml = <A>(schema: Schema.Decoder<A>, name: string): A =>
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })(parse(readFileSync(new URL(name, fixtures), "utf8")))

const shared = readYaml(Shared, "shared.yaml")

interface FoundAt {
  readonly code: string
  readonly line?: number
}

/** One document with what must be said about it. */
export interface DocumentFixture {
  readonly kind: DocumentKind
  /** Folder and name. */
  readonly name: string
  readonly text: string
  readonly options: CheckOptions
  readonly expected: {
    readonly verdict: "accepted" | "repaired" | "rejected"
    readonly issues: ReadonlyArray<FoundAt>
    readonly repairs: ReadonlyArray<FoundAt>
    readonly value: Schema.Json
  }
}

const placeOf = (place: string): FoundAt => {
  const [code = "", line] = place.split(" ")
  return line === undefined ? { code } : { code, line: Number(line) }
}

const referenceOf = (reference: typeof Reference.Type) => {
  if (typeof reference !== "string") return reference
  const [, title = "", href = ""] = /^\[(.*)\]\((.*)\)$/.exec(reference) ?? []
  const [, result] = /^#(.*)-results$/.exec(href) ?? []
  if (/^https?:/.test(href)) return { title, href, kind: "url", target: href }
  if (result !== undefined) return { title, href, kind: "task_result", target: result }
  if (href.startsWith("#")) return { title, href, kind: "anchor", target: href.slice(1) }
  return { title, href, kind: "file", target: href.replace(/#.*/, "") }
}

const rowOf = (task: typeof TaskOrName.Type): typeof TaskRow.Type => {
  if (typeof task === "object" && "name" in task) return task
  const { like, ...differences } = typeof task === "string" ? { like: task } : task
  const row = shared.tasks[like]
  if (row === undefined) throw new Error(`shared.yaml has no task ${like}.`)
  return { ...row, ...differences }
}

/** A task as `check --json` prints it. */
const printedTask = (task: typeof TaskOrName.Type) => {
  const row = rowOf(task)
  return {
    name: row.name,
    slug: row.slug ?? row.name.toLowerCase().replaceAll(" ", "-"),
    skill: row.skill,
    what_is_needed: row.need,
    expected_output: row.output,
    references: (row.references ?? []).map(referenceOf),
    ...(row.for_each === undefined ? {} : { for_each: row.for_each }),
    requires_approval: row.approval ?? false,
    code_blocks: row.code ?? []
  }
}

/** A task of a plan. */
const plannedTask = (task: string): Task => {
  const row = rowOf(task)
  return Schema.decodeUnknownSync(Schema.toCodecJson(Task))({
    name: row.name,
    whatIsNeeded: row.need,
    skill: row.skill,
    references: (row.references ?? []).map(referenceOf),
    expectedOutput: row.output,
    requiresApproval: row.approval ?? false,
    codeBlocks: row.code ?? []
  })
}

const fenced = (block: string): string => `\`\`\`json\n${block}${block === "" ? "" : "\n"}\`\`\``

/** The name and the text of the task whose references these are. */
const nameOfReading = (index: number): string => `Read ${index + 1}`
const readingTask = (references: string, index: number): string =>
  [
    `- **Name** ${nameOfReading(index)}`,
    "- **What is needed** Read it.",
    "- **Skill** read-code",
    `- **References** ${references}`,
    "- **Expected output** Notes.\n"
  ].join("\n")

/** The text of an entry, in which pieces stand for their text. */
const writtenText = ({ added, blocks, references, text }: Entry): string => {
  if (blocks !== undefined) return `{{search calls}}\n${blocks.map(fenced).join("\n\n")}\n`
  if (references !== undefined) return `{{uploads}}\n${references.map(readingTask).join("\n")}`
  if (added !== undefined) return `{{added references}}\n${added.join("\n")}\n{{calls after references}}\n`
  return text ?? ""
}

/** The pieces that a text names, and those that these name. */
const piecesOf = (text: string): ReadonlyArray<Piece> =>
  [...text.matchAll(/^\{\{(.+)\}\}$/gm)].flatMap(([, name = ""]) => {
    const piece = shared.pieces[name]
    return piece === undefined ? [] : [piece].concat(piecesOf(piece.text))
  })

/** Puts pieces in the place of the lines that name them. */
const wholeText = (text: string): string =>
  text.replaceAll(/^\{\{(.+)\}\}\n/gm, (line, name: string) => {
    const piece = shared.pieces[name]
    return piece === undefined ? line : wholeText(piece.text)
  })

/** The sections of a task list. */
const sectionsOf = (entry: Entry, pieces: ReadonlyArray<Piece>): typeof Sections.Type => {
  if (entry.read !== undefined) {
    const usual = { skill: "read-code", need: "Read it.", output: "Notes." }
    return {
      "Task section 1": entry.read.map((references, index) => ({ name: nameOfReading(index), ...usual, references }))
    }
  }
  return (
    entry.sections ??
    pieces.find(({ sections }) => sections !== undefined)?.sections ?? {
      "Task section 1": entry.tasks ?? pieces.flatMap(({ task }) => task ?? [])
    }
  )
}

/** The value as `check --json` prints it; null when the document is rejected. */
const valueOf = (kind: DocumentKind, entry: Entry, pieces: ReadonlyArray<Piece>, planned?: string): Schema.Json => {
  const { calls, finished = [], links = [], look_first, summary = "", values } = entry
  if ((entry.issues ?? []).length > 0) return null
  if (kind === "result") return { summary, links }
  if (kind === "refinement") {
    return {
      task: printedTask(entry.task ?? pieces.find(({ task }) => task !== undefined)?.task ?? planned ?? ""),
      ...(values === undefined ? {} : { inputs: values }),
      ...(look_first === undefined ? {} : { look_first }),
      tool_calls: calls ?? pieces.flatMap((piece) => piece.calls ?? [])
    }
  }
  const sections = Object.entries(sectionsOf(entry, pieces)).map(([title, rows]) => ({
    title,
    tasks: rows.map(printedTask)
  }))
  return {
    goals: entry.goals ?? pieces.find((piece) => piece.goals !== undefined)?.goals ?? "",
    sections,
    pending: sections.flatMap((section) => section.tasks.map(({ name }) => name)),
    finished
  }
}

const fixtureOf = (kind: DocumentKind, name: string, entry: Entry): DocumentFixture => {
  const { finished, issues = [], repairs = [] } = entry
  const text = writtenText(entry)
  const pieces = piecesOf(text)
  const planned = entry.planned ?? pieces.find((piece) => piece.planned !== undefined)?.planned
  const inputs = entry.inputs ?? pieces.find((piece) => piece.inputs !== undefined)?.inputs
  return {
    kind,
    name,
    text: writeOut(wholeText(text)),
    options: {
      ...(finished === undefined ? {} : { finished }),
      ...(planned === undefined ? {} : { planned: plannedTask(planned) }),
      ...(inputs === undefined ? {} : { inputs: readSkillInputs((shared.inputs[inputs] ?? []).join("\n")).inputs })
    },
    expected: {
      verdict: issues.length > 0 ? "rejected" : repairs.length > 0 ? "repaired" : "accepted",
      issues: issues.map(placeOf),
      repairs: repairs.map(placeOf),
      value: valueOf(kind, entry, pieces, planned)
    }
  }
}

const folders: ReadonlyArray<readonly [string, DocumentKind]> = [
  ["task-lists", "task-list"],
  ["refinements", "refinement"],
  ["results", "result"]
]

/** All documents, by folder and name. */
export const documentFixtures: ReadonlyArray<DocumentFixture> = folders.flatMap(([folder, kind]) =>
  readdirSync(new URL(`${folder}/`, fixtures))
    .flatMap((file) => Object.entries(readYaml(Schema.Record(Schema.String, Entry), `${folder}/${file}`)))
    .map(([name, entry]) => fixtureOf(kind, `${folder}/${name}`, entry))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
)

/** A document by folder and name. */
export const documentOf = (name: string): DocumentFixture => {
  const fixture = documentFixtures.find((one) => one.name === name)
  if (fixture === undefined) throw new Error(`There is no document ${name} under test/fixtures.`)
  return fixture
}
