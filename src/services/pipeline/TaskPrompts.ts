/**
 * The prompts of one task, filled and measured: the check of a plan measures the same text that is sent later.
 */
import * as Effect from "effect/Effect"
import type { InputValue } from "../../domain/documents/Refinement.ts"
import type { RefinementDocument } from "../../domain/documents/RefinementFormat.ts"
import { renderTask } from "../../domain/documents/TaskRendering.ts"
import { fencedBlock } from "../../domain/markdown/PromptBlock.ts"
import { besideReferences, type Briefing, briefingBlocks } from "../../domain/models/Briefing.ts"
import {
  charactersBeside,
  charactersOf,
  type FilledPrompt,
  largestParts,
  lightestCharacters,
  overflowText
} from "../../domain/models/PromptSize.ts"
import { issuesBlock } from "../../domain/models/ExecutionBlocks.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { executionText, inputLines, refinementText, type Skill, toolsOfSkill } from "../../domain/skills/Skill.ts"
import { Prompts } from "../models/Prompts.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { Previous } from "./Attempts.ts"

/** Characters of a line of output, with its number. */
const lineCharacters = 50

/** Characters that must be free beside the fixed parts, for references, outputs and a second attempt. */
const leastBudget = 2000

/** Characters of the block of a reference that is shown in parts. */
const leastReference = 350

interface Execution {
  readonly precursor: string
  readonly inputs?: ReadonlyArray<InputValue>
  readonly previous?: Previous | undefined
}

/** What stands in a prompt of a refinement beside what the plan and the project say. */
interface RefinementParts {
  /** What was understood so far. */
  readonly known?: RefinementDocument
  readonly previous?: Previous | undefined
  /** The contents of references. */
  readonly contents?: string
  /** What the read passes returned. */
  readonly outputs?: string
  /** How many read passes the model may make before the calls are written; once when absent. */
  readonly looks?: number
  /** The number of the pass when it is the last of several. */
  readonly lastPass?: number
  /** What `outputLines` says; that of a task without references when absent. */
  readonly outputLines?: string
}

export const makeTaskPrompts = Effect.gen(function* () {
  const calibration = yield* TokenCalibration
  const prompts = yield* Prompts
  const registry = yield* ToolRegistry
  const { contextWindow: window, model } = yield* RunSettings
  const skills = yield* Skills

  const allTools = registry.tools.map(({ name }) => name)

  /** What all prompts of the tasks of a skill hold of it, and its tools. */
  const describe = (skill?: Skill) => {
    const tools = skill === undefined ? allTools : toolsOfSkill(skill, allTools)
    return {
      tools,
      tool_instructions: registry.instructions(tools),
      skill_inputs: inputLines(skill?.inputs ?? []),
      skill_input_requirements: skill?.inputRequirements ?? "",
      skill_refinement: skill === undefined ? "" : refinementText(skill),
      skill_execution: skill === undefined ? "" : executionText(skill)
    }
  }

  const skillOf = (task: Task) => describe(skills.find(task.skill))

  const scaleOf = (task: Task) => calibration.scale(skills.find(task.skill)?.model ?? model)

  const execution = (task: Task, briefing: Briefing, { inputs = [], precursor, previous }: Execution): FilledPrompt => {
    const shared = briefingBlocks(besideReferences(briefing, task.references))
    return prompts.fill("execution", {
      skill_name: task.skill,
      skill_execution: skillOf(task).skill_execution,
      project_description: shared.project_description,
      environment: shared.environment,
      precursor,
      task_data: renderTask(task, { _tag: "Refinement", inputs }),
      previous_answer: fencedBlock("## Your previous answer", previous?.answer ?? "", "markdown"),
      issues: issuesBlock("## Issues with your previous answer", previous?.issues)
    })
  }

  /** A prompt of a refinement; without parts the largest first one, before anything is shown in it. */
  const refinement = (task: Task, briefing: Briefing, parts: RefinementParts = {}): FilledPrompt => {
    const { contents = "", known = { task, calls: [] }, lastPass, looks = 1, outputs = "", previous } = parts
    const skill = skillOf(task)
    const shared = briefingBlocks(besideReferences(briefing, task.references))
    return prompts.fill("refinement", {
      skill_name: task.skill,
      skill_inputs: skill.skill_inputs,
      skill_input_requirements: skill.skill_input_requirements,
      skill_refinement: skill.skill_refinement,
      output_room: parts.outputLines ?? outputLines(task, briefing, 0),
      looks: looks === 0 ? "" : String(looks),
      last_pass: lastPass === undefined ? "" : String(lastPass),
      tool_instructions: skill.tool_instructions,
      project_description: shared.project_description,
      environment: shared.environment,
      project_map: shared.project_map,
      current_file: shared.current_file,
      task_reference_contents: contents,
      look_outputs: outputs,
      task_data: renderTask(
        known.task,
        previous === undefined
          ? { _tag: "Refinement", inputs: known.inputs ?? [] }
          : { _tag: "RefinementRetry", ...known }
      ),
      issues: issuesBlock("## Issues with the current call", previous?.issues)
    })
  }

  /** The characters that fit into a prompt of the task beside so many. */
  const budgetBeside = (task: Task, characters: number): number => charactersBeside(window, characters, scaleOf(task))

  const bareExecution = (task: Task, briefing: Briefing): FilledPrompt => execution(task, briefing, { precursor: "" })

  /**
   * How many lines the outputs of the calls may have together, in round numbers. `references` counts characters. Counts of
   * the server do not change it: a resumed run must send the same prompt.
   */
  const outputLines = (task: Task, briefing: Briefing, references: number): string => {
    const budget = charactersBeside(window, charactersOf(bareExecution(task, briefing))) - references
    const lines = Math.max(20, Math.floor(budget / lineCharacters))
    return String(lines < 100 ? Math.floor(lines / 10) * 10 : Math.floor(lines / 50) * 50)
  }

  /** Why a prompt of the task would not fit, even with the least of references and outputs. */
  const overflow = (task: Task, briefing: Briefing): string | undefined => {
    const scale = scaleOf(task)
    const least = leastReference * task.references.length + leastBudget
    const isRefined = skillOf(task).tools.length > 0 || (skills.find(task.skill)?.inputs.length ?? 0) > 0
    const prompts = [...(isRefined ? [refinement(task, briefing)] : []), bareExecution(task, briefing)]
    const full = prompts.find((prompt) => charactersBeside(window, lightestCharacters(prompt), scale) < least)
    if (full === undefined) return undefined
    const used = full.system.length + full.user.length + least
    const estimated = Math.ceil((used / scale.charactersPerToken) * scale.margin)
    return overflowText({ estimated, window, parts: largestParts(full, scale) })
  }

  /** The most characters that references may take in the first prompt of a refinement. */
  const referenceBudget = (task: Task, briefing: Briefing): number =>
    budgetBeside(task, lightestCharacters(refinement(task, briefing)))

  return { budgetBeside, execution, outputLines, overflow, referenceBudget, refinement }
})
