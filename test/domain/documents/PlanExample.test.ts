import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { readFileSync } from "node:fs"
import { exampleIn, planIssues } from "../../../src/domain/documents/PlanExample.ts"
import { readTaskList } from "../../../src/domain/documents/TaskListFormat.ts"
import type { TaskList } from "../../../src/domain/plan/TaskList.ts"
import { planOf } from "../../support/TestRun.ts"

const instructions = readFileSync(new URL("../../../prompts/creation.md", import.meta.url), "utf8")
const example = exampleIn(instructions)
const [copied = { name: "", whatIsNeeded: "" }] = example

const listOf = (...tasks: ReadonlyArray<readonly [name: string, needed: string]>): TaskList =>
  Option.getOrThrow(readTaskList(planOf([tasks.map(([name, needed]) => ({ name, needed }))])).value)

const codesFor = (prompt: string, list: TaskList) => planIssues(list, example, prompt).map(({ code }) => code)

const raise = "Raise the limit of requests per minute to 120"

it("a plan that holds a task twice has an issue, and none where the tasks have names of their own", () => {
  const needed = "Find the file that reads the port."
  const repeated = codesFor(raise, listOf(["The limit", needed], ["The limit", needed], ["The limit", needed]))
  expect(repeated).toEqual(["task-repeated", "task-repeated"])
  expect(codesFor(raise, listOf(["Read 1", needed], ["Read 2", needed]))).toEqual([])
})

/** Its name and its text. */
const { name, whatIsNeeded: text } = copied
const six = [1, 2, 3, 4, 5, 6].map((number) => [`${name} ${number}`, "Do it."] as const)
const another = text.replaceAll(/retr\w+/gi, "requests").replace("3", "120")

describe("the example of the instructions", () => {
  it("is the one that the prompt of planning holds", () => {
    expect(example.length).toBeGreaterThan(0)
    expect(instructions).toContain(`**Name** ${name}\n`)
  })

  it.each<[string, prompt: string, list: TaskList]>([
    ["the whole task", raise, listOf([name, text])],
    ["six tasks with its name", raise, listOf(...six)],
    ["its text under another name", raise, listOf(["Raise the limit", text])],
    ["its text without the last words", raise, listOf(["Task 1", text.split(" ").slice(0, -3).join(" ")])],
    ["its name in capitals", raise, listOf([name.toUpperCase(), "Change it."])],
    ["its task beside one of the prompt", raise, listOf(["Raise the limit", "Set the limit to 120."], [name, text])],
    ["its task for a question", "Where is the rate limit defined?", listOf([name, text])],
    ["its numbers in the place of the prompt's", "Limit the retries to 7", listOf([name, text])]
  ])("is found in %s", (_, prompt, list) => expect(codesFor(prompt, list)).toContain("plan-example"))

  it.each<[string, prompt: string, list: TaskList]>([
    ["the prompt of the example", "Limit retries to 3, and document it.", listOf([name, text])],
    ["the same asked in other words", "Retry at most 3 times.", listOf([name, text])],
    ["the same for a part of the code", "Limit the retries of the uploader", listOf([name, text])],
    ["its form for another subject", raise, listOf(["Raise the limit", another])],
    ["a task that also retries", "Make it robust", listOf(["Add retries", "Let it try a request again, 5 times."])],
    ["any other task", raise, listOf(["Raise the limit", "Set requestsPerMinute to 120 in src/limits.js."])]
  ])("is not found in %s", (_, prompt, list) => expect(codesFor(prompt, list)).not.toContain("plan-example"))

  it("is read anew when the instructions have another one", () => {
    const other = instructions.replaceAll("Limit retries", "Cache pages").replaceAll(/\bretr(?:y|ies)\b/g, "pages")
    const others = exampleIn(other)
    expect(others[0]?.name).toBe("Cache pages")
    expect(planIssues(listOf(["Cache pages", "Do it."]), others, raise)).toHaveLength(1)
    expect(planIssues(listOf([name, text]), others, raise)).toHaveLength(0)
    expect(exampleIn("No example.")).toEqual([])
  })

  it("says what to write instead", () => {
    const [issue] = planIssues(listOf([name, text]), example, raise)
    expect(issue).toMatchObject({ code: "plan-example", where: { task: name } })
    expect(issue?.how).toContain(raise)
  })
})
