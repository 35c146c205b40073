/**
 * `task-conductor tools`: what a task can call.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { type ToolInfo, builtInOrigin } from "../../domain/tools/ToolCall.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable } from "../../domain/text/Printable.ts"
import { Output } from "../terminal/Output.ts"
import { runFlags } from "../run/runFlags.ts"
import { toolsDescribe } from "./toolsDescribe.ts"

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
    json: Flag.Boolean("json").pipe(
      Flag.withDescription("Print a JSON array with parameters and examples: task-conductor tools list --json"),
      Flag.withDefault(false)
    )
  },
  Effect.fn("tools list")(function* ({ json, plugin, project }) {
    const { print, result, resultPaint, tell } = yield* Output
    const { readCatalogue } = yield* Effect.promise(() => import("./catalogueHandler.ts"))
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

/** The command. */
export const tools = Command.make("tools").pipe(
  Command.withDescription("List and describe the tools that a task can call"),
  Command.withExamples([
    { command: "task-conductor tools list --json", description: "List all details of every tool" }
  ]),
  Command.withSubcommands([list, toolsDescribe])
)
