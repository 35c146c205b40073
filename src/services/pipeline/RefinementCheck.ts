/**
 * Checks a refinement that stands by itself: its task like one of a plan, its calls against the tools of its skill, and
 * the paths in its inputs.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CheckOptions } from "../../domain/checking/CheckReport.ts"
import { placeFindings, refinementPlaces } from "../../domain/documents/FindingPlaces.ts"
import {
  inputsField,
  looksField,
  readRefinement,
  type RefinementDocument
} from "../../domain/documents/RefinementFormat.ts"
import type { Issue, Reading, Repair } from "../../domain/findings/Issue.ts"
import { plainTask } from "../../domain/plan/Task.ts"
import { Step, TaskList } from "../../domain/plan/TaskList.ts"
import { TaskResult } from "../../domain/plan/TaskResult.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { checkInputPaths } from "../references/InputPaths.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { PlanChecker, type PlanWorld } from "./PlanChecker.ts"
import { unfitCalls } from "./UnfitCalls.ts"
import { checkPurpose, checkRepetition } from "./RefinementReader.ts"

/** The results that a task refers to are taken to be there: a refinement does not say which tasks have finished. */
const withProducers = (world: PlanWorld, slugs: ReadonlyArray<string>): PlanWorld => ({
  ...world,
  finished: [
    ...world.finished,
    ...slugs.map(
      (slug) => new TaskResult({ task: plainTask(slug, "", "", ""), calls: [], result: { summary: "", document: "" } })
    )
  ]
})

export const makeRefinementCheck = Effect.gen(function* () {
  const plans = yield* PlanChecker
  const registry = yield* ToolRegistry
  const skills = yield* Skills
  const { limits } = yield* RunSettings
  const workspace = yield* Workspace
  const allTools = registry.tools.map(({ name }) => name)

  return Effect.fn("checkRefinement")(function* (text: string, { inputs, planned }: CheckOptions, world: PlanWorld) {
    const first = readRefinement(text, { task: planned, inputs })
    if (Option.isNone(first.value)) return first
    const { task: written } = first.value.value
    const places = refinementPlaces(text)
    const list = new TaskList({ goals: "", steps: [new Step({ title: "Task", tasks: [written] })] })
    const checked = yield* plans.checkList(list, withProducers(world, written.producerSlugs))
    const task = Option.getOrUndefined(checked.value)?.tasks[0] ?? written
    const skill = skills.find(task.skill)
    // Only the skill says which inputs there are.
    const reading = skill === undefined ? first : readRefinement(text, { task: planned, inputs: skill.inputs })
    const document = Option.getOrElse(reading.value, (): RefinementDocument => ({ task, calls: [] }))
    const { calls, inputs: given = [], looks = [] } = document
    const issues: Array<Issue> = [...reading.issues, ...checked.issues]
    const repairs: Array<Repair> = [...reading.repairs, ...checked.repairs]
    const done = (value: RefinementDocument): Reading<RefinementDocument> => ({
      value: Option.some(value),
      ...placeFindings({ issues, repairs }, places.ofTask)
    })
    if (skill === undefined) return done({ ...document, task })
    const tools = new Set((skill.allowedTools ?? allTools).filter((tool) => allTools.includes(tool)))
    const tryAll = (section: string, all: ReadonlyArray<ToolCall>) =>
      all.map((call, index) => {
        const one = registry.check(call, tools, task.name)
        const found = placeFindings(one, (where) => places.ofCall(section, all, index)({ ...where, section }))
        issues.push(...found.issues)
        repairs.push(...found.repairs)
        return one
      })
    const looked = tryAll("Look first", looks).map(({ call }) => call)
    const tried = tryAll("Tool Calls", calls)
    const made = tried.map(({ call }) => call)
    const fitting = tried.flatMap((one) => (one.issues.length === 0 ? [one.call] : []))
    issues.push(
      ...(yield* Effect.provideService(checkInputPaths(skill.inputs, given, task.name), Workspace, workspace)),
      ...(yield* unfitCalls(fitting, { section: "Tool Calls", task: task.name }, registry)),
      ...checkRepetition([...looked, ...made], limits.identicalCalls, task),
      ...(tools.size === 0 ? [] : checkPurpose([...looked, ...made], task, reading, text))
    )
    return done({ task, ...inputsField(given), ...looksField(looked), calls: made })
  })
})
