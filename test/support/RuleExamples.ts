/**
 * The example of every rule: a smallest text in which it finds something, and the same text fixed. A file of
 * test/fixtures/rules holds those of a family; test/fixtures/README.md says what the keys mean.
 */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"
import { type ExampleKind, exampleKinds } from "./ExampleKinds.ts"
import { writeOut } from "./writeOut.ts"

const Example = Schema.Struct({
  kind: Schema.Literals(Struct.keys(exampleKinds)),
  right: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  wrong: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  before: Schema.optionalKey(Schema.String),
  after: Schema.optionalKey(Schema.String),
  fix: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  alongside: Schema.optionalKey(Schema.Array(Schema.String))
})
const readExamples = Schema.decodeUnknownSync(Schema.Record(Schema.String, Example), { onExcessProperty: "error" })

export interface RuleExample {
  readonly code: string
  readonly family: string
  readonly kind: ExampleKind
  readonly before: string
  readonly after: string
  /** Codes that cannot be avoided in `before`. */
  readonly alongside: ReadonlyArray<string>
}

/** Puts other parts in the place of those that are named. */
const edited = (before: string, edits: Readonly<Record<string, string>>): string =>
  Object.entries(edits).reduce((text, [part, other]) => text.replace(part, () => other), before)

const task = [
  "- **Name** A",
  "- **What is needed** Read the loader.",
  "- **Skill** read-code",
  "- **Expected output** One paragraph."
].join("\n")
const section = `### Task section 1\n\n${task}`
const plan = `## Original prompt\n\nExplain the loader.\n\n## Goals / summary\n\nExplain it.\n\n## Tasks\n\n${section}`
const calls = '```json\n{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }\n```'
const refinement = `## Task\n\n${task.replace("- **Name** A\n", "")}\n\n## Tool Calls\n\n${calls}`
const input = "- `file`: src/main.ts"
const reference = "[main.ts](src/main.ts)"
const skill =
  "---\nname: read-code\ndescription: Reads code. Use it to explain how something works.\n---\n\n## How to report\n\nSay what the code does."

/** By kind, the text in which nothing is found. */
const usualTexts: Partial<Readonly<Record<ExampleKind, string>>> = {
  "task-list": plan,
  "planning-answer": plan,
  tasks: section,
  task,
  "project-task": task,
  references: reference,
  "project-references": reference,
  refinement,
  answer: refinement,
  "cut-answer": refinement,
  inputs: input,
  "run-inputs": input,
  "tool-calls": calls,
  "run-tool-calls": calls,
  "project-calls": calls,
  turns: `## Tool Calls\n\n${calls}`,
  result: "## Result summary\n\nThe loader is `src/config.ts`.",
  "skill-file": skill,
  "linted-skill": skill,
  template:
    "You conclude.\n<!-- task-conductor: user part -->\n{user_prompt}\n{goals}\n{completed_tasks}\n{failed_tasks}"
}

/** The text before and after; what the example leaves out is the usual text of its kind. */
const textsOf = ({ after, before, fix, kind, right = {}, wrong = {} }: typeof Example.Type) => {
  const usual = edited(usualTexts[kind] ?? "", right)
  if (before === undefined) return { before: edited(usual, wrong), after: after ?? usual }
  return { before, after: after ?? (fix === undefined ? usual : edited(before, fix)) }
}

const folder = new URL("../fixtures/rules/", import.meta.url)

/** All examples, in the order in which they stand in the files. */
export const ruleExamples: ReadonlyArray<RuleExample> = readdirSync(folder).flatMap((file) => {
  const family = file.replace(/\.yaml$/, "")
  const examples = readExamples(parse(readFileSync(new URL(file, folder), "utf8")))
  return Object.entries(examples).map(([code, example]) => {
    const { after, before } = textsOf(example)
    const { alongside = [], kind } = example
    return { code, family, kind, before: writeOut(before), after: writeOut(after), alongside }
  })
})

const byCode = new Map(ruleExamples.map((example) => [example.code, example]))

/** The example of a rule. */
export const exampleOf = (code: string): RuleExample => {
  const example = byCode.get(code)
  if (example === undefined) throw new Error(`There is no example of ${code} under test/fixtures/rules.`)
  return example
}
