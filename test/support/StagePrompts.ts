/**
 * Prompts of all stages as a run would send them: the shipped templates, skills and tools, filled for one project.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { briefingBlocks } from "../../src/domain/models/Briefing.ts"
import { callBlocks, failureLines, resultBlocks } from "../../src/domain/models/ExecutionBlocks.ts"
import { fencedBlock, rawBlock } from "../../src/domain/markdown/PromptBlock.ts"
import { type Skill, inputLines } from "../../src/domain/skills/Skill.ts"
import type { Task } from "../../src/domain/plan/Task.ts"
import { renderSteps, renderTaskPart } from "../../src/domain/documents/TaskRendering.ts"
import type { Step } from "../../src/domain/plan/TaskList.ts"
import type { TaskFailure, TaskResult } from "../../src/domain/plan/TaskResult.ts"
import type { CallOutcome } from "../../src/domain/tools/ToolCall.ts"
import { Prompts } from "../../src/services/models/Prompts.ts"
import { catalogueOf, Skills } from "../../src/services/skills/Skills.ts"
import { openTools } from "./OpenTools.ts"
import { leavesMachine } from "../../src/services/providers/providers.ts"

/** The text of a reference block: what References makes of one link. */
export const referenceText = (title: string, href: string, content: string): string =>
  fencedBlock(`## Reference information for ${title}\n\nThe contents of ${href}`, content, "markdown")

const environment = "- Date: 2026-11-20"
const projectDescription = "# Shop\n\nSells things."

const blocksOf = (prompt: string) => briefingBlocks({ prompt, environment, projectDescription, openFiles: [] })

const make = Effect.gen(function* () {
  const prompts = yield* Prompts
  const skills = yield* Skills
  const { registry } = yield* openTools()
  const shared = blocksOf("-")
  const skillOf = (task: Task): Skill | undefined => skills.find(task.skill)

  /** The first message of a task. */
  const begin = (task: Task, references = "", tools = skillOf(task)?.allowedTools ?? []) =>
    prompts.fill("task", {
      skill_name: task.skill,
      skill_inputs: inputLines(skillOf(task)?.inputs ?? []),
      skill_input_requirements: skillOf(task)?.inputRequirements ?? "",
      skill_refinement: skillOf(task)?.refinement ?? "",
      skill_execution: skillOf(task)?.execution ?? "",
      answers: "tool calls or the report",
      text_calls: "Tool calls",
      native_calls: "",
      may_remove: "",
      may_change: "",
      tool_instructions: registry.instructions(tools),
      project_description: shared.project_description,
      environment: shared.environment,
      project_map: shared.project_map,
      user_prompt: shared.user_prompt,
      current_file: "",
      goals: "",
      references,
      task_data: renderTaskPart(task)
    })

  return {
    skills: skills.all.map((found) => found.skill),
    creation: (prompt: string, offered: ReadonlyArray<Skill>, previous = "", issues = "") =>
      prompts.fill("creation", {
        ...blocksOf(prompt),
        skill_catalog: catalogueOf(offered),
        previous_proposal: rawBlock("## Previous proposal", previous),
        previous_proposal_issues: rawBlock("## Issues with the previous proposal", issues)
      }),
    refinement: begin,
    /** What is asked when these calls have been made; without tools and calls, when there is nothing to call. */
    execution: (task: Task, outcomes: ReadonlyArray<CallOutcome>, references = "") => {
      const first = begin(task, references, outcomes.length === 0 ? [] : undefined)
      const now = rawBlock("## Now", "Go on: look further, or write the report (`## Result summary`).")
      return { ...first, user: `${first.user}\n${callBlocks(outcomes, 100_000)}${now}` }
    },
    iteration: (
      prompt: string,
      state: {
        readonly finished: ReadonlyArray<TaskResult>
        readonly failures?: ReadonlyArray<TaskFailure>
        readonly outstanding?: ReadonlyArray<Step>
      }
    ) =>
      prompts.fill("iteration", {
        skill_catalog: "",
        user_prompt: blocksOf(prompt).user_prompt,
        project_description: shared.project_description,
        environment: shared.environment,
        project_map: shared.project_map,
        goals: rawBlock("## Goals / summary", "It is known."),
        completed_tasks: rawBlock("## Outputs from completed tasks", resultBlocks(state.finished, 100_000)),
        failed_tasks: rawBlock("## Tasks that failed", failureLines(state.failures ?? [])),
        outstanding_tasks: rawBlock("## Outstanding tasks", renderSteps(state.outstanding ?? [])),
        previous_proposal: "",
        previous_proposal_issues: ""
      }),
    conclusion: (prompt: string, finished: ReadonlyArray<TaskResult>, failures: ReadonlyArray<TaskFailure> = []) =>
      prompts.fill("conclusion", {
        user_prompt: blocksOf(prompt).user_prompt,
        goals: rawBlock("## Goals / summary", "It is known."),
        completed_tasks: rawBlock("## Outputs from completed tasks", resultBlocks(finished, 100_000)),
        failed_tasks: rawBlock("## Tasks that failed", failureLines(failures))
      })
  }
})

const layerShipped = Layer.merge(
  Prompts.layer,
  Skills.layer({ home: "/nowhere", project: "/nowhere" }, leavesMachine)
).pipe(Layer.provideMerge(NodeServices.layer))

/** One filling function for each stage, and the shipped skills. */
export class StagePrompts extends Context.Service<StagePrompts, Effect.Success<typeof make>>()("test/StagePrompts") {
  static readonly layer = Layer.effect(StagePrompts, make).pipe(Layer.provide(layerShipped))
}
