/**
 * What a person gives to a single stage: the documents that the stages before it would have made, checked like those.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { readResult } from "../../domain/documents/ResultFormat.ts"
import { readTaskList } from "../../domain/documents/TaskListFormat.ts"
import { Issue, issueText, whereText } from "../../domain/findings/Issue.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { plainTask, type Task } from "../../domain/plan/Task.ts"
import { TaskResult } from "../../domain/plan/TaskResult.ts"
import { NoValidPlan } from "../../domain/runs/RunOrder.ts"
import { forgivingSlug, slugOf } from "../../domain/text/Slug.ts"
import { PlanChecker } from "./PlanChecker.ts"

/** A result, under the name of its task or of a file that is named after the task. */
export interface GivenResult {
  readonly name: string
  readonly document: string
}

/** What was given to a stage cannot be used. `issues` are those of the document that is wrong. */
export class StageProblem extends Schema.TaggedError<StageProblem>()("StageProblem", {
  what: Schema.String,
  issues: Schema.Array(Issue)
}) {
  override get message(): string {
    const lines = this.issues.map((issue) => {
      const place = whereText(issue.where)
      return `  ${place === "" ? "" : `${place}: `}${issueText(issue)}`
    })
    return [this.what, ...lines].join("\n")
  }
}

export const stageProblem = (what: string, issues: ReadonlyArray<Issue> = []): StageProblem =>
  new StageProblem({ what, issues })

const meansTask = (given: string, { slug }: Pick<Task, "slug">): boolean =>
  [slugOf(given), slugOf(given).replace(/-results?$/, "")].some((one) => forgivingSlug(one) === forgivingSlug(slug))

/** The task that a name means. */
export const findTask = (name: string, tasks: ReadonlyArray<Task>): Effect.Effect<Task, StageProblem> => {
  const [found, ...others] = tasks.filter((task) => meansTask(name, task))
  return found !== undefined && others.length === 0
    ? Effect.succeed(found)
    : Effect.fail(stageProblem(`There is no task "${name}". There are: ${tasks.map((task) => task.name).join(", ")}.`))
}

/** The given results as results of these tasks. */
export const readResults = Effect.fnUntraced(function* (given: ReadonlyArray<GivenResult>, tasks: ReadonlyArray<Task>) {
  return yield* Effect.forEach(
    given,
    Effect.fnUntraced(function* ({ document, name }) {
      const task = yield* findTask(name, tasks)
      const { issues, value } = readResult(document)
      if (Option.isSome(value) && issues.length === 0) return new TaskResult({ task, calls: [], result: value.value })
      return yield* stageProblem(`The result "${name}" cannot be read.`, issues)
    })
  )
})

/** Fails for results that a task refers to and that were not given. */
export const requireProducers = (task: Task, finished: ReadonlyArray<TaskResult>) => {
  const slugs = new Set(finished.map((result) => result.task.slug))
  const missing = task.producerSlugs.filter((slug) => !slugs.has(slug))
  if (missing.length === 0) return Effect.void
  const what = `The task "${task.name}" refers to results that are not given: ${missing.join(", ")}.`
  const how = `Give each with --result, in a file named after its task: ${missing.map((slug) => `${slug}.md`).join(", ")}.`
  return Effect.fail(stageProblem(`${what} ${how}`))
}

/**
 * The plan as a run would take it, with the given results. A result of no task of the plan is taken for one of an earlier
 * round.
 */
export const readPlan = Effect.fnUntraced(function* (
  markdown: string,
  briefing: Briefing,
  given: ReadonlyArray<GivenResult>
) {
  const checker = yield* PlanChecker
  const listed = Option.match(readTaskList(markdown).value, { onNone: () => [], onSome: ({ tasks }) => tasks })
  const isListed = ({ name }: GivenResult): boolean => listed.some((task) => meansTask(name, task))
  const others = given.filter((one) => !isListed(one))
  const earlier = yield* readResults(
    others,
    others.map(({ name }) => plainTask(name.replace(/-results?$/, ""), "", "", ""))
  )
  const { issues, value } = yield* checker.check(markdown, { briefing, finished: earlier, mayBeEmpty: false })
  if (Option.isNone(value) || issues.length > 0) {
    return yield* new NoValidPlan({ detail: "The plan is not a valid task list.", issues })
  }
  const list = value.value
  return { list, finished: [...earlier, ...(yield* readResults(given.filter(isListed), list.tasks))] }
})
