/**
 * How the prompts of one run begin: a server reads the start that two prompts share only once, so that what differs has to
 * come late.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Briefing, type BriefingParts, requestDocument } from "../../../src/domain/models/Briefing.ts"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import { plainTask, type Task } from "../../../src/domain/plan/Task.ts"
import type { Reference } from "../../../src/domain/plan/Reference.ts"
import { openStages } from "../../support/OpenStages.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"

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

/** The prompts of tasks that are refined and executed one after another. */
const promptsOf = (...tasks: ReadonlyArray<Task>) =>
  Effect.gen(function* () {
    const answers = tasks.flatMap(() => [read, resultSaying("A.")])
    const { prompts, refiner, taskRunner } = yield* openStages({ files, answers })
    for (const task of tasks) {
      const order = { briefing, round: 1, step: 0, finished: [] }
      const refinement = yield* refiner.refine({ ...order, task })
      yield* taskRunner.run({ ...order, refinement })
    }
    const at = (index: number): string => whole(prompts[index]!)
    return tasks.map((_, index) => ({ refine: at(2 * index), execute: at(2 * index + 1) }))
  })

layer(NodeServices.layer)("prompts of one run", (it) => {
  it.effect("are the same up to the task, whatever its references are", () =>
    Effect.gen(function* () {
      const [one, other] = yield* promptsOf(look("One", "read-code"), look("Two", "read-code", [described]))
      expect(one!.refine.slice(sharedStart(one!.refine, other!.refine).length)).toMatch(/^(?:## )?Task\n/)
      expect(one!.execute.slice(sharedStart(one!.execute, other!.execute).length)).toMatch(/^(?:## )?What was done\n/)
      expect(other!.refine).toContain(
        "## Reference information for The project\n\nThe contents of #project-description\n\n(They stand above, under `## Project description`.)"
      )
      expect(other!.execute.split("Sells things.").length).toBe(2)
    })
  )

  it.effect("share rules and tools between skills, and the facts about the project between stages", () =>
    Effect.gen(function* () {
      const [one, other] = yield* promptsOf(look("One", "read-code"), look("Two", "review"))
      const tasks = sharedStart(one!.refine, other!.refine)
      expect(tasks).toContain("### read_file")
      expect(tasks).toMatch(/\n## Skill re$/)
      const stages = sharedStart(one!.refine, one!.execute)
      expect(stages).toContain("### Shop\n\nSells things.")
      expect(stages).toContain("- Date: 2026-11-20")
    })
  )

  it.effect("change near their end when an answer was rejected", () =>
    Effect.gen(function* () {
      const task = look("One", "read-code")
      const answers = ["Nothing.", planOf([[{ name: "One" }]]), "Nothing.", read, "Nothing.", resultSaying("A.")]
      const { planner, prompts, refiner, taskRunner } = yield* openStages({ files, answers })
      yield* planner.plan(briefing)
      const order = { briefing, round: 1, step: 0, finished: [] }
      const refinement = yield* refiner.refine({ ...order, task })
      yield* taskRunner.run({ ...order, refinement })
      expect(prompts.length).toBe(6)
      for (const [first, second] of [prompts.slice(0, 2), prompts.slice(2, 4), prompts.slice(4)].map((two) =>
        two.map(whole)
      )) {
        expect(first!.slice(sharedStart(first!, second!).length)).toMatch(/^(?:## )?Now\n/)
        expect(second).toContain("Fix all of them and write the whole answer again.")
      }
    })
  )
})
