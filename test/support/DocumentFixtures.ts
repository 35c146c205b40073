/**
 * The documents under test/fixtures: what a model wrote, and beside it what the reader must say about it. Read by the
 * tests and the measurements of the readers; test/fixtures/README.md says what the files mean.
 */
import * as Schema from "effect/Schema"
import { readdirSync, readFileSync } from "node:fs"
import type { CheckOptions, DocumentKind } from "../../src/domain/documents/CheckReport.ts"
import { readSkillInputs } from "../../src/domain/skills/Skill.ts"
import { Task } from "../../src/domain/plan/Task.ts"

const fixtures = new URL("../fixtures/", import.meta.url)

const Place = Schema.Struct({ code: Schema.String, line: Schema.optionalKey(Schema.Int) })
const Expected = Schema.Struct({
  finished: Schema.optionalKey(Schema.Array(Schema.String)),
  planned: Schema.optionalKey(Schema.toCodecJson(Task)),
  inputs: Schema.optionalKey(Schema.Array(Schema.String)),
  fill: Schema.optionalKey(Schema.Int),
  verdict: Schema.Literals(["accepted", "repaired", "rejected"]),
  issues: Schema.Array(Place),
  repairs: Schema.Array(Place),
  value: Schema.Json
})
const readExpected = Schema.decodeUnknownSync(Schema.fromJsonString(Expected))

/** One document with what must be said about it. */
export interface DocumentFixture {
  readonly kind: DocumentKind
  /** Folder and file name. */
  readonly name: string
  readonly text: string
  readonly options: CheckOptions
  readonly expected: Pick<typeof Expected.Type, "verdict" | "issues" | "repairs" | "value">
}

const folders: ReadonlyArray<readonly [string, DocumentKind]> = [
  ["task-lists", "task-list"],
  ["refinements", "refinement"],
  ["results", "result"]
]

const readFixture = (kind: DocumentKind, name: string): DocumentFixture => {
  const text = readFileSync(new URL(name, fixtures), "utf8")
  const { fill, finished, inputs, planned, ...expected } = readExpected(
    readFileSync(new URL(name.replace(/\.md$/, ".expected.json"), fixtures), "utf8")
  )
  return {
    kind,
    name,
    text: fill === undefined ? text : text.replace("@fill@", "x".repeat(fill)),
    options: {
      ...(finished === undefined ? {} : { finished }),
      ...(planned === undefined ? {} : { planned }),
      ...(inputs === undefined ? {} : { inputs: readSkillInputs(inputs.join("\n")).inputs })
    },
    expected
  }
}

/** All documents, by folder and name. */
export const documentFixtures: ReadonlyArray<DocumentFixture> = folders.flatMap(([folder, kind]) =>
  readdirSync(new URL(`${folder}/`, fixtures))
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFixture(kind, `${folder}/${name}`))
)
