import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import type { FilledPrompt } from "../../../src/domain/models/PromptSize.ts"
import {
  type TemplateName,
  templatePlaceholders,
  type TemplateValues,
  userPartMarker
} from "../../../src/domain/models/PromptTemplate.ts"
import { Prompts, PromptTemplateError } from "../../../src/services/models/Prompts.ts"

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

layer(Prompts.layer.pipe(Layer.provide(NodeServices.layer)))("the shipped templates", (it) => {
  it.effect(
    "hold each placeholder once: what stays the same in the system part, what changes last in the user part",
    () =>
      Effect.gen(function* () {
        const prompts = yield* Prompts
        const placed = fillAll(prompts, marked).map(([name, prompt]) => [
          name,
          marksIn(prompt.system),
          marksIn(prompt.user)
        ])
        assert.deepStrictEqual(placed, [
          [
            "creation",
            ["project_description", "project_readme", "environment", "project_map", "skill_catalog"],
            ["current_file", "open_files", "user_prompt", "previous_proposal", "previous_proposal_issues"]
          ],
          [
            "task",
            [
              "project_description",
              "answers",
              "text_calls",
              "native_calls",
              "may_change",
              "may_remove",
              "tool_instructions",
              "project_map",
              "skill_name",
              "skill_input_requirements",
              "skill_refinement",
              "skill_execution",
              "skill_inputs"
            ],
            ["user_prompt", "goals", "current_file", "references", "task_data", "answers"]
          ],
          [
            "iteration",
            ["project_description", "project_readme", "environment", "project_map", "skill_catalog"],
            [
              "user_prompt",
              "goals",
              "completed_tasks",
              "failed_tasks",
              "outstanding_tasks",
              "previous_proposal",
              "previous_proposal_issues"
            ]
          ],
          ["conclusion", [], ["user_prompt", "goals", "completed_tasks", "failed_tasks"]]
        ])
      })
  )

  it.effect("keep what stays the same in a conversation in the system part", () =>
    Effect.gen(function* () {
      const { fill } = yield* Prompts
      const { system, user } = fill("ask", valuesOf("ask", marked))
      assert.deepStrictEqual(
        [marksIn(system), marksIn(user)],
        [
          [
            "project_description",
            "project_readme",
            "environment",
            "project_map",
            "answers",
            "text_calls",
            "native_calls",
            "may_change",
            "may_remove",
            "tool_instructions"
          ],
          ["current_file", "open_files", "user_prompt"]
        ]
      )
      assert.isBelow(
        tokens(
          fill(
            "ask",
            valuesOf("ask", () => "")
          ).system
        ),
        700
      )
    })
  )

  it.effect("leave no marker, placeholder or gap behind", () =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      const asked = [marked, () => ""].map((value) => prompts.fill("ask", valuesOf("ask", value)))
      const filled = [...fillAll(prompts, marked), ...fillAll(prompts, () => "")].map(([, prompt]) => prompt)
      const texts = [...filled, ...asked].flatMap((prompt) => [prompt.system, prompt.user])
      const leftovers = texts.filter(
        (text) => text.includes(userPartMarker) || /\{[#/]?\w+\}/.test(text) || text.includes("\n\n\n")
      )
      assert.deepStrictEqual(leftovers, [])
    })
  )

  it.effect("begin alike where a document is asked for, as far as they hold the same, and then name their stage", () =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      const parts = fillAll(prompts, marked).map(([name, prompt]) => ({
        name,
        parts: prompt.system.split("# Stage: ")
      }))
      const start = (name: TemplateName): string => parts.find((one) => one.name === name)?.parts[0]?.trimEnd() ?? ""
      assert.isTrue(start("task").endsWith("<<project_description>>"))
      // A task is shown only the rules of the project.
      const shared = `${start("task")}\n\n<<project_readme>>\n\n<<environment>>\n\n<<project_map>>`
      const { system } = prompts.fill("ask", valuesOf("ask", marked))
      assert.strictEqual(system.split("# Stage: ")[0]?.trimEnd(), shared)
      for (const name of ["creation", "iteration"] as const) {
        assert.strictEqual(start(name), `${shared}\n\n## Skills\n\n<<skill_catalog>>`)
      }
      assert.deepStrictEqual(
        parts.map((one) => one.parts[1]?.split("\n")[0]),
        [...names]
      )
    })
  )

  it.effect("are short: the instructions leave a window of 4096 tokens to the work", () =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      const sizes = fillAll(prompts, () => "").map(([name, prompt]) => [name, tokens(prompt.system)] as const)
      assert.deepStrictEqual(
        sizes.filter(([, size]) => size >= 800),
        []
      )
    })
  )

  it.effect("drop the heading of a skill part that is empty", () =>
    Effect.gen(function* () {
      const prompts = yield* Prompts
      const full = valuesOf("task", marked)
      assert.deepStrictEqual(skillHeadings(prompts.fill("task", full)), [
        "### Input requirements",
        "### How to work",
        "### How to report",
        "### Inputs to give"
      ])
      assert.deepStrictEqual(
        skillHeadings(
          prompts.fill("task", {
            ...full,
            skill_input_requirements: "",
            skill_refinement: "",
            skill_execution: "",
            skill_inputs: ""
          })
        ),
        []
      )
    })
  )
})

/** The message when one shipped template is changed. */
const failureOf = (change: (text: string) => string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* fs.makeTempDirectoryScoped()
    const shipped = yield* path.fromFileUrl(new URL("../../../prompts", import.meta.url))
    yield* fs.copy(shipped, folder, { overwrite: true })
    const file = path.join(folder, "iteration.md")
    yield* fs.writeFileString(file, change(yield* fs.readFileString(file)))
    const error = yield* Effect.flip(Effect.scoped(Layer.build(Prompts.layerFolder(folder))))
    assert.instanceOf(error, PromptTemplateError)
    return error.message.replace(folder, "prompts").replace(/line \d+/, "line N")
  }).pipe(Effect.provide(NodeServices.layer))

describe("Prompts.layerFolder", () => {
  it.effect("names the file, the placeholder and what to do when a template is damaged", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* failureOf((text) => text.replace("{goals}", "{goal}")),
        [
          "The prompt template prompts/iteration.md cannot be used.",
          '- field "goal", line N: There is no placeholder {goal}. Use one of: {skill_catalog}, {user_prompt}, {goals}, {project_description}, {project_readme}, {environment}, {project_map}, {completed_tasks}, {failed_tasks}, {outstanding_tasks}, {previous_proposal}, {previous_proposal_issues}.',
          '- field "goals": The placeholder {goals} is missing. Put it where its value belongs.'
        ].join("\n")
      )
    })
  )

  it.effect("says which file is missing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(Prompts.layerFolder("/nowhere/prompts"))))
      assert.strictEqual(
        error.message,
        "The prompt template /nowhere/prompts/creation.md cannot be used.\n- The file could not be read (NotFound). Install the package again, it ships this file."
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
