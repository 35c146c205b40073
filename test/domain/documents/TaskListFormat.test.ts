import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { originalPrompt, readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"
import { renderTaskList } from "../../../src/domain/documents/TaskRendering.ts"
import { issuesMarkdown } from "../../../src/domain/findings/Issue.ts"
import { plainTask } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { testTaskListProperties } from "../../support/taskListProperties.ts"

const document = (tasks: string): string =>
  `## Original prompt\n\np\n\n## Goals / summary\n\ng\n\n## Tasks\n\n### Task section 1\n\n${tasks}`

const optional = (label: string, value: string) => (value === "" ? "" : `- **${label}** ${value}\n`)

const task = (name: string, references = ""): string => {
  const needed = "- **What is needed** a\n- **Skill** search-code\n"
  return `${optional("Name", name)}${needed}${optional("References", references)}- **Expected output** b\n`
}

const codesOf = (text: string, options = {}) => readTaskList(text, options).issues.map((issue) => issue.code)

const namesOf = (text: string, options = {}) =>
  Option.map(readTaskList(text, options).value, (list) => list.tasks.map((one) => one.name))

testTaskListProperties(30)

const threeTasks = (given: string) => document(`${task("")}\n${task(given)}\n${task("")}`)

describe("readTaskList", () => {
  it.each(["a,b", "- a/b", "* x and y", "+ ***vT/Uhe,B"])("reads the skill %j back as one", (skill) => {
    const tasks = [plainTask("A", skill, "Something.", "Something.")] as const
    const list = new TaskList({ goals: "g", steps: [new Step({ title: "Task section 1", tasks })] })
    expect(readTaskList(renderTaskList(list))).toMatchObject({ value: Option.some(list), issues: [], repairs: [] })
  })

  it("says that a task has no section, no skill and a reference without a link, all at once", () => {
    const { issues } = readTaskList(document("- **What is needed** a\n- **References** the docs\n"))
    expect(issuesMarkdown(issues)).toBe(
      [
        '1. In section "Task section 1", task "Task 1", field "Skill", line 13: The task "Task 1" has no field "Skill". Add "- **Skill** ..." and name one skill of the catalogue.',
        '2. In section "Task section 1", task "Task 1", field "Expected output", line 13: The task "Task 1" has no field "Expected output". Add "- **Expected output** ..." and say what the result must contain.',
        '3. In section "Task section 1", task "Task 1", field "References", line 14: The field has text but no link. Write markdown links only, such as [main.ts](src/main.ts), or leave the field out.',
        "   You wrote: `the docs`"
      ].join("\n")
    )
  })

  it("names tasks after their skill and their position, and never like a finished or given one", () => {
    expect(namesOf(threeTasks("Given"))).toEqual(Option.some(["search-code 1", "Given", "search-code 3"]))
    expect(namesOf(threeTasks("search-code 4"), { finished: ["Search-Code 1"] })).toEqual(
      Option.some(["search-code 2", "search-code 4", "search-code 3"])
    )
  })

  it("drops finished tasks with all that is wrong about them, and sections that held only such", () => {
    const old = document(`${task("research 1", "nothing useful")}- **Output** done`)
    const text = `${old}\n### Task section 2\n\n${task("B", "[a](#research-1-results)")}`
    const { issues, repairs, value } = readTaskList(text, { finished: ["Research 1"] })
    expect([issues, repairs.map((repair) => repair.code)]).toEqual([[], ["step-dropped", "finished-task-dropped"]])
    expect(Option.map(value, (list) => list.steps.map((step) => step.title))).toEqual(Option.some(["Task section 2"]))
  })

  it("accepts a list without tasks only when it continues a run", () => {
    const text = document("").replace("### Task section 1\n", "")
    expect(codesOf(text)).toEqual(["tasks-empty"])
    expect(codesOf(text, { finished: ["A"] })).toEqual([])
    expect(codesOf(text, { allowEmpty: true })).toEqual([])
    expect(codesOf(text, { finished: ["A"], allowEmpty: false })).toEqual(["tasks-empty"])
    expect(codesOf(`${text}No more tasks, all goals are met.`, { allowEmpty: true })).toEqual([])
    expect(codesOf(`${text}The same as before.`, { allowEmpty: true })).toEqual(["tasks-empty"])
  })

  it("leaves an anchor that is no task to whoever knows the request document", () => {
    const text = document(task("A", "[r](#test-results)"))
    const references = Option.map(readTaskList(text).value, (list) => list.tasks[0]?.references)
    const anchor = { kind: "anchor", title: "r", href: "#test-results", target: "test-results" }
    expect(references).toEqual(Option.some([anchor]))
    expect(codesOf(text, { headings: ["Test-Results"] })).toEqual([])
    expect(codesOf(text, { headings: [] })).toEqual(["reference-task-unknown"])
  })

  it("repairs a result only when exactly one task can be meant, and gives the list without the reference", () => {
    const text = `${document(`${task("a b")}\n${task("a_b")}`)}\n### Task section 2\n\n`
    const codes = (anchor: string) => codesOf(text + task("C", `[r](${anchor})`), { headings: [] }).join()
    expect(["#a_b-results", "#A-B-results", "output:A B"].map(codes)).toEqual(["", "", ""])
    const unknown = "reference-task-unknown"
    expect(["#a--b-results", "output:a__b"].map(codes)).toEqual([unknown, unknown])
    expect(namesOf(document(task("A", "[r](lib/*.ts)")))).toEqual(Option.some(["A"]))
  })

  it("reads a long list", () => {
    const tasks = Array.from({ length: 4000 }, (_, index) => `${task(`T ${index}`, "[m](src/main.ts#L1-L2)")}\n`)
    const { issues, value } = readTaskList(document(tasks.join("")).padEnd(1_000_000, "word "))
    expect([issues, Option.map(value, (list) => list.tasks.length)]).toEqual([[], Option.some(4000)])
  })
})

it.each([
  ["## Original prompt\n\nFind dead code.\n\n## Tasks\n", "Find dead code."],
  ["## Original Prompt:\n\n```text\nFind\n\ndead code.\n```\n\n## Tasks\n", "Find\n\ndead code."],
  ["## Original prompt\n\n## Tasks\n", undefined],
  ["# A plan\n", undefined]
])("originalPrompt reads %j", (markdown, expected) => {
  expect(originalPrompt(markdown)).toBe(expected)
})

it.each([
  "**Name** ✅ Research 1",
  "**Name** ✔️ Research 1",
  "**Name** [x] Research 1",
  "[x] **Name** Research 1",
  "**Name** ~~Research 1~~",
  "**Name** Research 1 (done)",
  "**Name** Research 1 (already completed)",
  "**Name** Research 1 - done",
  "**Name** Done: Research 1"
])("tasks that are marked as done are left out when they have finished: %s", (line) => {
  const { issues, repairs, value } = readTaskList(document(task("A").replace("**Name** A", line)), {
    finished: ["Research 1"]
  })
  expect(issues).toEqual([])
  expect(Option.getOrThrow(value).tasks).toEqual([])
  expect(repairs.map(({ code }) => code)).toContain("finished-task-dropped")
})

it.each(["**Name** Done things", "**Name** Research 10", "**Name** ✅ Research 2"])(
  "tasks stay otherwise: %s",
  (line) => {
    const { value } = readTaskList(document(task("A").replace("**Name** A", line)), { finished: ["Research 1"] })
    expect(Option.getOrThrow(value).tasks).toHaveLength(1)
  }
)
