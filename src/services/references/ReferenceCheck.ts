/**
 * Checks the references of a whole list: each must resolve, and those of one task must fit the budget. Nobody is asked
 * and nothing outside the project is opened. The reader of the list has already checked the forms of links and the order
 * of sections.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import { type Issue, type Repair, type Where, makeIssue, makeRepair } from "../../domain/findings/Issue.ts"
import { readMarkdown } from "../../domain/markdown/Markdown.ts"
import type { Reference } from "../../domain/plan/Reference.ts"
import {
  overBudget,
  leastSize,
  type ResolvedReference,
  withoutRepetitions
} from "../../domain/models/ReferenceContent.ts"
import { Task } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import type { TaskResult } from "../../domain/plan/TaskResult.ts"
import type { ReferenceProblem, ReferenceContext, ReferenceResolver } from "./ReferenceContext.ts"

const issueOf = ({ code, how, what }: ReferenceProblem, where: Where, href: string): Issue =>
  makeIssue(code, where, { what, how: how === "" ? ruleOf("reference-unreadable").fix : how, quote: href })

const repairOf = (where: Where, before: Reference, after: Reference): Repair =>
  makeRepair("reference-target", where, `Read the reference "${before.href}" as "${after.href}".`)

/** The issues and repairs of one task, and the task with repaired references. */
const checkTask = Effect.fnUntraced(function* (
  task: Task,
  where: Where,
  context: ReferenceContext & { readonly budget: number },
  resolve: ReferenceResolver
) {
  const issues: Array<Issue> = []
  const repairs: Array<Repair> = []
  const resolved: Array<ResolvedReference> = []
  const references: Array<Reference> = []
  for (const reference of task.references) {
    const outcome = reference.kind === "unknown" ? undefined : yield* Effect.result(resolve(reference, context))
    if (outcome !== undefined && Result.isFailure(outcome)) issues.push(issueOf(outcome.failure, where, reference.href))
    if (outcome === undefined || Result.isFailure(outcome)) {
      references.push(reference)
      continue
    }
    const repaired = outcome.success.reference
    if (repaired.href !== reference.href) repairs.push(repairOf(where, reference, repaired))
    resolved.push(outcome.success)
    references.push(repaired)
  }
  const distinct = withoutRepetitions(resolved, ({ reference }) => reference)
  if (leastSize(distinct) > context.budget) {
    const { how, what } = overBudget(distinct, context.budget)
    issues.push(makeIssue("references-too-large", where, { what, how }))
  }
  return { task: new Task({ ...task, references }), issues, repairs }
})

const tasksOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Task> => steps.flatMap(({ tasks }) => tasks)

export const checkReferences = Effect.fn("checkReferences")(function* (
  list: TaskList,
  given: {
    readonly briefing: Briefing
    readonly finished: ReadonlyArray<TaskResult>
    readonly budget: number
    readonly tree: ReferenceContext["tree"]
    readonly mayRead: NonNullable<ReferenceContext["mayRead"]>
    readonly foresee: NonNullable<ReferenceContext["foresee"]>
  },
  resolve: ReferenceResolver
) {
  const { briefing, budget, finished, foresee, mayRead, tree } = given
  const document = readMarkdown(briefing.requestDocument)
  const steps = yield* Effect.forEach(list.steps, (step, index) => {
    const expected = tasksOf(list.steps.slice(0, index))
    const tooLate = tasksOf(list.steps.slice(index))
    const context = { document, finished, expected, tooLate, tree, mayRead, budget, foresee } as const
    return Effect.forEach(step.tasks, (task) =>
      checkTask(task, { section: step.title, task: task.name, field: "References" }, context, resolve)
    ).pipe(
      Effect.map(([first, ...rest]) => ({
        step: new Step({ title: step.title, tasks: [first.task, ...rest.map(({ task }) => task)] }),
        checked: [first, ...rest]
      }))
    )
  })
  const checked = steps.flatMap((step) => step.checked)
  return {
    list: new TaskList({ goals: list.goals, steps: steps.map(({ step }) => step) }),
    issues: checked.flatMap(({ issues }) => issues),
    repairs: checked.flatMap(({ repairs }) => repairs)
  }
})
