/**
 * `task-conductor skills list`: what kinds of task there are, and where each skill comes from.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { printable } from "../domain/Printable.ts"
import { loadWork } from "./loadWork.ts"
import { Output } from "./Output.ts"
import { runFlags } from "./runFlags.ts"
import { skillsLint } from "./skillsLint.ts"
import { skillsNew } from "./skillsNew.ts"

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
    const { result, resultPaint, tell } = yield* Output
    const { readCatalogue } = yield* loadWork
    const { notes, skills: all } = yield* readCatalogue(project)
    if (json) {
      const skills = all.map(({ origin, path, skill }) => ({ ...skill, origin, path }))
      return yield* result(JSON.stringify({ skills, notes }, null, 2))
    }
    const width = Math.max(0, ...all.map(({ skill }) => skill.name.length))
    yield* result(
      all
        .map(({ origin, skill }) =>
          [resultPaint.bold(skill.name.padEnd(width)), origin.padEnd(7), printable(skill.description)].join("  ")
        )
        .join("\n")
    )
    for (const note of notes) yield* tell(`note: ${printable(note)}`)
  })
).pipe(
  Command.withDescription("List the skills of the package, of the user and of the project; nearer wins"),
  Command.withExamples([{ command: "task-conductor skills list", description: "Names, origins, descriptions" }])
)

/** The command. */
export const skills = Command.make("skills").pipe(
  Command.withDescription("What kinds of task there are"),
  Command.withExamples([{ command: "task-conductor skills list --json", description: "Everything about every skill" }]),
  Command.withSubcommands([list, skillsNew, skillsLint])
)
