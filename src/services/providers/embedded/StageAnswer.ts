/**
 * The embedded model's answers to the prompts of a run, chosen by the stage that the system part names: it plans, fills
 * calls, quotes what tools and references hold, and concludes with the same quotes.
 */
import * as Schema from "effect/Schema"
import { compareCodePoints } from "../../../domain/text/CodePointOrder.ts"
import type { JsonSchema } from "../../../domain/tools/ToolSchema.ts"
import { callSign, InputValue } from "../../../domain/documents/Refinement.ts"
import { outline } from "../../../domain/markdown/Outline.ts"
import { fenced } from "../../../domain/markdown/PromptBlock.ts"
import type { FilledPrompt } from "../../../domain/models/PromptSize.ts"
import { renderRefined } from "../../../domain/documents/TaskRendering.ts"
import { fillCalls, valuesFor } from "./CallFilling.ts"
import { readClues } from "./Clues.ts"
import { isWriting, outcomesIn, readOutcome, readReference } from "./Outputs.ts"
import { planAnswer } from "./PlanAnswer.ts"
import {
  blocksIn,
  blockText,
  projectBlocksIn,
  type PromptBlock,
  referencesIn,
  stageIn,
  taskIn,
  toolsIn,
  userPromptIn
} from "./PromptReading.ts"
import { disclosure, foundText, pathsOf, readFound } from "./Quotes.ts"
import { readRequest, type Request } from "./Request.ts"

const elsewhere =
  "I am the built-in demo of task-conductor, not a language model. I only know the stages of a run: use `task-conductor run`, or choose a model with `--model`."

type Answer = (blocks: ReadonlyArray<PromptBlock>, system: string) => string

const inputLine = /^- `([^`]+)`: <(one of: |path|URL|number|yes|text)([^\n]*); (required|optional)>$/gm

/** Values for the typed inputs of a skill; the format in the prompt says which there are. */
const inputsFor = (system: string, request: Request): ReadonlyArray<InputValue> => {
  const taken = new Set<unknown>()
  return [...system.matchAll(inputLine)].flatMap(([, name = "", type = "", rest = "", need]) => {
    const isRequired = need === "required"
    const role = type === "path" ? "path" : type === "URL" ? "url" : "other"
    const schema: JsonSchema =
      type === "one of: " ? { enum: rest.split(", ") } : { type: type === "yes" ? "boolean" : type }
    const values = valuesFor(role, schema, request, isRequired)
    const otherwise = isRequired ? [values[0], request.terms[0], request.text.replace(/\s+/g, " ")] : []
    const value = [...values.filter((one) => !taken.has(one)), ...otherwise].find((one) => one !== undefined)
    taken.add(value)
    return Schema.is(InputValue.fields.value)(value) ? [{ name, value }] : []
  })
}

/** Takes from results what the task does not say itself. */
const refinement: Answer = (blocks, system) => {
  const task = taskIn(blocks)
  if (task === undefined) return "## Tool Calls"
  const results = referencesIn(blocks).map(({ text }) => text.replace(/^#{1,6} Result summary$/m, "").trim())
  const asked = readRequest(task.whatIsNeeded)
  const content = [task.codeBlocks[0]?.text, asked.file?.content, results.join("\n\n")].find((one) => one)
  const request: Request = {
    ...asked,
    paths: asked.paths.length > 0 ? asked.paths : pathsOf(results.flatMap(readFound)),
    file: asked.file && { ...asked.file, content }
  }
  const seen = new Set(outcomesIn(blocks).map(({ call }) => callSign(call)))
  const calls = fillCalls(toolsIn(system), request).filter((call) => !seen.has(callSign(call)))
  return renderRefined({ inputs: inputsFor(system, request), calls })
}

const execution: Answer = (blocks) => {
  const { terms } = readClues(taskIn(blocks)?.whatIsNeeded ?? "")
  const outcomes = outcomesIn(blocks)
  // What a file was written from is not a result of the writing.
  const references = outcomes.some(isWriting) ? [] : referencesIn(blocks)
  const pieces = [
    ...outcomes.flatMap((outcome) => readOutcome(outcome, terms)),
    ...references.flatMap((reference) => readReference(reference, terms))
  ]
  return `## Result summary\n\n${foundText(pieces, terms)}`
}

/** Nothing is left when all tasks have run or some failed: it knows no better way. Tasks that were not reached stay. */
const iteration: Answer = (blocks) => {
  const isStuck = blockText(blocks, "Tasks that failed") + blockText(blocks, "Issues with the previous proposal") !== ""
  const tasks = isStuck ? "" : blockText(blocks, "Outstanding tasks")
  const prompt = fenced(userPromptIn(blocks), "text")
  const goals = blockText(blocks, "Goals / summary") || "The prompt is answered."
  return `## Original prompt\n\n${prompt}\n\n## Goals / summary\n\n${goals}\n\n## Tasks\n\n${tasks}`.trimEnd()
}

const conclusion: Answer = (blocks) => {
  const { paths, terms } = readClues(userPromptIn(blocks))
  // Tasks finish in any order; the answer does not depend on it.
  const tasks = outline(blockText(blocks, "Outputs from completed tasks"))
    .filter(({ level }) => level === 3)
    .sort((a, b) => compareCodePoints(a.title, b.title))
  const failed = blockText(blocks, "Tasks that failed")
  const pieces = tasks.flatMap(({ body }) => readFound(body))
  const found = foundText(pieces, [...terms, ...paths.map(({ path }) => path)])
  return [
    tasks.length === 0 ? "No task finished, so there is no answer." : found,
    ...(failed === "" ? [] : [`These tasks failed, and what they were to find is missing:\n\n${failed}`]),
    disclosure
  ].join("\n\n")
}

const answers = new Map(Object.entries({ creation: planAnswer, refinement, execution, iteration, conclusion }))

/** The answer to the prompt of a stage, which its system part names: the same text every time. */
export const stageAnswer = ({ system, user }: FilledPrompt): string =>
  answers.get(stageIn(system) ?? "")?.([...projectBlocksIn(system), ...blocksIn(user)], system) ?? elsewhere
