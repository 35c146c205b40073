/**
 * Checks the references of a whole list: each must resolve, and those of one task must fit the budget. Nobody is asked
 * and nothing outside the project is opened. The reader of the list has already checked the forms of links and the order
 * of sections.
 */
import * as Effect from "effect/Effect"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import { type Issue, type Repair, type Where, makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import {
  overBudget,
  leastSize,
  type ResolvedReference,
  withoutRepetitions
} from "../../domain/models/ReferenceContent.ts"
import { Task } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import type { ReferenceContext, ReferenceResolver } from "./ReferenceContext.ts"

/** The issues and repairs of one task, and the task with repaired references. */
const checkTask = Effect.fnUntraced(function* (
  task: Task,
  where: Where,
  context: ReferenceContext,
  budget: number,
  resolve: ReferenceResolver
) {
  const issues: Array<Issue> = []
  const repairs: Array<Repair> = []
  const resolved: Array<ResolvedReference> = []
  const references = yield* Effect.forEach(task.references, (given) =>
    given.kind === "unknown"
      ? Effect.succeed(given)
      : Effect.match(resolve(given, context), {
          onFailure: ({ code, how, what }) => {
            const fix = how === "" ? ruleOf("reference-unreadable").fix : how
            issues.push(makeIssue(code, where, { what, how: fix, quote: given.href }))
            return given
          },
          onSuccess: (found) => {
            const { reference } = found
            const said = `Read the reference "${given.href}" as "${reference.href}".`
            if (reference.href !== given.href) repairs.push(makeRepair("reference-target", where, said))
            resolved.push(found)
            return reference
          }
        })
  )
  const distinct = withoutRepetitions(resolved, ({ reference }) => reference)
  if (leastSize(distinct) > budget) {
    const { how, what } = overBudget(distinct, budget)
    issues.push(makeIssue("references-too-large", where, { what, how }))
  }
  return { task: new Task({ ...task, references }), issues, repairs }
})

const tasksOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Task> => steps.flatMap(({ tasks }) => tasks)

/** Checks a whole list; `budget` counts characters per task. */
export const checkReferences = Effect.fn("checkReferences")(function* (
  list: TaskList,
  budget: number,
  given: Omit<ReferenceContext, "expected" | "tooLate">,
  resolve: ReferenceResolver
) {
  const issues: Array<Issue> = []
  const repairs: Array<Repair> = []
  const steps = yield* Effect.forEach(list.steps, (step, index) => {
    const context = {
      ...given,
      expected: tasksOf(list.steps.slice(0, index)),
      tooLate: tasksOf(list.steps.slice(index))
    }
    const checkOne = (task: Task) => {
      const where = { section: step.title, task: task.name, field: "References" }
      return Effect.map(checkTask(task, where, context, budget, resolve), (checked) => {
        issues.push(...checked.issues)
        repairs.push(...checked.repairs)
        return checked.task
      })
    }
    return Effect.map(Effect.forEach(step.tasks, checkOne), (tasks) => new Step({ title: step.title, tasks }))
  })
  return { list: new TaskList({ goals: list.goals, steps }), issues, repairs }
})
