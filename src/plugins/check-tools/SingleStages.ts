/**
 * Runs a single stage after the plan, with documents from the user. Authors of skills and prompts use this. The stage
 * uses the checks and the gate of a run.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  Issue,
  placedIssueText,
  plainTask,
  readResult,
  readTaskList,
  type RefinementDocument,
  Step,
  type Task,
  type TaskFailure,
  TaskList,
  TaskResult
} from "../../kit/documents.ts"
import type { Briefing } from "../../kit/models.ts"
import {
  Briefer,
  changeKinds,
  type DeclinedStep,
  makeRunState,
  PlanChecker,
  Reviser,
  Scheduler,
  TaskAgent
} from "../../kit/program.ts"
import { deniedTasks, NoValidPlan, outcomeOf, type RoundsEnd, unfollowed } from "../../kit/runs.ts"
import { forgivingSlug, slugOf } from "../../kit/text.ts"
import { RunAnswers } from "../../kit/tools.ts"
import { makeRefinementCheck } from "./DocumentChecker.ts"

/** The result of a task. `name` comes from the document's heading or file name. */
export interface GivenResult {
  readonly name: string
  readonly document: string
}

/** The given documents cannot be used. `issues` lists what is wrong in an invalid document. */
export class StageProblem extends Schema.TaggedError<StageProblem>()("StageProblem", {
  what: Schema.String,
  issues: Schema.Array(Issue)
}) {
  override get message(): string {
    return [this.what, ...this.issues.map((issue) => `  ${placedIssueText(issue)}`)].join("\n")
  }
}

export const stageProblem = (what: string, issues: ReadonlyArray<Issue> = []): StageProblem =>
  new StageProblem({ what, issues })

const meansTask = (given: string, { slug }: Pick<Task, "slug">): boolean =>
  [slugOf(given), slugOf(given).replace(/-results?$/, "")].some((one) => forgivingSlug(one) === forgivingSlug(slug))

/** Finds a task by its name or its result's name. Fails unless exactly one fits. */
const findTask = (name: string, tasks: ReadonlyArray<Task>): Effect.Effect<Task, StageProblem> => {
  const [found, ...others] = tasks.filter((task) => meansTask(name, task))
  return found !== undefined && others.length === 0
    ? Effect.succeed(found)
    : Effect.fail(stageProblem(`There is no task "${name}". There are: ${tasks.map((task) => task.name).join(", ")}.`))
}

const readResults = Effect.fnUntraced(function* (given: ReadonlyArray<GivenResult>, tasks: ReadonlyArray<Task>) {
  const results: Array<TaskResult> = []
  for (const { document, name } of given) {
    const task = yield* findTask(name, tasks)
    const { issues, value } = readResult(document)
    if (Option.isNone(value) || issues.length > 0)
      return yield* stageProblem(`The result "${name}" cannot be read.`, issues)
    results.push(new TaskResult({ task, calls: [], result: value.value }))
  }
  return results
})

/** Fails if a task refers to a missing result. */
const requireProducers = (task: Task, finished: ReadonlyArray<TaskResult>) => {
  const slugs = new Set(finished.map((result) => result.task.slug))
  const missing = task.producerSlugs.filter((slug) => !slugs.has(slug))
  if (missing.length === 0) return Effect.void
  const what = `The task "${task.name}" refers to results that are not given: ${missing.join(", ")}.`
  const how = `Give each with --result, in a file named after its task: ${missing.map((slug) => `${slug}.md`).join(", ")}.`
  return Effect.fail(stageProblem(`${what} ${how}`))
}

/**
 * Reads the plan as a run does, with the given results. A result of a task that the plan lacks counts as a result of an
 * earlier round.
 */
const readPlan = Effect.fnUntraced(function* (
  markdown: string,
  briefing: Briefing,
  results: ReadonlyArray<GivenResult>
) {
  const checker = yield* PlanChecker
  const listed = Option.match(readTaskList(markdown).value, { onNone: () => [], onSome: ({ tasks }) => tasks })
  const isListed = ({ name }: GivenResult): boolean => listed.some((task) => meansTask(name, task))
  const others = results.filter((one) => !isListed(one))
  const earlier = yield* readResults(
    others,
    others.map(({ name }) => plainTask(name.replace(/-results?$/, ""), "", "", ""))
  )
  const { issues, value } = yield* checker.check(markdown, { briefing, finished: earlier, mayBeEmpty: false })
  if (Option.isNone(value) || issues.length > 0) {
    return yield* new NoValidPlan({ detail: "The plan is not a valid task list.", issues })
  }
  const list = value.value
  return { list, finished: [...earlier, ...(yield* readResults(results.filter(isListed), list.tasks))] }
})

export interface PlanStage {
  readonly plan: string
  /** The prompt of the plan. */
  readonly prompt: string
  readonly currentFile?: string
  readonly results: ReadonlyArray<GivenResult>
}

const openPlan = Effect.fnUntraced(function* ({ currentFile, plan, prompt, results }: PlanStage) {
  const briefer = yield* Briefer
  const briefing = yield* briefer.brief({ prompt, currentFile })
  return { briefing, ...(yield* readPlan(plan, briefing, results)) }
})

/** Asks the model for the first answer of a task, without making its calls. */
export const refineTask = Effect.fn("refineTask")(function* (order: PlanStage & { readonly task: string }) {
  const { briefing, finished, list } = yield* openPlan(order)
  const task = yield* findTask(order.task, list.tasks)
  yield* requireProducers(task, finished)
  const step = list.steps.findIndex(({ tasks }) => tasks.includes(task))
  const taskAgent = yield* TaskAgent
  return yield* taskAgent.firstAnswer({ briefing, task, goals: list.goals, round: 1, step, finished })
})

/** Asks the model for the remaining tasks. A task with a result counts as finished. */
export const iteratePlan = Effect.fn("iteratePlan")(function* (order: PlanStage) {
  const { briefing, finished, list } = yield* openPlan(order)
  const outstanding = list.outstanding(new Set(finished.map(({ name }) => name)))
  const reviser = yield* Reviser
  const given = { briefing, round: 1, outstanding, finished, failures: [], missing: [], requestedChanges: [] }
  const revised = yield* Effect.catchTag(reviser.revise(given), "AttemptsExhausted", () => Effect.succeed(outstanding))
  return { list: revised, finished: finished.map(({ name }) => name) }
})

const endOf = (declined: DeclinedStep | undefined, failures: ReadonlyArray<TaskFailure>): RoundsEnd => {
  if (declined !== undefined) return { _tag: "Declined", ...declined }
  return failures.length > 0 ? { _tag: "Unresolved", failures } : { _tag: "GoalsMet" }
}

/** A scheduler for one task with a known first answer. */
const layerKnownAnswer = (firstAnswer: RefinementDocument) =>
  Scheduler.layer.pipe(
    Layer.provide(
      Layer.effect(
        TaskAgent,
        Effect.map(TaskAgent, (taskAgent) =>
          TaskAgent.of({ ...taskAgent, work: (order) => taskAgent.work(order, firstAnswer) })
        )
      )
    )
  )

/**
 * Carries out a refinement: asks for approval as a run does, makes the calls, and writes the result. Without a result,
 * the outcome says why.
 */
export const executeRefinement = Effect.fn("executeRefinement")(function* (order: {
  readonly refinement: string
  readonly results: ReadonlyArray<GivenResult>
}) {
  const briefer = yield* Briefer
  const briefing = yield* briefer.brief({ prompt: "Carry out a task that was refined." })
  const check = yield* makeRefinementCheck
  const { issues, value } = yield* check(order.refinement, {}, { briefing, finished: [], mayBeEmpty: false })
  if (Option.isNone(value) || issues.length > 0) return yield* stageProblem("The refinement is not valid.", issues)
  const { looks, ...firstAnswer } = value.value
  const { task } = firstAnswer
  if (looks !== undefined) {
    const what = "The refinement only reads first. The model that writes the calls needs what it reads."
    return yield* stageProblem(`${what} Give the refinement that "task-conductor refine" prints at the end.`)
  }
  // A refinement names results only by slugs, which become the names of tasks.
  const producers = task.producerSlugs.map((slug) => plainTask(slug, "", "", ""))
  const finished = yield* readResults(order.results, producers)
  yield* requireProducers(task, finished)
  const list = new TaskList({ goals: "", steps: [new Step({ title: task.name, tasks: [task] })] })
  const state = yield* makeRunState
  yield* state.startRound(finished.map((result) => result.task))
  yield* Effect.forEach(finished, state.add, { discard: true })
  yield* state.startRound([task])
  const declined = yield* Scheduler.use((scheduler) => scheduler.runRound({ briefing, round: 1, list, state })).pipe(
    Effect.provide(layerKnownAnswer(firstAnswer))
  )
  const answers = yield* RunAnswers
  const rounds = yield* state.rounds
  const { failures = [], results = [] } = rounds.at(-1) ?? {}
  const denials = yield* answers.denials
  const requested = (yield* answers.requestedChanges).map((change) => Object.assign({ round: rounds.length }, change))
  const left = { deniedTasks: deniedTasks(rounds), unfollowed: unfollowed(requested, rounds, yield* changeKinds) }
  const nothing = { ...left, missing: [], notRun: [], runId: "" }
  return { result: results[0], failures, outcome: outcomeOf(endOf(declined, failures), "", { denials, ...nothing }) }
})
