/**
 * `task-conductor skills describe NAME`: shows everything about one skill, as the stages of a run get it.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { defaultPasses } from "../../domain/documents/Refinement.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import { inputTypeText, type Skill, whyNotOffered, skillTokens } from "../../domain/skills/Skill.ts"
import type { FoundSkill } from "../../services/skills/Skills.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { runFlags } from "../run/runFlags.ts"

/** How often the calls of a task may be asked for. */
const passesText = ({ passes = defaultPasses }: Skill): string =>
  passes === 1 ? "1, without looking first" : `up to ${passes}, the last one for the calls`

const fieldsOf = ({ origin, path, skill }: FoundSkill): ReadonlyArray<readonly [string, string]> => {
  const { execution, planning, refinement } = skillTokens(skill)
  const tools = skill.allowedTools?.join(" ")
  return [
    ["from", `${origin}, ${path}`],
    ["when", skill.description],
    ["tools", tools === undefined ? "all" : tools === "" ? "none" : tools],
    ...(skill.toolLimits ?? []).map(({ patterns, tool }): readonly [string, string] => [
      "limit",
      `${tool} only for ${patterns.join(", ")}`
    ]),
    ...(skill.files ?? []).map((file): readonly [string, string] => ["file", file]),
    ["approval", skill.requiresApproval ? "asks before each task" : "asks when a call needs it"],
    ["model", skill.model ?? "the one of the run"],
    ["passes", passesText(skill)],
    ["tokens", `about ${planning} to plan, ${refinement} to refine, ${execution} to execute`],
    ...skill.inputs.map((input): readonly [string, string] => [
      "input",
      `${input.name} (${inputTypeText(input)}, ${input.required ? "required" : "optional"}) ${input.about}`.trim()
    ])
  ]
}

/** The command. */
export const skillsDescribe = Command.make(
  "describe",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of a skill, such as search-code")),
    project: runFlags.project,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON object: task-conductor skills describe search-code --json"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("skills describe")(function* ({ json, name, project }) {
    const { print, result, resultPaint, tell } = yield* Output
    const { readCatalogue } = yield* Effect.promise(() => import("../plugins/catalogueHandler.ts"))
    const { skills, tools } = yield* readCatalogue(project)
    const found = skills.find(({ skill }) => skill.name === name)
    if (found === undefined) {
      const names = skills.map(({ skill }) => skill.name)
      const close = nearestOrAll(name, names).join(", ")
      return yield* usageFailure(`There is no skill "${printable(name)}". Use one of: ${close}.`)
    }
    const { origin, path, skill } = found
    const because = whyNotOffered(
      skill,
      tools.map((tool) => tool.name)
    )
    if (json) {
      const offered = because === undefined
      return yield* result(outputJson({ ...skill, origin, path, offered, tokens: skillTokens(skill) }, 2))
    }
    const parts = [
      ["Input requirements", skill.inputRequirements],
      ["Refinement", skill.refinement],
      ["Execution", skill.execution]
    ] as const
    yield* print(
      [
        [
          resultPaint.bold(skill.name),
          ...fieldsOf(found).map(([label, value]) => `${label.padEnd(8)}  ${printable(value)}`)
        ].join("\n"),
        ...parts
          .filter(([, text]) => text !== "")
          .map(([title, text]) => `${resultPaint.bold(`## ${title}`)}\n\n${printableLines(text)}`)
      ].join("\n\n")
    )
    if (because !== undefined) yield* tell(`note: ${printable(because)}`)
  })
).pipe(
  Command.withDescription("Show a skill: its settings, its inputs, and the text that each stage gets"),
  Command.withExamples([
    { command: "task-conductor skills describe search-code", description: "Show all details of one skill" }
  ])
)
