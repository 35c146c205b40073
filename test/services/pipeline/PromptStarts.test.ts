/**
 * How the prompts of one run begin: a server reads the start that two prompts share only once, so that what differs has to
 * come late.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Briefing, type BriefingParts, requestDocument } from "../../../src/domain/models/Briefing.ts"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import { plainTask, type Task } from "../../../src/domain/plan/Task.ts"
import type { Reference } from "../../../src/domain/plan/Reference.ts"
import { openStages } from "../../support/OpenStages.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const parts: BriefingParts = {
  prompt: "Do it.",
  environment: "- Date: 2026-11-20",
  projectDescription: "# Shop\n\nSells things.",
  descriptionFiles: ["AGENTS.md"],
  projectMap: "Main files: `a.txt`.",
  openFiles: []
}
const briefing: Briefing = { ...parts, requestDocument: requestDocument(parts) }
const files = { "a.txt": "A.\n", "AGENTS.md": "# Shop\n\nSells things.\n" }
const described: Reference = {
  kind: "anchor",
  title: "The project",
  href: "#project-description",
  target: "project-description"
}

const look = (name: string, skill: string, references: ReadonlyArray<Reference> = []): Task =>
  plainTask(name, skill, `What ${name} says.`, "A word.", { references })

const read = refinementWith([{ name: "read_file", arguments: { path: "a.txt" } }])
const whole = ({ system, user }: FilledPrompt): string => `${system}\n\n${user}`

/** What two prompts have in common before they differ. */
const sharedStart = (one: string, other: string): string => {
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  return one.slice(0, same)
}

/** The first and the second prompt of tasks that are worked on one after another. */
const promptsOf = (...tasks: ReadonlyArray<Task>) =>
  Effect.gen(function* () {
    const answers = tasks.flatMap(() => [read, resultSaying("A.")])
    const { taskAgent, prompts } = yield* openStages({ files, answers })
    for (const task of tasks) yield* taskAgent.work({ briefing, round: 1, step: 0, finished: [], task })
    const at = (index: number): string => whole(prompts[index]!)
    return tasks.map((_, index) => ({ first: at(2 * index), second: at(2 * index + 1) }))
  })

describe("prompts of one run", () => {
  nodeTest("are the same up to the references and the task, and show the description once", function* () {
    const [one, other] = yield* promptsOf(look("One", "read-code"), look("Two", "read-code", [described]))
    const shared = sharedStart(one!.first, other!.first)
    expect(shared).toContain("Do it.")
    expect(one!.first.slice(shared.length)).toMatch(/^(?:## )?Task\n/)
    expect(other!.first.split("Sells things.").length).toBe(2)
  })

  nodeTest("share rules and tools between skills with the same tools", function* () {
    const [one, other] = yield* promptsOf(look("One", "read-code"), look("Two", "review"))
    const tasks = sharedStart(one!.first, other!.first)
    expect(tasks).toContain("### Shop\n\nSells things.")
    expect(tasks).toContain("### read_file")
    expect(tasks).toMatch(/\n## Skill re$/)
  })

  nodeTest("of a plan change near their end when the plan was rejected", function* () {
    const answers = ["Nothing.", planOf([[{ name: "One" }]])]
    const { planner, prompts } = yield* openStages({ files, answers })
    yield* planner.plan(briefing)
    const [first = "", second = ""] = prompts.map(whole)
    expect(first.slice(sharedStart(first, second).length)).toMatch(/^(?:## )?Now\n/)
    expect(second).toContain("Fix all of them and write the whole answer again.")
  })
})
