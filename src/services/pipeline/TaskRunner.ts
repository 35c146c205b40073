/**
 * Runs one refined task: its tool calls, then the execution call that reads references and outputs and writes the
 * result.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { resultShape } from "../../domain/documents/AnswerWatch.ts"
import { briefingBlocks } from "../../domain/models/Briefing.ts"
import { callBlocks, fitResults } from "../../domain/models/ExecutionBlocks.ts"
import { issuesMarkdown } from "../../domain/findings/Issue.ts"
import { frameOfCalls, lookBlocks } from "../../domain/models/LookBlocks.ts"
import { rawBlock } from "../../domain/markdown/PromptBlock.ts"
import { splitPart, charactersLeft } from "../../domain/models/PromptSize.ts"
import type { Refinement } from "../../domain/documents/RefinementFormat.ts"
import { readResult } from "../../domain/documents/ResultFormat.ts"
import { renderTask } from "../../domain/documents/TaskRendering.ts"
import { type TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import type { CallOutcome } from "../../domain/tools/ToolCall.ts"
import { stagePlace } from "../../domain/runs/ActivityKey.ts"
import { Attempts, type Previous } from "./Attempts.ts"
import { Prompts } from "../models/Prompts.ts"
import { References } from "../references/References.ts"
import type { TaskOrder } from "./TaskOrder.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { taskFailure } from "./TaskErrors.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { forEachCall } from "../tools/CallOrder.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"

/** A task whose refinement has been accepted. */
export interface ExecutionOrder extends Omit<TaskOrder, "task"> {
  readonly refinement: Refinement
}

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
      const prompts = yield* Prompts
      const references = yield* References
      const { contextWindow: window, model } = yield* RunSettings
      const calibration = yield* TokenCalibration
      const skills = yield* Skills
      const registry = yield* ToolRegistry
      const runner = yield* ToolRunner
      const meter = yield* UsageMeter

      const runCalls = ({ refinement: { calls, task }, round }: ExecutionOrder) =>
        forEachCall(
          registry,
          calls,
          ({ name }) => name,
          (call) =>
            runner.run({ round, task: task.name, uid: call.uid }, call).pipe(
              Effect.tap(() => meter.toolCall),
              Effect.map((result): CallOutcome => ({ call, result }))
            )
        )

      const execute = Effect.fnUntraced(function* (order: ExecutionOrder, outcomes: ReadonlyArray<CallOutcome>) {
        const { task, inputs = [], looks = [] } = order.refinement
        const { briefing, finished } = order
        const skill = skills.find(task.skill)
        const shared = briefingBlocks(briefing)
        const fill = (precursor: string, previous: Previous | undefined) =>
          prompts.fill("execution", {
            skill_name: task.skill,
            skill_execution: skill?.execution ?? "",
            project_description: shared.project_description,
            environment: shared.environment,
            precursor,
            task_data: renderTask(task, { _tag: "Refinement", inputs }),
            previous_answer: rawBlock("## Your previous answer", previous?.answer ?? ""),
            issues: rawBlock("## Issues with your previous answer", issuesMarkdown(previous?.issues ?? []))
          })
        const frames = frameOfCalls([...looks, ...outcomes])
        const remainingCharacters = (precursor: string, previous: Previous | undefined): number =>
          Math.max(
            0,
            charactersLeft(window, fill(precursor, previous), calibration.scale(skill?.model ?? model)) - frames
          )
        const shown = fitResults(task, finished, remainingCharacters("", undefined))
        const block = yield* references.block(task, {
          briefing,
          finished: shown,
          view: "document",
          place: stagePlace(order.round, "execute")
        })
        return yield* attempts.run({
          stage: "execute",
          ...(skill?.model === undefined ? {} : { model: skill.model }),
          round: order.round,
          task: task.name,
          step: order.step,
          prompt: (previous) => {
            const room = remainingCharacters(block, previous)
            const acts = callBlocks(outcomes, room)
            // The calls of the task have the room before the looks, although they come after them.
            const seen = lookBlocks(looks, room + frames - acts.length)
            const outputs = seen === "" || acts === "" ? seen + acts : `${seen}## What was done\n\n${acts}`
            const prompt = fill(block + outputs, previous)
            const parts = splitPart(prompt.parts ?? [], "precursor", [
              { name: "references", characters: block.length },
              { name: "tool_outputs", characters: outputs.length }
            ])
            return { ...prompt, parts }
          },
          shape: resultShape,
          read: (answer) => Effect.succeed(readResult(answer))
        })
      })

      const run = Effect.fn("TaskRunner.run")(function* (order: ExecutionOrder) {
        const { task } = order.refinement
        const work = Effect.gen(function* () {
          const outcomes = yield* runCalls(order)
          return { outcomes, accepted: yield* execute(order, outcomes) }
        })
        const { accepted, outcomes } = yield* work.pipe(
          Effect.mapError((error) => taskFailure(task, "execution", error))
        )
        const { looks = [] } = order.refinement
        return new TaskResult({ task, calls: [...looks, ...outcomes], result: accepted.value })
      })

      return TaskRunner.of({ run })
    })
  )
}
