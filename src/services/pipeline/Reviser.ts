/**
 * Task list iteration: after each round the model sees what is finished, what failed and what is outstanding, and
 * answers with the tasks that are still to do. No task at all means that the goals are met.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { taskListShape } from "../../domain/documents/AnswerWatch.ts"
import { type Briefing, briefingBlocks } from "../../domain/models/Briefing.ts"
import { resultBlocks } from "../../domain/models/ExecutionBlocks.ts"
import { issuesBlock } from "../../domain/models/IssuesBlock.ts"
import { leftBlock, wishBlock } from "../../domain/runs/NotDone.ts"
import type { MissingChange } from "../../domain/runs/PromisedChanges.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { Wish } from "../../domain/permissions/ApprovalItem.ts"
import { fencedBlock, rawBlock } from "../../domain/markdown/PromptBlock.ts"
import { TaskList } from "../../domain/plan/TaskList.ts"
import { readTaskList } from "../../domain/documents/TaskListFormat.ts"
import { renderSteps } from "../../domain/documents/TaskRendering.ts"
import type { TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import { charactersLeft, fitsWindow } from "../../domain/models/PromptSize.ts"
import { Attempts, type Previous } from "./Attempts.ts"
import { PlanChecker } from "./PlanChecker.ts"
import { plannerSkills } from "./UsableSkills.ts"
import { Prompts } from "../models/Prompts.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"

export interface RevisionOrder {
  readonly briefing: Briefing
  readonly round: number
  /** The tasks without a result, with the goals of the run. */
  readonly outstanding: TaskList
  readonly finished: ReadonlyArray<TaskResult>
  /** Failures of this round. */
  readonly failures: ReadonlyArray<TaskFailure>
  /** The changes that are missing although tasks have ended that should have made them. */
  readonly missing: ReadonlyArray<MissingChange>
  /** What the person declined in this round and wants instead. */
  readonly wishes: ReadonlyArray<Wish>
}

export class Reviser extends Context.Service<
  Reviser,
  {
    /** The tasks still to do. When no attempt is valid the outstanding list stands and a warning is published. */
    revise(order: RevisionOrder): Effect.Effect<TaskList, ModelError>
  }
>()("task-conductor/services/pipeline/Reviser") {
  static readonly layer = Layer.effect(
    Reviser,
    Effect.gen(function* () {
      const attempts = yield* Attempts
      const checker = yield* PlanChecker
      const prompts = yield* Prompts
      const events = yield* RunEvents
      const { contextWindow: window, model } = yield* RunSettings
      const calibration = yield* TokenCalibration
      const { catalogue } = yield* plannerSkills

      const ask = Effect.fnUntraced(function* (order: RevisionOrder) {
        const shared = briefingBlocks(order.briefing)
        const blocks = (budget: number) => resultBlocks(order.finished, budget, { expected: true })
        const fill = (completed: string, previous: Previous | undefined) =>
          prompts.fill("iteration", {
            skill_catalog: catalogue,
            user_prompt: shared.user_prompt,
            project_description: shared.project_description,
            environment: shared.environment,
            project_map: shared.project_map,
            goals: rawBlock("## Goals / summary", order.outstanding.goals),
            completed_tasks: rawBlock("## Outputs from completed tasks", completed),
            failed_tasks: leftBlock(order) + wishBlock(order.wishes),
            outstanding_tasks: rawBlock("## Outstanding tasks", renderSteps(order.outstanding.steps)),
            previous_proposal: fencedBlock("## Previous proposal", previous?.answer ?? "", "markdown"),
            previous_proposal_issues: issuesBlock("## Issues with the previous proposal", previous?.issues)
          })
        const ahead = yield* checker.streamingReader
        return yield* attempts.run({
          stage: "iterate",
          round: order.round,
          step: 0,
          prompt: (previous) => {
            const scale = calibration.scale(model)
            const whole = fill(blocks(Number.POSITIVE_INFINITY), previous)
            if (fitsWindow(whole, window, scale)) return whole
            // Results are worth more than the map of the project, which is left out before any of them is cut.
            const frame = fill(blocks(0), previous)
            const room = charactersLeft(window, frame.lighter ?? frame, scale)
            const cut = fill(blocks(room), previous)
            return cut.lighter ?? cut
          },
          shape: taskListShape,
          listen: ahead.listen,
          readPart: (part) =>
            readTaskList(part, { finished: order.finished.map(({ name }) => name), allowEmpty: true }).issues,
          read: (answer) =>
            checker.check(answer, { briefing: order.briefing, finished: order.finished, mayBeEmpty: true, ahead })
        })
      }, Effect.scoped)

      const revise = Effect.fn("Reviser.revise")((order: RevisionOrder) =>
        ask(order).pipe(
          // The goals belong to the run, so those in the answer of the model are ignored.
          Effect.map(({ attempts, value }) => ({
            attempts,
            taskList: new TaskList({ goals: order.outstanding.goals, steps: value.steps })
          })),
          Effect.tap((revised) => events.publish({ type: "plan.revised", round: order.round, ...revised })),
          Effect.map(({ taskList }) => taskList),
          Effect.catchTag("AttemptsExhausted", (gaveUp) =>
            events
              .publish({
                type: "message",
                level: "warning",
                text: `Task list iteration: could not get valid task list ${gaveUp.message} The limit is limits.attempts.`
              })
              .pipe(Effect.as(order.outstanding))
          )
        )
      )

      return Reviser.of({ revise })
    })
  )
}
