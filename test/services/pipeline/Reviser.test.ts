import * as Effect from "effect/Effect"
import { expect } from "@effect/vitest"
import { requestDocument } from "../../../src/domain/models/Briefing.ts"
import { neededTokens } from "../../../src/domain/models/PromptSize.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"
import { TaskFailure } from "../../../src/domain/plan/TaskResult.ts"
import { Reviser, type RevisionOrder } from "../../../src/services/pipeline/Reviser.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { briefing, openStages } from "../../support/OpenStages.ts"
import { finished, taskFor } from "../../support/sampleTasks.ts"
import { planOf } from "../../support/TestRun.ts"

const { name: next } = finished("Next 1", "")
const outstanding = new TaskList({
  goals: "All is found.",
  steps: [new Step({ title: "Task section 2", tasks: [taskFor("any", "Go on.", { name: next })] })]
})
const order: RevisionOrder = {
  briefing,
  round: 2,
  outstanding,
  finished: [finished("Search 1", "It is there.")],
  failures: [],
  missing: [],
  requestedChanges: []
}

/** What comes of an order when the model gives these answers, the last one for ever, with the prompts that it got. */
const revise = Effect.fnUntraced(function* (given: Partial<RevisionOrder>, ...answers: ReadonlyArray<string>) {
  const { log, prompts, within } = yield* openStages({ answer: (index) => answers[index] ?? answers.at(-1)! })
  const revising = Effect.flatMap(Reviser, (reviser) => reviser.revise({ ...order, ...given }))
  const revised = yield* within(Effect.provide(revising, Reviser.layer))
  const told = log.events().filter(({ type }) => type === "plan.revised" || type === "message")
  return { revised, told, prompts }
})

const planned = (name: string, skill = "any") => planOf([[{ name, skill }]])

nodeTest("takes the tasks of the answer and keeps the goals of the run", function* () {
  const { revised, told } = yield* revise({}, planned("Other 1").replace("It is done.", "Something else."))
  expect(revised.goals).toBe("All is found.")
  expect(revised.steps.map(({ tasks, title }) => [title, tasks.map(({ name }) => name)])).toEqual([
    ["Task section 1", ["Other 1"]]
  ])
  expect(told).toEqual([{ type: "plan.revised", round: 2, attempts: 1, taskList: revised }])
})

nodeTest("accepts an answer without a task: the goals are met", function* () {
  const { revised, told } = yield* revise({}, planOf([]))
  expect(revised).toEqual(new TaskList({ goals: "All is found.", steps: [] }))
  expect(told.map(({ type }) => type)).toEqual(["plan.revised"])
})

nodeTest("shows what is finished, what failed and what is outstanding", function* () {
  const failure = new TaskFailure({ task: next, phase: "refinement", reason: "no calls.", skipped: false })
  const { prompts } = yield* revise({ failures: [failure] }, planOf([]))
  for (const text of [
    "## Outputs from completed tasks\n\n### Search 1\n\nTo deliver: A result.\n\nIt is there.",
    '## Tasks that failed\n\n- Task refinement: "Next 1": no calls.\n\nDo not repeat a failed task as it was',
    "## Outstanding tasks\n\n### Task section 2\n\n- **Name** Next 1"
  ])
    expect(prompts[0]?.user).toContain(text)
})

nodeTest("shows the map of the project unless results would be cut for it", function* () {
  const mapped = { ...briefing, projectMap: "m".repeat(1000) }
  const withMap = { ...mapped, requestDocument: requestDocument(mapped) }
  const promptFor = (characters: number) =>
    Effect.map(
      revise({ briefing: withMap, finished: [finished("Search 2", "x".repeat(characters))] }, planOf([])),
      ({ prompts }) =>
        prompts.map(({ system, user }) => [system.includes("## Project map"), user.includes("x".repeat(characters))])
    )
  const without = Effect.map(
    revise({ finished: [finished("Search 2", "x".repeat(100_000))] }, planOf([])),
    ({ prompts }) => Number(/the first (\d+) of/.exec(prompts[0]?.user ?? "")?.[1])
  )
  const most = yield* without
  expect(most).toBeGreaterThan(5000)
  expect(yield* promptFor(100)).toEqual([[true, true]])
  expect(yield* promptFor(most - 1500)).toEqual([[true, true]])
  expect(yield* promptFor(most - 100)).toEqual([[false, true]])
  expect(yield* promptFor(most + 100)).toEqual([[false, false]])
})

nodeTest("keeps the outstanding tasks with a warning when no answer is valid", function* () {
  const { revised, told } = yield* revise(
    {},
    ...[1, 2, 3, 4, 5].map((number) => planned(`Other ${number}`, "unheard-of"))
  )
  expect(revised).toEqual(outstanding)
  const text = "Task list iteration: could not get valid task list after 5 tries. The limit is limits.attempts."
  expect(told).toEqual([{ type: "message", level: "warning", text }])
})

nodeTest("names what has no room, and keeps the outstanding tasks that it could not name", function* () {
  const names = Array.from({ length: 900 }, (_, index) => `Outstanding task ${index + 1}`)
  const tasks = names.map((name) => taskFor("any", "Go on with it. ".repeat(5), { name }))
  const [first, ...rest] = tasks
  const many = new TaskList({
    goals: "All is found.",
    steps: [new Step({ title: "Task section 7: the rest", tasks: [first!, ...rest] })]
  })
  const failures = names.map(
    (task) => new TaskFailure({ task, phase: "execution", reason: "it broke.", skipped: false })
  )
  const results = Array.from({ length: 700 }, (_, index) => finished(`Finished task ${index + 1}`, "It is there."))
  const given = { outstanding: many, failures, finished: results }
  const { prompts, revised } = yield* revise(given, planOf([[{ name: "Other 1" }, { name: "Outstanding task 2" }]]))
  expect(prompts.map((prompt) => neededTokens(prompt) + 2048 <= 8192)).toEqual([true])
  const user = prompts[0]?.user ?? ""
  const kept = Number(/^- (\d+) more, which stay in the plan behind your tasks/m.exec(user)?.[1])
  expect(kept).toBeGreaterThan(100)
  expect(kept).toBeLessThan(850)
  expect(user).toMatch(/^- \d+ more tasks; there is no room here for the names\.$/m)
  expect(user).toMatch(/^- \d+ more tasks have finished; there is no room for the names\.$/m)
  expect(user).toContain("Do not repeat a failed task as it was")
  expect(revised.steps.map(({ tasks: { length }, title }) => [title, length])).toEqual([
    ["Task section 1", 2],
    ["Task section 2: the rest", kept]
  ])
  expect(revised.tasks.slice(2).map(({ name }) => name)).toEqual(names.slice(-kept))
})

const again = (name: string) =>
  planned(name, "search-code").replace(
    /\*\*What is needed\*\* .*/,
    () => `**What is needed** ${finished("Search 1", "").task.whatIsNeeded}`
  )

nodeTest("tells the model once of work that it repeats under another name, and takes it when it insists", function* () {
  const { prompts, revised } = yield* revise({}, again("Look again"))
  expect(prompts.length).toBe(2)
  expect(JSON.stringify(prompts[1])).toContain("asks for the same as")
  expect(revised.tasks.map(({ name }) => name)).toEqual(["Look again"])
})
