import { describe, expect, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { checkDocument } from "../../../src/domain/documents/CheckReport.ts"
import { readTaskReport } from "../../../src/domain/documents/RefinementFormat.ts"
import type { InputValue } from "../../../src/domain/documents/TaskOutcome.ts"
import { readSkillInputs } from "../../../src/domain/skills/Skill.ts"
import { Task } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"
import { renderTaskList, renderTaskPart, renderTaskReport } from "../../../src/domain/documents/TaskRendering.ts"
import { documentFixtures, type DocumentFixture } from "../../support/DocumentFixtures.ts"
import { arbitraryText, arbitraryWork } from "../../support/TaskListArbitrary.ts"

const kinds = ["task-list", "refinement", "result"] as const

const leaf = Arbitrary.schema(Schema.Union([Schema.String, Schema.Int, Schema.Boolean, Schema.Null]))
const key = Arbitrary.schema(Schema.Literals(["path", "query", "a b", "ä", "name", "uid", "", "constructor", "```"]))
const few = { maxLength: 4 }
const values = Arbitrary.map(
  Arbitrary.array(Arbitrary.all([key, arbitraryText, leaf, Arbitrary.array(leaf, few)]), few),
  (entries): Readonly<Record<string, Schema.Json>> =>
    Object.fromEntries(
      entries.map(([name, text, one, several], index) => [name, [text, one, several, { [name]: one }][index] ?? null])
    )
)

const refinement = Arbitrary.all({
  list: arbitraryWork,
  calls: Arbitrary.array(
    Arbitrary.all({ name: Arbitrary.schema(Schema.Literals(["read_file", "write_file"])), arguments: values }),
    few
  )
})

const bytes = Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))), {
  maxLength: 400
})

/** As the reader keeps it. */
const oneLine = (text: string): string => text.replaceAll("\0", "").replace(/\s+/g, " ").trim()

const { inputs: typedInputs } = readSkillInputs(
  "- `reason` (text, optional)\n- `note` (text, optional)\n- `lines` (number)\n- `deep` (yes-no)"
)

/** A task without code, in which any line may stand. */
const bare = (task: Task): Task => new Task({ ...task, codeBlocks: [] })

describe("a reader", () => {
  it.effect.prop(
    "reads a refinement back as it was written, with any arguments",
    { refinement },
    ({ refinement: { calls, list } }) =>
      Effect.sync(() => {
        const numbered = calls.map((call, index) => ({ ...call, uid: `c${index}` }))
        for (const task of list.tasks) {
          const text = renderTaskReport({ task, calls: numbered })
          expect(readTaskReport(text, { task })).toEqual({
            value: Option.some({ task, calls: numbered }),
            issues: [],
            repairs: []
          })
          expect(readTaskReport(renderTaskPart(task), { task }).value).toEqual(Option.some({ task, calls: [] }))
        }
      }),
    { arbitrary: { runs: 200 } }
  )
  it.effect.prop(
    "reads typed inputs back as they were written",
    { list: arbitraryWork, reason: arbitraryText, note: Schema.String, lines: Schema.Finite, deep: Schema.Boolean },
    ({ deep, lines, list, note, reason }) =>
      Effect.sync(() => {
        const texts = { reason: oneLine(reason), note: oneLine(note) }
        const values: ReadonlyArray<InputValue> = [
          ...Object.entries(texts).flatMap(([name, value]) => (value === "" ? [] : [{ name, value }])),
          // Numbers are written in digits.
          { name: "lines", value: Math.trunc(lines) % 1_000_000 || 0 },
          { name: "deep", value: deep }
        ]
        for (const task of list.tasks) {
          const text = renderTaskReport({ task, inputs: values, calls: [] })
          expect(readTaskReport(text, { task, inputs: typedInputs })).toEqual({
            value: Option.some({ task, inputs: values, calls: [] }),
            issues: [],
            repairs: []
          })
        }
      }),
    { arbitrary: { runs: 200 } }
  )
  it.effect.prop(
    "gives a value or issues for any text and for any bytes",
    { bytes, text: Schema.String },
    (given) =>
      Effect.sync(() => {
        for (const text of [given.text, new TextDecoder().decode(Uint8Array.from(given.bytes))]) {
          for (const kind of kinds) {
            const { issues, value } = checkDocument(kind, text)
            expect(value === null).toBe(issues.length > 0)
          }
        }
      }),
    { arbitrary: { runs: 300 } }
  )
  it.effect.prop(
    "finds a line that was added to a list, there and nothing else",
    { list: arbitraryWork, at: Schema.Int },
    ({ at, list }) =>
      Effect.sync(() => {
        const steps = list.steps.map(({ tasks: [first, ...rest], title }) => {
          return new Step({ title, tasks: [bare(first), ...rest.map(bare)] })
        })
        const lines = renderTaskList(new TaskList({ goals: list.goals, steps })).split("\n")
        const tasks = lines.lastIndexOf("## Tasks")
        const skills = lines.flatMap((line, index) => (index > tasks && line.startsWith("- **Skill** ") ? [index] : []))
        expect(skills.length).toBeGreaterThan(0)
        const skill = skills[Math.abs(at) % skills.length] ?? 0
        for (const [line, code] of [
          ["- **Priority** high", "field-unknown"],
          ["- **Skill** another", "field-duplicate"],
          ["- **Output** none yet", "output-in-new-task"]
        ] as const) {
          const { issues } = readTaskList(lines.toSpliced(skill + 1, 0, line).join("\n"))
          expect(issues.map((issue) => [issue.code, issue.where.line])).toEqual([[code, skill + 2]])
        }
      }),
    { arbitrary: { runs: 100 } }
  )
})

/** Issues about what stands on their line, and about nothing else. */
const ofOneLine = new Set([
  "field-unknown",
  "field-duplicate",
  "output-in-new-task",
  "references-prose",
  "reference-empty",
  "reference-glob",
  "reference-folder",
  "reference-spaces",
  "reference-kind",
  "reference-url",
  "reference-self",
  "reference-order",
  "reference-task-unknown"
])

interface Found {
  readonly code: string
  readonly line: number
}

const issuesOf = ({ kind, options }: DocumentFixture, text: string): ReadonlyArray<Found> =>
  checkDocument(kind, text, options).issues.map(({ code, where: { line = 0 } }) => ({ code, line }))

/** True when the text of the field does not go on below its line. */
const isWhole = (lines: ReadonlyArray<string>, line: number): boolean => !/^\s+\S/.test(lines[line] ?? "")

const offending = documentFixtures.flatMap((fixture) => {
  const lines = fixture.text.split("\n")
  const issues = issuesOf(fixture, fixture.text)
  /* Without its last line a document may break off before that. */
  const isLast = (line: number): boolean => lines.slice(line).every((one) => one.trim() === "")
  const places = new Set(
    issues.filter(({ code, line }) => ofOneLine.has(code) && !isLast(line)).map(({ line }) => line)
  )
  return [...places]
    .filter((line) => isWhole(lines, line) && issues.every((issue) => issue.line !== line || ofOneLine.has(issue.code)))
    .map((line) => ({ name: `${fixture.name}, line ${line}`, fixture, lines, line, issues }))
})

describe("an issue", () => {
  it("is found on many lines of the fixtures", () => {
    expect(offending.length).toBeGreaterThanOrEqual(30)
  })

  it.each(offending)("goes with its line and brings no other: $name", ({ fixture, issues, line, lines }) => {
    const rest = issues
      .filter((issue) => issue.line !== line)
      .map(({ code, line: at }) => ({ code, line: at > line ? at - 1 : at }))
    expect(issuesOf(fixture, lines.toSpliced(line - 1, 1).join("\n"))).toEqual(rest)
  })
})
