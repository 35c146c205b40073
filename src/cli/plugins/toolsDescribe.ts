/**
 * `task-conductor tools describe NAME`: everything about one tool, with the text that a model sees.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import { toolPage } from "../../domain/tools/ToolPage.ts"
import { toolInstructions } from "../../domain/models/ToolText.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { runFlags } from "../run/runFlags.ts"

export const toolsDescribe = Command.make(
  "describe",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription('The name of a tool, as shown by "tools list": read_file')
    ),
    project: runFlags.project,
    plugin: runFlags.plugin,
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print one JSON object: task-conductor tools describe read_file --json"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("tools describe")(function* ({ json, name, plugin, project }) {
    const { print, result, tell } = yield* Output
    const { readCatalogue } = yield* Effect.promise(() => import("./catalogueHandler.ts"))
    const { problems, tools } = yield* readCatalogue(project, plugin)
    for (const problem of problems) yield* tell(`note: ${printable(problem.message)}`)
    const found = tools.find((tool) => tool.name === name)
    if (found === undefined) {
      const near = nearestOrAll(
        name,
        tools.map((tool) => tool.name)
      )
      return yield* usageFailure(`There is no tool ${JSON.stringify(name)}. Use one of: ${near.join(", ")}.`)
    }
    const instructions = toolInstructions([found])
    if (json) return yield* result(outputJson({ ...found, instructions }, 2))
    yield* print(printableLines(`${toolPage(found)}\n\nA model sees:\n\n${instructions}`))
  })
).pipe(
  Command.withDescription("Show all details of a tool: parameters, risk, errors, and the text that a model sees"),
  Command.withExamples([{ command: "task-conductor tools describe read_file", description: "Show one tool" }])
)
