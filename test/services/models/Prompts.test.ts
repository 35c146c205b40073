import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import {
  type TemplateName,
  templatePlaceholders,
  type TemplateValues,
  userPartMarker
} from "../../../src/domain/models/PromptTemplate.ts"
import { Prompts, PromptTemplateError } from "../../../src/services/models/Prompts.ts"
import { makeFolder } from "../../support/Project.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** The stages of a run. */
const names: ReadonlyArray<TemplateName> = ["creation", "task", "iteration", "conclusion"]

/** Values made from the names of the placeholders. */
const valuesOf = <Name extends TemplateName>(name: Name, value: (placeholder: string) => string) =>
  Object.fromEntries(templatePlaceholders[name].map((one) => [one, value(one)])) as TemplateValues<Name>

const fillAll = (prompts: Prompts["Service"], value: (placeholder: string) => string) =>
  names.map((name): [TemplateName, FilledPrompt] => [name, prompts.fill(name, valuesOf(name, value))])

const marked = (placeholder: string): string => `<<${placeholder}>>`

const marksIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/<<(\w+)>>/g)].map((match) => match[1] ?? "")

const skillHeadings = (prompt: FilledPrompt): ReadonlyArray<string> => prompt.system.match(/^### .*$/gm) ?? []

const tokens = (text: string): number => Math.ceil(text.length / 4)

const shipped = Effect.provide(Prompts, Prompts.layer)

/** The placeholders of the system part and of the user part, in order. */
const placesOf = ({ system, user }: FilledPrompt) => [marksIn(system).join(" "), marksIn(user).join(" ")]

const empty = () => ""

describe("the shipped templates", () => {
  const project = "project_description project_readme environment project_map"
  const answering = "answers text_calls native_calls may_change may_remove tool_instructions"
  const skill = "skill_name skill_input_requirements skill_refinement skill_execution skill_inputs"
  const previous = "previous_proposal previous_proposal_issues"

  nodeTest("hold each placeholder once: what stays the same in the system part, what changes last", function* () {
    const prompts = yield* shipped
    const asked = prompts.fill("ask", valuesOf("ask", marked))
    const placed = [...fillAll(prompts, marked), ["ask", asked] as const].map(([name, prompt]) => [
      name,
      placesOf(prompt)
    ])
    expect(Object.fromEntries(placed)).toStrictEqual({
      creation: [`${project} skill_catalog`, `current_file open_files user_prompt ${previous}`],
      task: [
        `project_description ${answering} project_map ${skill}`,
        "user_prompt goals current_file references task_data answers"
      ],
      iteration: [
        `${project} skill_catalog`,
        `user_prompt goals completed_tasks failed_tasks outstanding_tasks ${previous}`
      ],
      conclusion: ["", "user_prompt goals completed_tasks failed_tasks"],
      ask: [`${project} ${answering}`, "current_file open_files user_prompt"]
    })
  })

  nodeTest("leave no marker, placeholder or gap behind", function* () {
    const prompts = yield* shipped
    const asked = [marked, () => ""].map((value) => prompts.fill("ask", valuesOf("ask", value)))
    const filled = [...fillAll(prompts, marked), ...fillAll(prompts, () => "")].map(([, prompt]) => prompt)
    const texts = [...filled, ...asked].flatMap((prompt) => [prompt.system, prompt.user])
    const leftovers = texts.filter(
      (text) => text.includes(userPartMarker) || /\{[#/]?\w+\}/.test(text) || text.includes("\n\n\n")
    )
    expect(leftovers).toStrictEqual([])
  })

  nodeTest("begin alike as far as they hold the same, and then name their stage", function* () {
    const prompts = yield* shipped
    const parts = fillAll(prompts, marked).map(([name, prompt]) => ({ name, parts: prompt.system.split("# Stage: ") }))
    const start = (name: TemplateName): string => parts.find((one) => one.name === name)?.parts[0]?.trimEnd() ?? ""
    expect(start("task").endsWith("<<project_description>>")).toBe(true)
    // A task is shown only the rules of the project.
    const shared = `${start("task")}\n\n<<project_readme>>\n\n<<environment>>\n\n<<project_map>>`
    const { system } = prompts.fill("ask", valuesOf("ask", marked))
    expect(system.split("# Stage: ")[0]?.trimEnd()).toBe(shared)
    for (const name of ["creation", "iteration"] as const) {
      expect(start(name)).toBe(`${shared}\n\n## Skills\n\n<<skill_catalog>>`)
    }
    expect(parts.map((one) => one.parts[1]?.split("\n")[0])).toStrictEqual([...names])
  })

  nodeTest("are short: the instructions leave a window of 4096 tokens to the work", function* () {
    const prompts = yield* shipped
    const sizes = fillAll(prompts, empty).map(([, { system }]) => tokens(system))
    expect(Math.max(...sizes)).toBeLessThan(800)
    expect(tokens(prompts.fill("ask", valuesOf("ask", empty)).system)).toBeLessThan(700)
  })

  nodeTest("drop the heading of a skill part that is empty", function* () {
    const { fill } = yield* shipped
    const full = valuesOf("task", marked)
    const headings = ["### Input requirements", "### How to work", "### How to report", "### Inputs to give"]
    expect(skillHeadings(fill("task", full))).toStrictEqual(headings)
    const none = { skill_input_requirements: "", skill_refinement: "", skill_execution: "", skill_inputs: "" }
    expect(skillHeadings(fill("task", { ...full, ...none }))).toStrictEqual([])
  })
})

describe("Prompts.layerFolder", () => {
  nodeTest("names the file, the placeholder and what to do when a template is damaged", function* () {
    const folder = yield* makeFolder
    cpSync(new URL("../../../prompts", import.meta.url), folder, { recursive: true })
    const file = `${folder}/iteration.md`
    writeFileSync(file, readFileSync(file, "utf8").replace("{goals}", "{goal}"))
    const error = yield* Effect.flip(Effect.scoped(Layer.build(Prompts.layerFolder(folder))))
    expect(error).toBeInstanceOf(PromptTemplateError)
    const placeholders = templatePlaceholders.iteration.map((name) => `{${name}}`).join(", ")
    expect(error.message.replace(/line \d+/, "line N").split("\n")).toStrictEqual([
      `The prompt template ${file} cannot be used.`,
      `- field "goal", line N: There is no placeholder {goal}. Use one of: ${placeholders}.`,
      '- field "goals": The placeholder {goals} is missing. Put it where its value belongs.'
    ])
  })

  nodeTest("says which file is missing", function* () {
    const error = yield* Effect.flip(Effect.scoped(Layer.build(Prompts.layerFolder("/nowhere/prompts"))))
    expect(error.message).toBe(
      "The prompt template /nowhere/prompts/creation.md cannot be used.\n- The file could not be read (NotFound). Install the package again, it ships this file."
    )
  })
})
