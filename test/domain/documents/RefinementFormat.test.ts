import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { readTaskReport } from "../../../src/domain/documents/RefinementFormat.ts"
import { Task } from "../../../src/domain/plan/Task.ts"

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

/** The codes of the issues of a text, and what was read. */
const read = (text: string, task = planned) => {
  const { issues, value } = readTaskReport(text, { task })
  return { codes: codes(issues), value }
}
const unchanged = Option.some({ task: planned, calls })

describe("readTaskReport", () => {
  it("updates texts, references and code of the planned task", () => {
    const references = "[t](#test-results) [p](#Plan_1-results) [o](#other-1-results)"
    const fields = `- **Name** Research 1\n- **What is needed** Read it.\n- **Skill** search-code\n- **References** ${references}`
    const text = `## Task\n\n${fields}\n- **Expected output** Lines.\n\n~~~\nx\n~~~\n\n${callsSection}`
    const { issues, repairs, value } = readTaskReport(text, { task: planned })
    const task = new Task({
      ...planned,
      whatIsNeeded: "Read it.",
      expectedOutput: "Lines.",
      references: [
        { kind: "anchor", title: "t", href: "#test-results", target: "test-results" },
        { kind: "task_result", title: "p", href: "#plan-1-results", target: "plan-1" },
        { kind: "task_result", title: "o", href: "#other-1-results", target: "other-1" }
      ],
      codeBlocks: [{ language: "", text: "x" }]
    })
    expect([issues, value]).toEqual([[], Option.some({ task, calls })])
    expect(repairs.map(({ code, where }) => [code, where.field, where.line])).toEqual([
      ["reference-target", "References", 6]
    ])
  })

  it("keeps what the plan decided, and can add an approval", () => {
    const text = `## Task\n\n- **Name** Other\n- **Skill** edit-files\n- **Requires user approval** no\n\n${callsSection}`
    const { issues, repairs, value } = readTaskReport(text, { task: planned })
    expect([issues, value]).toEqual([[], unchanged])
    expect(codes(repairs)).toEqual(["field-kept", "field-kept", "name-kept", "skill-kept", "approval-kept"])
    const free = new Task({ ...planned, requiresApproval: false })
    expect(read(`## Task\n\n- **Requires user approval**\n\n${callsSection}`, free).value).toEqual(unchanged)
  })

  it.each([
    ["without the task", callsSection, [], unchanged],
    ["with a task that stays", `## Task\n\nAs before.\n\n${callsSection}`, [], unchanged],
    ["after an old one", `${callsSection.replace("a.ts", "old.ts")}\n${callsSection}`, ["section-several"], unchanged],
    ["beside a cut call", `${callsSection}\n\`\`\`json\n{"name":\n\`\`\`\n`, ["tool-call-truncated"], unchanged],
    ["of words alone", "I cannot do that.", ["section-missing"], Option.some({ task: planned, calls: [] })]
  ])("reads the last answer, %s", (_, text, found, value) => {
    expect(read(text)).toEqual({ codes: found, value })
  })

  it("tells a call that would never run from code of the task", () => {
    const json = '{"name":"read_file","arguments":{}}'
    expect(read(taskWith(json)).codes).toEqual(["tool-call-misplaced"])
    expect([taskWith('{"limit":5}'), taskWith(json) + callsSection].map((text) => read(text).codes)).toEqual([[], []])
  })
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
