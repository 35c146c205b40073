/**
 * Revises the task list after each round. The model sees the finished, failed and open tasks, and answers with the
 * tasks that remain. An empty list means that the goals are met.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { taskListShape } from "../../domain/documents/AnswerWatch.ts"
import { planGrammar } from "../../domain/documents/AnswerGrammar.ts"
import { type Briefing, briefingBlocks, briefingLinks, withAnswers } from "../../domain/models/Briefing.ts"
import {
  fittedResults,
  type Frame,
  frameOf,
  issuesBlock,
  leastResults,
  partOf
} from "../../domain/models/ExecutionBlocks.ts"
import {
  type MissingChange,
  leftBlock,
  type ResultsAndLines,
  sharedBudget,
  requestedChangesBlock
} from "../../domain/runs/NotDone.ts"
import type { RequestedChange } from "../../domain/permissions/ApprovalItem.ts"
import { fencedBlock, rawBlock } from "../../domain/markdown/PromptBlock.ts"
import { resultReference } from "../../domain/plan/Reference.ts"
import { withKept, TaskList } from "../../domain/plan/TaskList.ts"
import { link, outstandingWithin } from "../../domain/documents/TaskRendering.ts"
import { readTaskList } from "../../domain/documents/TaskListFormat.ts"
import type { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import { slugOf } from "../../domain/text/Slug.ts"
import { Attempts, type Previous } from "./Attempts.ts"
import { makeModelQuestions } from "./ModelQuestions.ts"
import { PlanChecker, plannerSkills } from "./PlanChecker.ts"
import { Prompts } from "../models/Prompts.ts"
import { CurrentSubject } from "../providers/CallSubject.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"

export interface RevisionOrder {
  readonly briefing: Briefing
  readonly round: number
  /** The tasks without a result, and the goals of the run. */
  readonly outstanding: TaskList
  readonly finished: ReadonlyArray<TaskResult>
  readonly failures: ReadonlyArray<TaskFailure>
  /** Changes that the finished tasks should have made, but did not. */
  readonly missing: ReadonlyArray<MissingChange>
  /** What the user declined in this round, and what the user wants instead. */
  readonly requestedChanges: ReadonlyArray<RequestedChange>
}

/** The lists that the prompt shows, shortened to fit. */
interface ShownLists extends ResultsAndLines {
  readonly tasks: string
}

/**
 * Shortens the lists until they fit the prompt: the project map first, then the results, and the open tasks last.
 * Counts the open tasks that the prompt still names.
 */
const fittedLists = (
  order: RevisionOrder,
  frame: (place: (text: string) => ShownLists) => Frame
): { readonly lists: ShownLists; readonly named: number } => {
  const { finished, outstanding } = order
  const form = { expected: true }
  const all = outstandingWithin(outstanding, Number.POSITIVE_INFINITY)
  const whole = { incomplete: leftBlock(order), tasks: all.text }
  const beside = frame((completed) => ({ ...whole, completed }))
  const completed = fittedResults(finished, beside, form)
  if (beside.fits(completed)) return { lists: { ...whole, completed }, named: all.shownEntries }
  const least = { completed: leastResults(finished), incomplete: leftBlock(order, 0) }
  const { shownEntries: named, text: tasks } = partOf(
    frame((text) => ({ ...least, tasks: text })),
    1 / 2,
    (budget) => outstandingWithin(outstanding, budget)
  )
  const besideTasks = (place: (text: string) => ResultsAndLines) => frame((text) => ({ ...place(text), tasks }))
  const shared = sharedBudget(finished, (budget) => leftBlock(order, budget), besideTasks, form)
  return { lists: { ...shared, tasks }, named }
}

const makeRevisionPrompt = Effect.gen(function* () {
  const prompts = yield* Prompts
  const { contextWindow: window, model } = yield* RunSettings
  const calibration = yield* TokenCalibration
  const { catalogue } = yield* plannerSkills

  return (order: RevisionOrder, previous: Previous | undefined) => {
    const { environment, project_description, project_map, project_readme, user_prompt } = briefingBlocks(
      order.briefing
    )
    const fill = ({ completed, incomplete, tasks }: ShownLists): FilledPrompt =>
      prompts.fill("iteration", {
        skill_catalog: catalogue,
        user_prompt,
        project_description,
        project_readme,
        environment,
        project_map,
        goals: rawBlock("## Goals / summary", order.outstanding.goals),
        completed_tasks: rawBlock("## Outputs from completed tasks", completed),
        failed_tasks: incomplete + requestedChangesBlock(order.requestedChanges),
        outstanding_tasks: rawBlock("## Outstanding tasks", tasks),
        previous_proposal: fencedBlock("## Previous proposal", previous?.answer ?? "", "markdown"),
        previous_proposal_issues: issuesBlock("## Issues with the previous proposal", previous?.issues)
      })
    const scale = calibration.scale(model)
    const { lists, named } = fittedLists(order, (place) => frameOf((text) => fill(place(text)), window, scale))
    return { prompt: fill(lists), named }
  }
})

export class Reviser extends Context.Service<Reviser>()("task-conductor/services/pipeline/Reviser", {
  make: Effect.gen(function* () {
    const attempts = yield* Attempts
    const checker = yield* PlanChecker
    const events = yield* RunEvents
    const promptOf = yield* makeRevisionPrompt
    const questionsAt = yield* makeModelQuestions
    const { names } = yield* plannerSkills

    const ask = Effect.fnUntraced(function* (order: RevisionOrder) {
      const questions = questionsAt(`round-${order.round}/iterate`)
      const { briefing, finished, outstanding } = order
      const finishedNames = finished.map(({ name }) => name)
      /** How many open tasks the last prompt named. */
      let named = 0
      const fitted = (previous: Previous | undefined): FilledPrompt => {
        const fitting = promptOf({ ...order, briefing: withAnswers(briefing, questions.answered()) }, previous)
        named = fitting.named
        return fitting.prompt
      }
      /** A model that repeats finished work is warned once. After that, it may repeat the work. */
      let mayRepeat = false
      const revised = yield* attempts.run({
        stage: "iterate",
        round: order.round,
        prompt: fitted,
        shape: taskListShape,
        grammar: () =>
          planGrammar({
            skills: names,
            links: [
              ...finishedNames.map((name) => resultReference(name, slugOf(name))),
              ...briefingLinks(briefing)
            ].map(link),
            mayBeEmpty: true
          }),
        readPart: (part) => readTaskList(part, { finished: finishedNames, allowEmpty: true }).issues,
        read: Effect.fnUntraced(function* (answer) {
          const answered = yield* questions.ask(answer)
          if (answered !== undefined) return answered
          const read = yield* checker.check(answer, { briefing, finished, mayBeEmpty: true, mayRepeat })
          mayRepeat ||= read.issues.some(({ code }) => code === "task-repeated")
          return read
        })
      })
      return { ...revised, steps: withKept(revised.value.steps, outstanding, named) }
    })

    /**
     * Returns the remaining tasks. If no attempt is valid, warns and returns the open tasks unchanged. Fails after
     * several useless answers.
     */
    const revise = Effect.fn("Reviser.revise")((order: RevisionOrder) =>
      ask(order).pipe(
        Effect.provideService(CurrentSubject, {
          stage: "iterate",
          request: order.briefing.prompt,
          outstanding: order.outstanding,
          failures: order.failures
        }),
        // The goals belong to the run, so the goals in the model's list are ignored.
        Effect.map(({ attempts, steps }) => ({
          attempts,
          taskList: new TaskList({ goals: order.outstanding.goals, steps })
        })),
        Effect.tap((revised) => events.publish({ type: "plan.revised", round: order.round, ...revised })),
        Effect.map(({ taskList }) => taskList),
        Effect.catchTag("AttemptsExhausted", (gaveUp) => {
          const limit = gaveUp.unable === undefined ? " The limit is limits.attempts." : ""
          const text = `Task list iteration: could not get valid task list ${gaveUp.message}${limit}`
          const warning = events.publish({ type: "message", level: "warning", text })
          return Effect.andThen(
            warning,
            gaveUp.unable === undefined ? Effect.succeed(order.outstanding) : Effect.fail(gaveUp)
          )
        })
      )
    )

    return { revise }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
