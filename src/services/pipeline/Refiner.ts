/**
 * Turns one task into concrete tool calls that are checked before they run. A task whose skill has neither tools nor
 * typed inputs needs no model call: it has nothing to refine.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { refinementShape } from "../../domain/documents/AnswerWatch.ts"
import { besideReferences, type Briefing, briefingBlocks } from "../../domain/models/Briefing.ts"
import type { InputValue } from "../../domain/documents/InputFormat.ts"
import { seenKey, stagePlace } from "../../domain/runs/ActivityKey.ts"
import { Issue, issuesMarkdown, type Reading, type Where } from "../../domain/findings/Issue.ts"
import { makeIssue } from "../../domain/findings/IssueCode.ts"
import { rawBlock } from "../../domain/markdown/PromptBlock.ts"
import { inputsField, type Refinement, readRefinement } from "../../domain/documents/RefinementFormat.ts"
import { type Skill, inputLines, type SkillInput } from "../../domain/skills/Skill.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import { renderTask } from "../../domain/documents/TaskRendering.ts"
import { TaskFailure, type TaskResult } from "../../domain/plan/TaskResult.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { Activities } from "../journal/Activities.ts"
import { Attempts } from "./Attempts.ts"
import { Prompts } from "../models/Prompts.ts"
import { References } from "../references/References.ts"
import { checkInputPaths } from "../references/InputPaths.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { makeMissingTools } from "./MissingTools.ts"
import { taskFailure, toolsMissing } from "./TaskErrors.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { Workspace } from "../files/Workspace.ts"

/** A task with what is known when its turn comes. */
export interface TaskOrder {
  readonly briefing: Briefing
  readonly task: Task
  readonly round: number
  /** Position of the task's step from 0. */
  readonly step: number
  /** Results of earlier rounds and of the tasks this one refers to. */
  readonly finished: ReadonlyArray<TaskResult>
}

const callsOf = (task: Task): Where => ({ section: "Tool Calls", task: task.name })

const sameCall = (call: ToolCall): string => JSON.stringify([call.name, call.arguments])

/** The same call over and over gives nothing new. */
const checkRepetition = (calls: ReadonlyArray<ToolCall>, limit: number, task: Task): ReadonlyArray<Issue> => {
  const counts = new Map<string, number>()
  for (const call of calls) counts.set(sameCall(call), (counts.get(sameCall(call)) ?? 0) + 1)
  return [...counts]
    .filter(([, count]) => count >= limit)
    .map(([call, count]) =>
      makeIssue("tool-call-repeated", callsOf(task), {
        what: `The same call appears ${count} times.`,
        quote: call
      })
    )
}

const checkPurpose = (calls: ReadonlyArray<ToolCall>, task: Task): ReadonlyArray<Issue> =>
  calls.length > 0 || task.references.length > 0
    ? []
    : [
        makeIssue("tool-call-missing", callsOf(task), {
          what: "The task has neither a tool call nor a reference, so there is nothing to work on."
        })
      ]

export class Refiner extends Context.Service<
  Refiner,
  {
    /** Fails with a `TaskFailure` of phase refinement. */
    refine(order: TaskOrder): Effect.Effect<Refinement, TaskFailure>
  }
>()("task-conductor/services/pipeline/Refiner") {
  static readonly layer = Layer.effect(
    Refiner,
    Effect.gen(function* () {
      const activities = yield* Activities
      const attempts = yield* Attempts
      const prompts = yield* Prompts
      const references = yield* References
      const { limits, referenceBudget } = yield* RunSettings
      const skills = yield* Skills
      const registry = yield* ToolRegistry
      const taskPrompts = yield* makeTaskPrompts
      const provide = Effect.provideService(Workspace, yield* Workspace)
      const missing = yield* makeMissingTools
      const allTools = registry.tools.map((tool) => tool.name)

      /** Reads an answer; the task keeps what was understood even when the answer is rejected. */
      const read = Effect.fnUntraced(function* (
        answer: string,
        order: TaskOrder,
        tools: ReadonlySet<string>,
        inputs: ReadonlyArray<SkillInput>,
        kept: ReadonlyArray<InputValue>
      ): Effect.fn.Return<Reading<Refinement>> {
        const reading = readRefinement(answer, { task: order.task, inputs, kept })
        if (Option.isNone(reading.value)) return reading
        const { task, inputs: given = [], calls } = reading.value.value
        const checked = calls.map((call) => registry.check(call, tools, task.name))
        const world = yield* references.check(
          new TaskList({ goals: "", steps: [new Step({ title: "Task", tasks: [task] })] }),
          { briefing: order.briefing, finished: order.finished, budget: referenceBudget }
        )
        const paths = yield* given.length === 0
          ? Effect.succeed([])
          : activities.record(
              { key: seenKey.inputs(task.name), success: Schema.Array(Issue) },
              provide(checkInputPaths(inputs, given, task.name))
            )
        const checkedCalls = checked.map((one) => one.call)
        return {
          value: Option.some({ task: world.list.tasks[0] ?? task, ...inputsField(given), calls: checkedCalls }),
          issues: [
            ...reading.issues,
            ...paths,
            ...world.issues,
            ...checked.flatMap((one) => one.issues),
            ...checkRepetition(checkedCalls, limits.identicalCalls, task),
            ...(tools.size === 0 ? [] : checkPurpose(calls, task))
          ],
          repairs: [...reading.repairs, ...world.repairs, ...checked.flatMap((one) => one.repairs)]
        }
      })

      const ask = Effect.fnUntraced(function* (order: TaskOrder, skill: Skill, tools: ReadonlyArray<string>) {
        const { task, briefing } = order
        const block = yield* references.block(task, {
          briefing,
          finished: order.finished,
          view: registry.changesSomething(tools) ? "whole" : "summary",
          room: taskPrompts.referenceRoom(task, briefing),
          place: stagePlace(order.round, "refine")
        })
        const shared = briefingBlocks(besideReferences(briefing, task.references))
        let current: Refinement = { task, calls: [] }
        const accepted = yield* attempts.run({
          stage: "refine",
          ...(skill.model === undefined ? {} : { model: skill.model }),
          round: order.round,
          task: task.name,
          step: order.step,
          prompt: (previous) => {
            const fill = (contents: string) =>
              prompts.fill("refinement", {
                skill_name: skill.name,
                skill_inputs: inputLines(skill.inputs),
                skill_input_requirements: skill.inputRequirements,
                skill_refinement: skill.refinement,
                output_room: taskPrompts.outputRoom(task, briefing, block.text.length),
                tool_instructions: registry.instructions(tools),
                project_description: shared.project_description,
                environment: shared.environment,
                project_map: shared.project_map,
                current_file: shared.current_file,
                task_reference_contents: contents,
                task_data: renderTask(
                  current.task,
                  previous === undefined ? { _tag: "Refinement" } : { _tag: "RefinementRetry", ...current }
                ),
                issues: rawBlock("## Issues with the current call", issuesMarkdown(previous?.issues ?? []))
              })
            return fill(block.within(taskPrompts.roomBeside(task, fill(""))))
          },
          shape: refinementShape,
          read: (answer) =>
            read(answer, { ...order, task: current.task }, new Set(tools), skill.inputs, current.inputs ?? []).pipe(
              Effect.tap((reading) =>
                Effect.sync(() => {
                  current = Option.getOrElse(reading.value, () => current)
                })
              )
            )
        })
        return accepted.value
      })

      const refine = Effect.fn("Refiner.refine")(function* (order: TaskOrder) {
        const { task } = order
        const skill = skills.find(task.skill)
        if (skill === undefined) {
          const reason = `There is no skill "${task.skill}".`
          return yield* new TaskFailure({ task: task.name, phase: "refinement", reason, skipped: false })
        }
        const tools = (skill.allowedTools ?? allTools).filter((tool) => allTools.includes(tool))
        const unusable = missing.whyUnusable(skill)
        if (unusable !== undefined) return yield* toolsMissing(task, skill, unusable)
        if (tools.length === 0 && skill.inputs.length === 0) return { task, calls: [] }
        return yield* ask(order, skill, tools).pipe(Effect.mapError((error) => taskFailure(task, "refinement", error)))
      })

      return Refiner.of({ refine })
    })
  )
}
