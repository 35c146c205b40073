/**
 * `task-conductor tools`: what a task can call.
 */
import * as Effect from "effect/Effect"
import { switchFlag } from "../terminal/Flags.ts"
import { type ToolInfo, builtInOrigin } from "../../domain/tools/ToolCall.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { toolPage } from "../../domain/tools/ToolPage.ts"
import { toolInstructions } from "../../domain/models/ToolText.ts"
import { runFlags } from "../run/runFlags.ts"
import { Output } from "../terminal/Output.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { readCatalogue } from "./catalogue.ts"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"

/** The first line of the description, with the plugin that the tool is from. */
const summaryOf = ({ description, origin }: ToolInfo): string => {
  const [first = ""] = description.split("\n", 1)
  return printable(origin === builtInOrigin ? first : `${first} (plugin ${origin})`)
}

const list = Command.make(
  "list",
  {
    project: runFlags.project,
    plugin: runFlags.plugin,
    json: switchFlag("json", "Print a JSON array with parameters and examples: task-conductor tools list --json")
  },
  Effect.fn("tools list")(function* ({ json, plugin, project }) {
    const { print, result, resultPaint, tell } = yield* Output
    const { problems, tools } = yield* readCatalogue(project, plugin)
    for (const problem of problems) yield* tell(`note: ${printable(problem.message)}`)
    if (json) return yield* result(outputJson(tools, 2))
    const width = Math.max(...tools.map((tool) => tool.name.length))
    yield* print(
      tools
        .map((tool) => [resultPaint.bold(tool.name.padEnd(width)), tool.risk.padEnd(6), summaryOf(tool)].join("  "))
        .join("\n")
    )
  })
).pipe(
  Command.withDescription("List the tools with their risk: safe runs, medium asks, high asks with a warning"),
  Command.withExamples([{ command: "task-conductor tools list", description: "Names, risks, descriptions" }])
)

const describe = Command.make(
  "describe",
  {
    name: Argument.String("NAME").pipe(
      Argument.withDescription('The name of a tool, as shown by "tools list": read_file')
    ),
    project: runFlags.project,
    plugin: runFlags.plugin,
    json: switchFlag("json", "Print one JSON object: task-conductor tools describe read_file --json")
  },
  Effect.fn("tools describe")(function* ({ json, name, plugin, project }) {
    const { print, result, tell } = yield* Output
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

/** The command. */
export const tools = Command.make("tools").pipe(
  Command.withDescription("List and describe the tools that a task can call"),
  Command.withExamples([
    { command: "task-conductor tools list --json", description: "List all details of every tool" }
  ]),
  Command.withSubcommands([list, describe])
)
