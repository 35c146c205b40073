/**
 * Runs one refined task: its tool calls, then the execution call that reads references and outputs and writes the
 * result.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resultShape } from "../../domain/documents/AnswerWatch.ts"
import { callBlocks, callFrame, readPassBlocks } from "../../domain/models/ExecutionBlocks.ts"
import { outcomeText } from "../../domain/models/OutputText.ts"
import { lightestCharacters, splitPart } from "../../domain/models/PromptSize.ts"
import type { Refinement } from "../../domain/documents/Refinement.ts"
import { readResult } from "../../domain/documents/ResultFormat.ts"
import { type TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import type { CallOutcome } from "../../domain/tools/ToolCall.ts"
import { stagePlace } from "../../domain/runs/ActivityKey.ts"
import { Attempts, type Previous } from "./Attempts.ts"
import { makeEvidenceReaders } from "./CheckedEvidence.ts"
import { References } from "../references/References.ts"
import { type TaskOrder, taskFailure } from "./TaskStage.ts"
import { Skills } from "../skills/Skills.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"

/** A task whose refinement has been accepted. */
export interface ExecutionOrder extends Omit<TaskOrder, "task"> {
  readonly refinement: Refinement
}

/** Outputs of calls have at least this part of the budget that they share with references. */
const outputShare = 0.4

const doneHeading = "## What was done\n\n"

export class TaskRunner extends Context.Service<
  TaskRunner,
  {
    /** Fails with a `TaskFailure` of phase execution. A tool that fails is a result for the model, not a failure. */
    run(order: ExecutionOrder): Effect.Effect<TaskResult, TaskFailure>
  }
>()("task-conductor/services/pipeline/TaskRunner") {
  static readonly layer = Layer.effect(
    TaskRunner,
    Effect.gen(function* () {
      const attempts = yield* Attempts
      const { readResult: readChecked } = yield* makeEvidenceReaders
      const references = yield* References
      const skills = yield* Skills
      const taskPrompts = yield* makeTaskPrompts
      const runCalls = yield* makeTaskCalls

      const execute = Effect.fnUntraced(function* (order: ExecutionOrder, outcomes: ReadonlyArray<CallOutcome>) {
        const { task, inputs = [], looks = [] } = order.refinement
        const { briefing, finished } = order
        const skill = skills.find(task.skill)
        const fill = (precursor: string, previous: Previous | undefined) =>
          taskPrompts.execution(task, briefing, { precursor, inputs, previous })
        const all = [...looks, ...outcomes]
        const frame = callFrame(all)
        const wanted = all.reduce((sum, outcome) => sum + outcomeText(outcome).length, 0)
        const budgetsOf = (previous?: Previous) => {
          const beside = taskPrompts.budgetBeside(task, lightestCharacters(fill("", previous)))
          const whole = Math.max(0, beside - frame)
          return { whole, references: whole - Math.min(wanted, Math.floor(whole * outputShare)) }
        }
        const block = yield* references.block(task, {
          briefing,
          finished,
          view: "document",
          budget: budgetsOf().references,
          place: stagePlace(order.round, "execute")
        })
        return yield* attempts.run({
          stage: "execute",
          model: skill?.model,
          round: order.round,
          task: task.name,
          step: order.step,
          prompt: (previous) => {
            const { references: most, whole } = budgetsOf(previous)
            const contents = block.within(most)
            const budget = whole - contents.length
            const acts = callBlocks(outcomes, budget - doneHeading.length)
            // The calls of the task have the budget before the read passes, although they come after them.
            const seen = readPassBlocks(looks, budget + frame - acts.length)
            const outputs = acts === "" ? seen : `${seen}${doneHeading}${acts}`
            const prompt = fill(contents + outputs, previous)
            return {
              system: prompt.system,
              user: prompt.user,
              parts: splitPart(prompt.parts ?? [], "precursor", [
                { name: "references", characters: contents.length },
                { name: "tool_outputs", characters: outputs.length }
              ])
            }
          },
          shape: resultShape,
          readPart: (part) => readResult(part).issues,
          read: (answer) =>
            readChecked(answer, { task: task.name, briefing, finished, calls: all, material: [block.text] })
        })
      })

      const run = Effect.fnUntraced(function* (order: ExecutionOrder) {
        const { calls, looks = [], task } = order.refinement
        const outcomes = yield* Effect.mapError(runCalls(task.name, order.round, calls), (error) =>
          taskFailure(task, "execution", error, looks)
        )
        const all = [...looks, ...outcomes]
        const accepted = yield* Effect.mapError(execute(order, outcomes), (error) =>
          taskFailure(task, "execution", error, all)
        )
        return new TaskResult({ task, calls: all, result: accepted.value })
      })

      return TaskRunner.of({ run })
    })
  )
}
