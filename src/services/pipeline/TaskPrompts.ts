/** Writes and measures the first message of a task. The check of a plan measures exactly this text. */
import * as Effect from "effect/Effect"
import { memoize } from "effect/Function"
import { renderTaskPart } from "../../domain/documents/TaskRendering.ts"
import { mostAtOnce } from "../../domain/documents/TurnBudgets.ts"
import { rawBlock } from "../../domain/markdown/PromptBlock.ts"
import { besideReferences, type Briefing, briefingBlocks } from "../../domain/models/Briefing.ts"
import { type ToolCalls, toolCallsFor } from "../../domain/models/Generation.ts"
import {
  charactersBeside,
  charactersOf,
  type FilledPrompt,
  largestParts,
  overflowText,
  unaskedWindow
} from "../../domain/models/PromptSize.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { fileTools, mayChangeFiles } from "../../domain/tools/ToolCall.ts"
import {
  executionText,
  inputLines,
  refinementText,
  requirementsText,
  type Skill,
  toolsOfSkill
} from "../../domain/skills/Skill.ts"
import { saysMore } from "../../domain/text/NewFacts.ts"
import { Prompts } from "../models/Prompts.ts"
import { TokenCalibration } from "../models/TokenCalibration.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { Skills } from "../skills/Skills.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

/** The minimum number of characters for the turns, in addition to the first message. */
const leastBudget = 2000

/** The minimum number of characters of a shortened reference. */
const leastReference = 350

/** The maximum length of a changelog among the references of a task that changes files, in characters. */
const mostOfChangelog = 1200

/**
 * References within this share of the free budget are shown whole. If they were shortened, the model would soon read
 * most of the rest.
 */
const wholeShare = 1 / 2

/**
 * The share of the free budget for references; the rest is for the turns. A task that changes files needs more for its
 * turns than one that only reads. A task without tools needs space only for its report.
 */
const referenceShare = (tools: ReadonlyArray<string>): number =>
  tools.length === 0 ? 3 / 4 : mayChangeFiles(tools) ? 1 / 3 : 1 / 2

/** The contents of the first message besides the plan and the project. */
interface TaskContents {
  readonly goals?: string
  readonly references?: string
  /**
   * Parts of files that the task did not ask for. They stand below the task, so that the text above it is the same for
   * all tasks.
   */
  readonly parts?: string
}

/**
 * The share of the free budget for places and references. It can be large, because space for the answer is reserved
 * separately, and later messages show fewer places.
 */
const placeShare = 3 / 4

/** The blocks of a briefing. They are cached, because most tasks of a run share one briefing. */
const blocksOf = memoize((briefing: Briefing) => briefingBlocks(briefing))

/** The instructions about the form of an answer: its calls (as text or as native calls), changes and report. */
export const answerBlocks = (
  tools: ReadonlyArray<string>,
  form: ToolCalls,
  registry: Pick<ToolRegistry["Service"], "instructions">,
  end: string,
  endPlace = ""
) => {
  const others = tools.filter((tool) => !fileTools.has(tool))
  const mayChange = others.length < tools.length
  const requests = [...(others.length === 0 ? [] : ["tool calls"]), ...(mayChange ? ["changes of files"] : [])]
  const answers = [...requests, ...(requests.length > 1 ? ["both"] : []), end]
  return {
    answers: `${answers.join(", ").replace(/, ([^,]*)$/, " or $1")}${mayChange ? endPlace : ""}`,
    text_calls: form === "text" ? "Tool calls" : "",
    native_calls: form === "native" ? "Tool calls" : "",
    may_change: mayChange ? "Changes of files" : "",
    may_remove: tools.includes("remove_file") ? "To move a file, or to remove it" : "",
    // Changes of files are always written as text, which needs no escaping.
    tool_instructions: form === "text" ? registry.instructions(others) : ""
  }
}

/** True if a skill needs the instructions about work and reports: it has tools, or no instructions of its own. */
const hasWorkInstructions = ({ execution }: Skill, tools: ReadonlyArray<string>): boolean =>
  tools.length > 0 || execution.trim() === ""

/** True for a skill whose text mentions the project map, for example to find commands in it. */
const namesMap = (skill: Skill): boolean => /project map/i.test(`${refinementText(skill)}${executionText(skill)}`)

/** What the first message about places contains, besides the plan and the project. */
interface PlaceContents {
  readonly references?: string
  /** The text of the places, and their numbers. */
  readonly places?: string
  readonly numbers?: string
}

const makeFirstMessages = Effect.gen(function* () {
  const prompts = yield* Prompts
  const registry = yield* ToolRegistry
  const settings = yield* RunSettings
  const skills = yield* Skills

  const allTools = registry.tools.map(({ name }) => name)

  const toolsOf = (skill: Skill | undefined): ReadonlyArray<string> =>
    skill === undefined ? allTools : toolsOfSkill(skill, allTools)

  const isShipped = ({ name }: Skill): boolean =>
    skills.all.some(({ origin, skill }) => origin === "package" && skill.name === name)

  const first = (
    task: Task,
    briefing: Briefing,
    { goals = "", parts = "", references = "" }: TaskContents = {}
  ): FilledPrompt => {
    const skill = skills.find(task.skill)
    const tools = toolsOf(skill)
    const { project_map, ...blocks } = blocksOf(besideReferences(briefing, task.references))
    return prompts.fill("task", {
      ...blocks,
      project_map: skill !== undefined && namesMap(skill) ? project_map : "",
      ...answerBlocks(
        tools,
        toolCallsFor(settings, "task", skill?.model),
        registry,
        "the report",
        ", alone or below changes"
      ),
      skill_name: task.skill,
      skill_inputs: inputLines(skill?.inputs ?? []),
      skill_input_requirements: skill === undefined ? "" : requirementsText(skill),
      skill_refinement: skill === undefined || !hasWorkInstructions(skill, tools) ? "" : refinementText(skill),
      skill_execution: skill === undefined ? "" : executionText(skill),
      goals: rawBlock("## Goals / summary", goals),
      references,
      task_data: `${renderTaskPart(task)}\n\n${parts}`
    })
  }

  /**
   * The first message for a part of a task that consists of places in files. The model decides about all these places
   * in one answer.
   */
  const places = (
    task: Task,
    briefing: Briefing,
    { numbers = "", places: placesText = "", references = "" }: PlaceContents = {}
  ) => {
    const skill = skills.find(task.skill)
    const tools = toolsOf(skill)
    const mayChange = mayChangeFiles(tools)
    const { current_file, project_description, user_prompt } = blocksOf(briefing)
    return prompts.fill("places", {
      project_description,
      current_file,
      user_prompt,
      may_change: mayChange ? "change" : "",
      may_note: mayChange ? "" : "note",
      may_look: tools.includes("read_file") ? "look" : "",
      skill_name: task.skill,
      // The program has already searched, so built-in instructions about searching are left out.
      skill_refinement: skill === undefined || isShipped(skill) ? "" : refinementText(skill),
      references,
      task_data: rawBlock("## Task", saysMore(task.whatIsNeeded, briefing.prompt) ? task.whatIsNeeded : ""),
      places: placesText,
      numbers
    })
  }

  return { first, places, toolsOf }
})

export const makeTaskPrompts = Effect.gen(function* () {
  const calibration = yield* TokenCalibration
  const { first, places, toolsOf } = yield* makeFirstMessages
  const { contextWindow: window, model } = yield* RunSettings
  const skills = yield* Skills

  const scaleOf = (task: Task) => calibration.scale(skills.find(task.skill)?.model ?? model)

  const budgetBeside = (task: Task, characters: number): number => charactersBeside(window, characters, scaleOf(task))

  /**
   * The budget for places and for references in a first message. The rest is for the answers and turns. Token counts
   * that the run learnt are ignored: they vary, and a resumed run must shorten the same parts.
   */
  const placeBudget = (task: Task, briefing: Briefing): { readonly places: number; readonly references: number } => {
    const free = charactersBeside(window, charactersOf(places(task, briefing)))
    const references = task.references.length === 0 ? 0 : Math.floor(free / 4)
    return { places: Math.floor(free * placeShare) - references, references }
  }

  /** The budget for references in the first message. */
  const referenceBudget = (task: Task, briefing: Briefing) => {
    const tools = toolsOf(skills.find(task.skill))
    const share = referenceShare(tools)
    const charactersLeft = budgetBeside(task, charactersOf(first(task, briefing)))
    const free = Math.min(charactersLeft, charactersBeside(unaskedWindow(window), 0, scaleOf(task)))
    const parts = Math.floor(Math.max(free * share, Math.min(free / 2, leastReference * task.references.length)))
    const whole = Math.floor(Math.min(mostAtOnce, charactersLeft * wholeShare))
    return { parts, whole, changelog: mayChangeFiles(tools) ? mostOfChangelog : undefined }
  }

  /**
   * If the first message cannot fit even with the shortest references and few turns, a message that says why. Otherwise
   * undefined.
   */
  const overflow = (task: Task, briefing: Briefing): string | undefined => {
    const scale = scaleOf(task)
    const least = leastReference * task.references.length + leastBudget
    const prompt = first(task, briefing)
    if (charactersBeside(window, charactersOf(prompt), scale) >= least) return undefined
    const used = prompt.system.length + prompt.user.length + least
    const estimated = Math.ceil((used / scale.charactersPerToken) * scale.margin)
    return overflowText({ estimated, window, parts: largestParts(prompt, scale) })
  }

  return { budgetBeside, first, overflow, placeBudget, places, referenceBudget, toolsOf }
})
