/**
 * `task-conductor skills ...`: lists skills with their sources, and helps to write one.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { outputJson } from "../../domain/text/Json.ts"
import { printable } from "../../domain/text/Printable.ts"
import { missingTools, missingToolsNote, whyNotOffered } from "../../domain/skills/Skill.ts"
import { Output } from "../terminal/Output.ts"
import { runFlags } from "../run/runFlags.ts"
import { skillsDescribe } from "./skillsDescribe.ts"
import { skillsLint } from "./skillsLint.ts"
import { skillsNew } from "./skillsNew.ts"
import { skillsTest } from "./skillsTest.ts"

const list = Command.make(
  "list",
  {
    project: runFlags.project,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON object with skills and notes: task-conductor skills list --json"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("skills list")(function* ({ json, project }) {
    const { print, result, resultPaint, tell } = yield* Output
    const { readCatalogue } = yield* Effect.promise(() => import("../plugins/catalogueHandler.ts"))
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

/** The command. */
export const skills = Command.make("skills").pipe(
  Command.withDescription("List, describe, create, lint and test skills (kinds of tasks)"),
  Command.withExamples([{ command: "task-conductor skills list --json", description: "List all details of every skill" }]),
  Command.withSubcommands([list, skillsDescribe, skillsNew, skillsLint, skillsTest])
)
