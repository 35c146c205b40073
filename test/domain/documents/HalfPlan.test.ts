import { assert, describe, it } from "@effect/vitest"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"

const task = (name = "Search 1", expected = "A word.") =>
  `- **Name** ${name}\n- **What is needed** Find the loader.\n- **Skill** search-code\n- **Expected output** ${expected}\n`

type Part = "before" | "prompt" | "goals" | "heading" | "intro" | "section" | "tasks" | "end"
type Parts = { readonly [part in Part]?: string }

const planWith = (parts: Parts): string => {
  const { before = "", end = "", goals = "It is done.", heading = "## Tasks", intro = "", prompt = "Do it." } = parts
  const { section = "Task section 1", tasks = task() } = parts
  return [before, `## Original prompt\n\n${prompt}`, `## Goals / summary\n\n${goals}`, heading, intro]
    .concat(`### ${section}`, `${tasks}${end}`)
    .filter((part) => part !== "")
    .join("\n\n")
}

const codes = (parts: Parts, finished: ReadonlyArray<string> = []) =>
  readTaskList(planWith(parts), { finished }).issues.map(({ code }) => code)

/** A task whose name has about so many characters, and counts. */
const long = (length: number) =>
  task(`${"Look at the module again and again and write it down ".repeat(4).slice(0, length - 6)} (1/3)`)

describe("a list of tasks that is not whole is not taken", () => {
  const cases: ReadonlyArray<readonly [string, Parts]> = [
    ["a name counts", { tasks: task("Task 1 of 3") }],
    ["a name counts in brackets", { tasks: `${task("Research (1/3)")}\n${task("Research (2/3)")}` }],
    ["a section counts", { section: "Task section 1 of 2" }],
    ["a section counts with a slash", { section: "Task section 1/3" }],
    ["the heading counts", { heading: "## Tasks (3)" }],
    ["the goals count", { goals: "It is done. The plan has three tasks: search, change, check." }],
    ["the text before it counts", { before: "I split this into 3 tasks." }],
    ["the introduction counts", { intro: "There are 2 tasks:" }],
    ["dots", { end: "\n..." }],
    ["dots in a list", { end: "- …" }],
    ["dots between tasks", { tasks: `${task("A")}\n...\n\n${task("B")}` }],
    ["a placeholder", { end: "\n[Further tasks follow the same pattern]" }],
    ["a comment", { end: "\n<!-- more tasks here -->" }],
    ["a promise", { end: "\nThe remaining tasks will be added once these are done." }],
    ["a label that begins", { end: "\n- **Na" }],
    ["a link that begins", { tasks: task("A", "What [loader.ts](src/loa").trimEnd() }],
    ["a sentence that begins", { tasks: task("A", "A list of the").trimEnd() }]
  ]
  for (const [what, parts] of cases) it(what, () => assert.deepStrictEqual(codes(parts), ["plan-unfinished"]))

  it("a line of 200 characters, and none of more", () => {
    const lengths = [100, 200, 201].map((length) => codes({ tasks: long(length) }).join())
    assert.deepStrictEqual(lengths, ["plan-unfinished", "plan-unfinished", ""])
  })

  it("and says what shows it", () => {
    const [issue] = readTaskList(planWith({ tasks: task("Task 1 of 3") })).issues
    assert.strictEqual(issue?.what, 'The list of tasks is not whole. "Task 1 of 3" is the last one that is there.')
  })
})

describe("a whole list of tasks is taken", () => {
  const cases: ReadonlyArray<readonly [string, Parts]> = [
    ["all that are counted", { tasks: `${task("Task 1 of 2")}\n${task("Task 2 of 2")}` }],
    ["counted in any order", { tasks: `${task("B (2/2)")}\n${task("A (1/2)")}` }],
    ["a date, a version and a fraction", { tasks: `${task("Release 1/3")}\n${task("Ports 8/10")}` }],
    ["the prompt counts other tasks", { prompt: "There are 3 tasks.\n\nThe plan has 4. Split it into 5 tasks." }],
    ["the goals name other tasks", { goals: "The three tasks of the scheduler are renamed." }],
    ["steps of one task", { goals: "In three steps the loader is found, changed and tested." }],
    ["dots in code", { end: "\n```ts\nf(\n...\n)\n```" }],
    ["dots in a value", { tasks: task("A", "What `...` means.") }],
    ["brackets that are no link", { tasks: task("A", "What stands between ](").trimEnd() }],
    ["an index and a call", { tasks: task("A", "handlers[](x").trimEnd() }],
    ["work on the rest", { tasks: task("A").replace("Find the loader.", "Find it.\n  Repeat for each file.") }],
    ["the last label without its end", { end: "- **Requires user approval" }]
  ]
  for (const [what, parts] of cases) it(what, () => assert.deepStrictEqual(codes(parts), []))

  it("with those that have finished", () => {
    assert.deepStrictEqual(codes({ goals: "The plan has two tasks." }, ["Search 0"]), [])
    assert.deepStrictEqual(codes({ tasks: task("Task 3 of 3") }, ["Task 1 of 3", "Task 2 of 3"]), [])
  })
})
