import { expect, it } from "@effect/vitest"
import { noFindings } from "../../../src/domain/findings/Issue.ts"
import { taskLines } from "../../../src/domain/grammar/RawTask.ts"
import { collectTasks } from "../../../src/domain/grammar/TaskParser.ts"
import { fenceByLine, findFences } from "../../../src/domain/markdown/Line.ts"
import { outline } from "../../../src/domain/markdown/Outline.ts"

/** The tasks of a section with the text of their fields, and what was found. */
const parse = (...lines: ReadonlyArray<string>) => {
  const findings = noFindings()
  const written = outline(lines.join("\n"))
  const fences = fenceByLine(findFences(written.lines, () => false))
  const tasks = collectTasks(taskLines({ ...written, fences }, 0, written.lines.length), "Task section 1", findings)
  const shown = tasks.map(({ codeBlocks, faults, fields, line, notes, title }) => ({
    line,
    title,
    fields: Object.fromEntries(
      [...fields].map(([key, { first, rest }]) => [key, [first, ...rest.map(({ text }) => text)].join("\n")])
    ),
    codeBlocks,
    faults,
    notes: notes.map(({ code }) => code)
  }))
  return { tasks: shown, findings }
}

const clean = { title: "", codeBlocks: [], faults: [], notes: [] }
const ignored = (text: string) => ({
  code: "text-ignored",
  where: { section: "Task section 1", line: 1 },
  message: `Ignored text that belongs to no field: "${text}".`
})

it("starts a task at each name and keeps further lines with their field", () => {
  const first = ["- **Name** A", "- **What is needed** Read it.", "  Then read it again.", "- **Skill** read", ""]
  expect(parse(...first, "- **Name** B", "- **Skill** write", "- **Name** C")).toEqual({
    tasks: [
      { ...clean, line: 1, fields: { name: "A", needed: "Read it.\nThen read it again.", skill: "read" } },
      { ...clean, line: 6, fields: { name: "B", skill: "write" } },
      { ...clean, line: 8, fields: { name: "C" } }
    ],
    findings: noFindings()
  })
})

it("takes the heading above the fields of a task as its title, or the item that holds them", () => {
  expect(parse("#### Look around", "", "- **Skill** read")).toEqual({
    tasks: [{ ...clean, line: 1, title: "Look around", fields: { skill: "read" } }],
    findings: noFindings()
  })
  const first = ["1. Look around:", "   - **What is needed** Look.", "   - **Skill** read"]
  expect(parse(...first, "2. Write", "   - **Skill** write")).toEqual({
    tasks: [
      { ...clean, line: 1, title: "Look around", fields: { needed: "Look.", skill: "read" } },
      { ...clean, line: 4, title: "Write", fields: { skill: "write" } }
    ],
    findings: noFindings()
  })
})

it("keeps a field that comes twice and a label that no field has out of the fields, as faults", () => {
  const unknown = ["- **Name** A", "- **Colour** Red.", "  And blue."]
  const { tasks } = parse(...unknown, "- **Skill** read", "- **Skill** write", "- **Expected output** A word.")
  const faults = [
    { kind: "unknown", label: "Colour", line: 2, quote: "- **Colour** Red." },
    { kind: "duplicate", label: "Skill", line: 5, quote: "- **Skill** write" }
  ]
  expect(tasks).toEqual([{ ...clean, line: 1, fields: { name: "A", skill: "read", expected: "A word." }, faults }])
})

it("reads no tasks out of a code block, and says so", () => {
  expect(parse("```markdown", "- **Name** A", "- **Skill** read", "```")).toEqual({
    tasks: [],
    findings: { issues: [], repairs: [ignored("- **Name** A - **Skill** read")] }
  })
})

it("notes text before the first task once, and rejects a heading without a task below it", () => {
  const { findings, tasks } = parse("These are the tasks.", "They are good.", "", "#### Notes", "", "Nothing more.")
  expect([tasks, findings.repairs]).toEqual([[], [ignored("These are the tasks.")]])
  expect(findings.issues).toMatchObject([
    {
      code: "section-unknown",
      where: { section: "Task section 1", line: 4 },
      what: 'The heading "Notes" is inside a task section.',
      quote: "Notes"
    }
  ])
})
