/**
 * `task-conductor tools list`: what a task can call.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { printable } from "../domain/Printable.ts"
import { loadWork } from "./loadWork.ts"
import { Output } from "./Output.ts"
import { runFlags } from "./runFlags.ts"

const list = Command.make(
  "list",
  {
    project: runFlags.project,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print a JSON array with parameters and examples: task-conductor tools list --json"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("tools list")(function* ({ json, project }) {
    const { result, resultPaint, tell } = yield* Output
    const { readCatalogue } = yield* loadWork
    const { problems, tools } = yield* readCatalogue(project)
    for (const problem of problems) yield* tell(`note: ${printable(problem.message)}`)
    if (json) return yield* result(JSON.stringify(tools, null, 2))
    const width = Math.max(...tools.map((tool) => tool.name.length))
    yield* result(
      tools
        .map((tool) =>
          [resultPaint.bold(tool.name.padEnd(width)), tool.risk.padEnd(6), tool.description.split("\n")[0] ?? ""].join(
            "  "
          )
        )
        .join("\n")
    )
  })
).pipe(
  Command.withDescription("List the tools with their risk: safe runs, medium asks, high asks with a warning"),
  Command.withExamples([{ command: "task-conductor tools list", description: "Names, risks, descriptions" }])
)

/** The command. */
export const tools = Command.make("tools").pipe(
  Command.withDescription("What a task can call"),
  Command.withExamples([{ command: "task-conductor tools list --json", description: "Everything about every tool" }]),
  Command.withSubcommands([list])
)
