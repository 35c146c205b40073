/**
 * `task-conductor skills ...`: lists skills with their sources, and helps to write one.
 */
import * as Effect from "effect/Effect"
import { switchFlag } from "../terminal/Flags.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import { missingTools, missingToolsNote, whyNotOffered, inputTypeText, type Skill, skillTokens } from "../../domain/skills/Skill.ts"
import { defaultPasses } from "../../domain/documents/Refinement.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { scaffoldSkill, skillNameRules } from "../../domain/checking/SkillScaffold.ts"
import type { FoundSkill } from "../../services/skills/Skills.ts"
import { userFolders } from "../../services/configuration/UserFolders.ts"
import { runFlags } from "../run/runFlags.ts"
import { Output } from "../terminal/Output.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { readCatalogue } from "../plugins/catalogue.ts"
import { writeNewFolder } from "../plugins/plugins.ts"
import { skillsLint } from "./skillsLint.ts"
import { skillsTest } from "./skillsTest.ts"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

const list = Command.make(
  "list",
  {
    project: runFlags.project,
    json: switchFlag("json", "Print one JSON object with skills and notes: task-conductor skills list --json")
  },
  Effect.fn("skills list")(function* ({ json, project }) {
    const { print, result, resultPaint, tell } = yield* Output
    const { notes, skills: all, tools } = yield* readCatalogue(project)
    const toolNames = tools.map((tool) => tool.name)
    if (json) {
      const skills = all.map(({ origin, path, skill }) => ({
        ...skill,
        origin,
        path,
        offered: whyNotOffered(skill, toolNames) === undefined,
        missingTools: missingTools(skill, toolNames)
      }))
      return yield* result(outputJson({ skills, notes }, 2))
    }
    const left = all.flatMap(({ skill }) => whyNotOffered(skill, toolNames) ?? [])
    const partly = all.flatMap(({ skill }) => missingToolsNote(skill, toolNames) ?? [])
    for (const note of [...left, ...notes, ...partly]) yield* tell(`note: ${printable(note)}`)
    const width = Math.max(0, ...all.map(({ skill }) => skill.name.length))
    yield* print(
      all
        .map(({ origin, skill }) =>
          [resultPaint.bold(skill.name.padEnd(width)), origin.padEnd(7), printable(skill.description)].join("  ")
        )
        .join("\n")
    )
  })
).pipe(
  Command.withDescription("List the skills of the package, the user and the project. Project skills take precedence over user skills, user skills over those of the package"),
  Command.withExamples([{ command: "task-conductor skills list", description: "Names, origins, descriptions" }])
)

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

const describe = Command.make(
  "describe",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of a skill, such as search-code")),
    project: runFlags.project,
    json: switchFlag("json", "Print one JSON object: task-conductor skills describe search-code --json")
  },
  Effect.fn("skills describe")(function* ({ json, name, project }) {
    const { print, result, resultPaint, tell } = yield* Output
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

const create = Command.make(
  "new",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of the skill, such as count-words")),
    project: runFlags.project,
    user: switchFlag("user", "Create it for all your projects: task-conductor skills new count-words --user")
  },
  Effect.fn("skills new")(function* ({ name, project, user }) {
    const { result, tell } = yield* Output
    const path = yield* Path.Path
    const files = scaffoldSkill(name)
    if (files === undefined) return yield* usageFailure(`"${printable(name)}" cannot be used. ${skillNameRules}`)
    const own = user ? (yield* userFolders(project)).own : path.resolve(project, ".task-conductor")
    const folder = path.join(own, "skills", name)
    yield* writeNewFolder(folder, files)
    yield* result(path.join(folder, "SKILL.md"))
    yield* tell(
      `Change what it says, then check it: task-conductor skills lint ${folder}, task-conductor skills test ${name}.`
    )
  })
).pipe(
  Command.withDescription("Create a skill with a test, in the project or, with --user, for all your projects"),
  Command.withExamples([
    { command: "task-conductor skills new count-words", description: "Create it in .task-conductor/skills of the project" },
    { command: "task-conductor skills new count-words --user", description: "Create it for all your projects" }
  ])
)

/** The command. */
export const skills = Command.make("skills").pipe(
  Command.withDescription("List, describe, create, lint and test skills (kinds of tasks)"),
  Command.withExamples([{ command: "task-conductor skills list --json", description: "List all details of every skill" }]),
  Command.withSubcommands([list, describe, create, skillsLint, skillsTest])
)
