/** Implements `task-conductor skills`, which lists, describes and creates skills. */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { switchFlag, withHelp } from "../terminal/Flags.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import { readCatalogue } from "../../app/layers.ts"
import { runFlags } from "../run/runFlags.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { isSkillName, missingTools, missingToolsNote, whyNotOffered, inputTypeText, skillTokens } from "../../domain/skills/Skill.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { newSkill } from "../../app/templates.ts"
import { type FoundSkill } from "../../services/skills/Skills.ts"
import { userFolders } from "../../services/configuration/UserFolders.ts"
import { writeNewFolder } from "../plugins/plugins.ts"

const list = Command.make(
  "list",
  {
    project: runFlags.project,
    json: switchFlag("json", "Print one JSON object with skills and notes: task-conductor skills list --json")
  },
  Effect.fn("skills list")(function* ({ json, project }) {
    const { emit, print, result, resultPaint } = yield* Output
    const { notes, skills: loaded, tools } = yield* readCatalogue(project)
    const toolNames = tools.map((tool) => tool.name)
    if (json) {
      const skills = loaded.map(({ origin, path, skill }) => ({
        ...skill,
        origin,
        path,
        offered: whyNotOffered(skill, toolNames) === undefined,
        missingTools: missingTools(skill, toolNames)
      }))
      return yield* result(outputJson({ skills, notes }, 2))
    }
    const left = loaded.flatMap(({ skill }) => whyNotOffered(skill, toolNames) ?? [])
    const partly = loaded.flatMap(({ skill }) => missingToolsNote(skill, toolNames) ?? [])
    for (const note of [...left, ...notes, ...partly]) yield* emit(`note: ${printable(note)}`)
    const width = Math.max(0, ...loaded.map(({ skill }) => skill.name.length))
    yield* print(
      loaded
        .map(({ origin, skill }) =>
          [resultPaint.bold(skill.name.padEnd(width)), origin.padEnd(7), printable(skill.description)].join("  ")
        )
        .join("\n")
    )
  })
).pipe(
  withHelp(
    "List the skills of the package, the user and the project. Project skills take precedence over user skills, user skills over those of the package",
    {
      "task-conductor skills list": "Names, origins, descriptions"
    }
  )
)

/** Finds a skill by name, or fails with similar names. */
export const namedSkill = (name: string, skills: ReadonlyArray<FoundSkill>) => {
  const found = skills.find(({ skill }) => skill.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const close = nearestOrAll(
    name,
    skills.map(({ skill }) => skill.name)
  ).join(", ")
  return usageFailure(`There is no skill "${printable(name)}". Use one of: ${close}.`)
}

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
    ...(skill.turns === undefined ? [] : [["turns", `at most ${skill.turns}`] as const]),
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
    const { emit, print, result, resultPaint } = yield* Output
    const { skills, tools } = yield* readCatalogue(project)
    const listed = yield* namedSkill(name, skills)
    const { origin, path, skill } = listed
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
      ["How to work", skill.refinement],
      ["How to report", skill.execution]
    ] as const
    yield* print(
      [
        [
          resultPaint.bold(skill.name),
          ...fieldsOf(listed).map(([label, value]) => `${label.padEnd(8)}  ${printable(value)}`)
        ].join("\n"),
        ...parts
          .filter(([, text]) => text !== "")
          .map(([title, text]) => `${resultPaint.bold(`## ${title}`)}\n\n${printableLines(text)}`)
      ].join("\n\n")
    )
    if (because !== undefined) yield* emit(`note: ${printable(because)}`)
  })
).pipe(
  withHelp("Show a skill: its settings, its inputs, and the text that each stage gets", {
    "task-conductor skills describe search-code": "Show all details of one skill"
  })
)

const create = Command.make(
  "new",
  {
    name: Argument.String("NAME").pipe(Argument.withDescription("The name of the skill, such as count-words")),
    project: runFlags.project,
    user: switchFlag("user", "Create it for all your projects: task-conductor skills new count-words --user")
  },
  Effect.fn("skills new")(function* ({ name, project, user }) {
    const { emit, result } = yield* Output
    const path = yield* Path.Path
    if (!isSkillName(name)) {
      return yield* usageFailure(
        `"${printable(name)}" cannot be used. The name of a skill has at most 64 lower-case letters, digits and single hyphens, such as count-words.`
      )
    }
    const own = user ? (yield* userFolders(project)).settings : path.resolve(project, ".task-conductor")
    const folder = path.join(own, "skills", name)
    yield* writeNewFolder(user ? own : path.resolve(project), folder, yield* newSkill(name))
    yield* result(path.join(folder, "SKILL.md"))
    yield* emit(
      `Change what it says, then check it: task-conductor skills lint ${folder}, task-conductor skills test ${name}.`
    )
  })
).pipe(
  withHelp("Create a skill with a test, in the project or, with --user, for all your projects", {
    "task-conductor skills new count-words": "Create it in .task-conductor/skills of the project",
    "task-conductor skills new count-words --user": "Create it for all your projects"
  })
)

export const skills = Command.make("skills").pipe(
  withHelp("List, describe, create, lint and test skills (kinds of tasks)", {
    "task-conductor skills list --json": "List all details of every skill"
  }),
  Command.withSubcommands([list, describe, create])
)
