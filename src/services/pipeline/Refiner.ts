/**
 * Turns one task into concrete tool calls that are checked before they run. It may go in passes: reading calls run, their
 * outputs come back, and the model is asked again; the calls of the last pass are those of the task. A task whose skill
 * has neither tools nor typed inputs needs no model call: it has nothing to refine.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { refinementShape } from "../../domain/documents/AnswerWatch.ts"
import { type RefinementDocument, readRefinement } from "../../domain/documents/RefinementFormat.ts"
import { defaultPasses, type Refinement } from "../../domain/documents/Refinement.ts"
import { readPassBlocks } from "../../domain/models/ExecutionBlocks.ts"
import { lightestCharacters } from "../../domain/models/PromptSize.ts"
import { TaskFailure } from "../../domain/plan/TaskResult.ts"
import { stagePlace } from "../../domain/runs/ActivityKey.ts"
import { type Skill, toolsOfSkill } from "../../domain/skills/Skill.ts"
import { readPassUid } from "../../domain/tools/ToolCallFormat.ts"
import type { CallOutcome, ToolCall } from "../../domain/tools/ToolCall.ts"
import { type ReferenceBlock, References } from "../references/References.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { Skills } from "../skills/Skills.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { Attempts, type Previous } from "./Attempts.ts"
import { makeRefinementReader } from "./RefinementReader.ts"
import { makeMissingTools } from "./PlanChecker.ts"
import { type TaskOrder, taskFailure, toolsMissing } from "./TaskStage.ts"
import { makeTaskPrompts } from "./TaskPrompts.ts"

/** What is the same in all passes over a task. */
interface Work {
  readonly order: TaskOrder
  readonly skill: Skill
  readonly tools: ReadonlyArray<string>
  readonly passes: number
  /** The contents of the references. */
  readonly references: ReferenceBlock
}

/** The read pass has at least this part of the budget that it shares with references. */
const readPassShare = 0.6

/** One pass: what was understood in those before, and what their read passes returned. */
interface Pass {
  readonly number: number
  readonly known: RefinementDocument
  readonly looks: ReadonlyArray<CallOutcome>
}

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
      const attempts = yield* Attempts
      const events = yield* RunEvents
      const read = yield* makeRefinementReader
      const references = yield* References
      const registry = yield* ToolRegistry
      const runCalls = yield* makeTaskCalls
      const taskPrompts = yield* makeTaskPrompts
      const missing = yield* makeMissingTools
      const skills = yield* Skills
      const allTools = registry.tools.map((tool) => tool.name)

      const isPure = (tool: string): boolean => registry.find(tool)?.effect === "pure"
      const mayChange = ({ name }: ToolCall): boolean => registry.find(name) !== undefined && !isPure(name)

      /** Without a tool that only reads there can be no read pass. */
      const passesOf = ({ passes = defaultPasses }: Skill, tools: ReadonlyArray<string>): number =>
        tools.some(isPure) ? passes : 1

      /** A skill that says how many passes it needs is about a change, when it has a tool that makes one. */
      const mustAct = ({ passes }: Skill, tools: ReadonlyArray<string>): boolean =>
        passes !== undefined && registry.changesSomething(tools)

      const fill = (
        { order, passes, references: block }: Work,
        { known, looks, number }: Pass,
        previous: Previous | undefined
      ) => {
        const { briefing, task } = order
        const outputLines = taskPrompts.outputLines(task, briefing, block.text.length)
        const filled = (contents: string, outputs: string) =>
          taskPrompts.refinement(task, briefing, {
            known,
            previous,
            contents,
            outputs,
            looks: passes - 1,
            lastPass: number > 1 && number === passes ? passes : undefined,
            outputLines
          })
        const bare = filled("", "")
        const budget = taskPrompts.budgetBeside(task, lightestCharacters(bare))
        const wanted = readPassBlocks(looks, budget).length
        const contents = block.within(budget - Math.min(wanted, Math.floor(budget * readPassShare)))
        const outputs = readPassBlocks(looks, budget - contents.length)
        return contents === "" && outputs === "" ? bare : filled(contents, outputs)
      }

      const ask = (work: Work, pass: Pass) => {
        const { order, passes, skill, tools } = work
        let known = pass.known
        const rules = {
          pass: pass.number,
          passes,
          mustAct: mustAct(skill, tools),
          mayChange,
          seen: pass.looks.map(({ call }) => call)
        }
        return attempts.run({
          stage: "refine",
          model: skill.model,
          round: order.round,
          task: order.task.name,
          pass: pass.number === 1 ? undefined : pass.number,
          step: order.step,
          prompt: (previous) => fill(work, { ...pass, known }, previous),
          shape: refinementShape,
          hidesAnswer: true,
          readPart: (part) =>
            readRefinement(part, { task: known.task, inputs: skill.inputs, kept: known.inputs ?? [] }).issues,
          read: (answer) =>
            read(answer, {
              order: { ...order, task: known.task },
              tools: new Set(tools),
              skill,
              inputs: skill.inputs,
              kept: known.inputs ?? [],
              rules
            }).pipe(
              Effect.tap((reading) =>
                Effect.sync(() => {
                  known = Option.getOrElse(reading.value, () => known)
                })
              )
            )
        })
      }

      /** Makes the calls of a read pass; nobody approves them beforehand, the gate decides about each like about any read. */
      const runReadPass = Effect.fnUntraced(function* ({ order }: Work, pass: number, asked: ReadonlyArray<ToolCall>) {
        const { round, step, task } = order
        const calls = asked.map((call) => ({ ...call, uid: readPassUid(pass, call.uid) }))
        yield* events.publish({ type: "task.looked", round, step, task: task.name, pass, calls })
        return yield* runCalls(task.name, round, calls)
      })

      const passOver = Effect.fnUntraced(function* (work: Work) {
        const seen: Array<CallOutcome> = []
        let known: RefinementDocument = { task: work.order.task, calls: [] }
        for (let number = 1; ; number += 1) {
          const { value } = yield* ask(work, { number, known, looks: seen })
          if (value.looks === undefined) {
            const { looks: _, ...rest } = value
            const refinement: Refinement = Arr.isReadonlyArrayNonEmpty(seen) ? { ...rest, looks: seen } : rest
            return refinement
          }
          seen.push(...(yield* runReadPass(work, number, value.looks)))
          const { looks: _, ...rest } = value
          known = rest
        }
      })

      const refine = Effect.fnUntraced(function* (order: TaskOrder) {
        const { task } = order
        const skill = skills.find(task.skill)
        if (skill === undefined) {
          const reason = `There is no skill "${task.skill}".`
          return yield* new TaskFailure({ task: task.name, phase: "refinement", reason, skipped: false })
        }
        const tools = toolsOfSkill(skill, allTools)
        const unusable = missing.whyUnusable(skill)
        if (unusable !== undefined) return yield* toolsMissing(task, skill, unusable)
        if (tools.length === 0 && skill.inputs.length === 0) return { task, calls: [] }
        const block = references.block(task, {
          briefing: order.briefing,
          finished: order.finished,
          view: registry.changesSomething(tools) ? "whole" : "summary",
          budget: taskPrompts.referenceBudget(task, order.briefing),
          place: stagePlace(order.round, "refine")
        })
        return yield* Effect.flatMap(block, (contents) =>
          passOver({ order, skill, tools, passes: passesOf(skill, tools), references: contents })
        ).pipe(Effect.mapError((error) => taskFailure(task, "refinement", error)))
      })

      return Refiner.of({ refine })
    })
  )
}
