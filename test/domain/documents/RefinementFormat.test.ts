import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readTaskReport } from "../../../src/domain/documents/RefinementFormat.ts"
import { Task } from "../../../src/domain/plan/Task.ts"
import { renderTaskReport } from "../../../src/domain/documents/TaskRendering.ts"
import { arbitraryText } from "../../support/TaskListArbitrary.ts"

const planned = new Task({
  name: "Research 1",
  whatIsNeeded: "Find the loader.",
  skill: "search-code",
  references: [
    { kind: "anchor", title: "tests", href: "#test-results", target: "test-results" },
    { kind: "task_result", title: "plan", href: "#plan-1-results", target: "plan-1" }
  ],
  expectedOutput: "Paths.",
  requiresApproval: true,
  codeBlocks: [{ language: "ts", text: "const a = 1" }]
})

const calls = [{ uid: "a", name: "read_file", arguments: { path: "a.ts" } }]
const callsSection =
  '## Tool Calls\n\n```json\n{ "uid": "a", "name": "read_file", "arguments": { "path": "a.ts" } }\n```\n'

const taskWith = (block: string) => `## Task\n\n- **Skill** search-code\n\n\`\`\`json\n${block}\n\`\`\`\n`

const codes = (found: ReadonlyArray<{ readonly code: string }>) => found.map((one) => one.code)

describe("readTaskReport", () => {
  it("updates texts, references and code of the planned task", () => {
    const text = `## Task\n\n- **Name** Research 1\n- **What is needed** Read it.\n- **Skill** search-code\n- **References** [t](#test-results) [p](#Plan_1-results) [o](#other-1-results)\n- **Expected output** Lines.\n\n~~~\nx\n~~~\n\n${callsSection}`
    expect(readTaskReport(text, { task: planned })).toEqual({
      value: Option.some({
        task: new Task({
          ...planned,
          whatIsNeeded: "Read it.",
          expectedOutput: "Lines.",
          references: [
            { kind: "anchor", title: "t", href: "#test-results", target: "test-results" },
            { kind: "task_result", title: "p", href: "#plan-1-results", target: "plan-1" },
            { kind: "task_result", title: "o", href: "#other-1-results", target: "other-1" }
          ],
          codeBlocks: [{ language: "", text: "x" }]
        }),
        calls
      }),
      issues: [],
      repairs: [
        {
          code: "reference-target",
          where: { section: "Task", task: "Research 1", field: "References", line: 6 },
          message: 'Read "#Plan_1-results" as "#plan-1-results".'
        }
      ]
    })
  })

  it("keeps what the plan decided", () => {
    const text = `## Task\n\n- **Name** Other\n- **Skill** edit-files\n- **Requires user approval** no\n\n${callsSection}`
    const { issues, repairs, value } = readTaskReport(text, { task: planned })
    expect({ issues, repairs: codes(repairs) }).toEqual({
      issues: [],
      repairs: ["field-kept", "field-kept", "name-kept", "skill-kept", "approval-kept"]
    })
    expect(value).toEqual(Option.some({ task: planned, calls }))
  })

  it("can add an approval", () => {
    const task = new Task({ ...planned, requiresApproval: false })
    const text = `## Task\n\n- **Requires user approval**\n\n${callsSection}`
    expect(Option.map(readTaskReport(text, { task }).value, (one) => one.task.requiresApproval)).toEqual(
      Option.some(true)
    )
  })

  it("keeps the whole task when the answer does not repeat it", () => {
    for (const text of [callsSection, `## Task\n\nAs before.\n\n${callsSection}`]) {
      const { issues, value } = readTaskReport(text, { task: planned })
      expect({ issues, value }).toEqual({ issues: [], value: Option.some({ task: planned, calls }) })
    }
  })

  it("rejects an answer with neither section, and still gives the task", () => {
    const { issues, value } = readTaskReport("I cannot do that.", { task: planned })
    expect({ codes: codes(issues), value }).toEqual({
      codes: ["section-missing"],
      value: Option.some({ task: planned, calls: [] })
    })
  })

  it("gives the calls that can be read beside the issues of the others", () => {
    const { issues, value } = readTaskReport(`${callsSection}\n\`\`\`json\n{"name":\n\`\`\`\n`, { task: planned })
    expect({ codes: codes(issues), value }).toEqual({
      codes: ["tool-call-truncated"],
      value: Option.some({ task: planned, calls })
    })
  })

  it("tells a call that would never run from code of the task", () => {
    const json = '{"name":"read_file","arguments":{}}'
    expect(codes(readTaskReport(taskWith(json), { task: planned }).issues)).toEqual(["tool-call-misplaced"])
    expect(codes(readTaskReport(taskWith('{"limit":5}'), { task: planned }).issues)).toEqual([])
    expect(codes(readTaskReport(taskWith(json) + callsSection, { task: planned }).issues)).toEqual([])
  })

  it("takes the last answer when an old one stands before it", () => {
    const old = callsSection.replace("a.ts", "old.ts")
    expect(Option.map(readTaskReport(`${old}\n${callsSection}`, { task: planned }).value, (one) => one.calls)).toEqual(
      Option.some(calls)
    )
  })

  it.effect.prop("gives a reading for any text", { text: Schema.String, awkward: arbitraryText }, ({ awkward, text }) =>
    Effect.sync(() => {
      for (const one of [text, awkward, `## Task\n${awkward}\n## Tool Calls\n${text}${awkward}`]) {
        const { issues, value } = readTaskReport(one, { task: planned })
        expect(Option.isSome(value) || issues.some(({ code }) => code === "text-hidden")).toBe(true)
      }
    })
  )
})

describe("what a task holds", () => {
  const fields = "- **What is needed** Find it.\n- **Expected output** Paths."

  it("is no call: one between tags in the text of a field has to be asked for", () => {
    const json = '{"uid": "b", "name": "read_file", "arguments": {"path": "b.ts"}}'
    const text = `## Task\n\n- **Skill** search-code\n${fields}\n[TOOL_CALLS]\n\n${json}\n\n${callsSection}`
    expect(codes(readTaskReport(text).issues)).toEqual(["tool-call-misplaced"])
  })

  it("has a skill without blanks around it, also behind a backslash", () => {
    const { value } = readTaskReport(`## Task\n\n- **Skill**\\ search-code\n${fields}\n\n${callsSection}`)
    expect(Option.getOrThrow(value).task.skill).toBe("search-code")
  })
})

describe("renderTask", () => {
  it("writes a refinement that reads back as the same value", () => {
    const task = new Task({ ...planned, references: [] })
    const text = renderTaskReport({ task, inputs: [], calls })
    expect(readTaskReport(text).value).toEqual(Option.some({ task, calls }))
  })
})
