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

const isCopy = (prompt: string, list: TaskList): boolean => codesFor(prompt, list).includes("plan-example")

const raise = "Raise the limit of requests per minute to 120"

describe("a plan that holds a task twice", () => {
  it("is an issue, and none where the tasks have names of their own", () => {
    const needed = "Find the file that reads the port."
    expect(codesFor(raise, listOf(["The limit", needed], ["The limit", needed], ["The limit", needed]))).toEqual([
      "task-repeated",
      "task-repeated"
    ])
    expect(codesFor(raise, listOf(["Read 1", needed], ["Read 2", needed]))).toEqual([])
  })
})

describe("the example of the instructions", () => {
  it("is the one that the prompt of planning holds", () => {
    expect(example.length).toBeGreaterThan(0)
    expect(instructions).toContain(`**Name** ${copied.name}\n`)
  })

  const copies: Readonly<Record<string, readonly [prompt: string, list: TaskList]>> = {
    "the whole task": [raise, listOf([copied.name, copied.whatIsNeeded])],
    "six tasks with its name": [
      raise,
      listOf(...[1, 2, 3, 4, 5, 6].map((number) => [`${copied.name} ${number}`, "Do it."] as const))
    ],
    "its text under another name": [raise, listOf(["Raise the limit", copied.whatIsNeeded])],
    "its text without the last words": [
      raise,
      listOf(["Task 1", copied.whatIsNeeded.split(" ").slice(0, -3).join(" ")])
    ],
    "its name in capitals": [raise, listOf([copied.name.toUpperCase(), "Change it."])],
    "its task beside one of the prompt": [
      raise,
      listOf(["Raise the limit", "Set requestsPerMinute to 120."], [copied.name, copied.whatIsNeeded])
    ],
    "its task for a question": ["Where is the rate limit defined?", listOf([copied.name, copied.whatIsNeeded])],
    "its numbers in the place of the prompt's": ["Limit the retries to 7", listOf([copied.name, copied.whatIsNeeded])]
  }
  for (const [name, [prompt, list]] of Object.entries(copies)) {
    it(`is found in ${name}`, () => expect(isCopy(prompt, list)).toBe(true))
  }

  const own: Readonly<Record<string, readonly [prompt: string, list: TaskList]>> = {
    "the prompt of the example": ["Limit retries to 3, and document it.", listOf([copied.name, copied.whatIsNeeded])],
    "the same asked in other words": ["Retry at most 3 times.", listOf([copied.name, copied.whatIsNeeded])],
    "the same for a part of the code": [
      "Limit the retries of the uploader",
      listOf([copied.name, copied.whatIsNeeded])
    ],
    "its form for another subject": [
      raise,
      listOf(["Raise the limit", copied.whatIsNeeded.replaceAll(/retr\w+/gi, "requests").replace("3", "120")])
    ],
    "a task that also retries": [
      "Make the uploader more robust",
      listOf(["Add retries to the uploader", "Let src/upload.ts try a failed request again, with a limit of attempts."])
    ],
    "any other task": [raise, listOf(["Raise the limit", "Set requestsPerMinute to 120 in src/limits.js."])]
  }
  for (const [name, [prompt, list]] of Object.entries(own)) {
    it(`is not found in ${name}`, () => expect(isCopy(prompt, list)).toBe(false))
  }

  it("is read anew when the instructions have another one", () => {
    const other = instructions.replaceAll("Limit retries", "Cache pages").replaceAll(/\bretr(?:y|ies)\b/g, "pages")
    const others = exampleIn(other)
    expect(others[0]?.name).toBe("Cache pages")
    expect(planIssues(listOf(["Cache pages", "Do it."]), others, raise)).toHaveLength(1)
    expect(planIssues(listOf([copied.name, copied.whatIsNeeded]), others, raise)).toHaveLength(0)
    expect(exampleIn("No example.")).toEqual([])
  })

  it("says what to write instead", () => {
    const [issue] = planIssues(listOf([copied.name, copied.whatIsNeeded]), example, raise)
    expect(issue).toMatchObject({ code: "plan-example", where: { task: copied.name } })
    expect(issue?.how).toContain(raise)
  })
})
