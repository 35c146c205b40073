/**
 * The tools of a server as tools of a run, with checked names, risks, descriptions and parameters. Only tools
 * that cannot be used are left out.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { cutAtParagraph } from "../../domain/text/Excerpt.ts"
import { mcpData } from "../../domain/plugins/McpResult.ts"
import { schemaExcess, mcpToolName, mcpToolEffect, mcpToolRisk } from "../../domain/plugins/McpTool.ts"
import { harmless } from "../../domain/text/Printable.ts"
import { type Arguments, ToolFailure } from "../../domain/tools/ToolCall.ts"
import { parameterSchema, jsonSchemaParameters } from "../../domain/tools/ToolSchema.ts"
import type { McpToolDefinition } from "./McpConnection.ts"
import { McpProblem } from "../plugins/PluginProblem.ts"
import type { McpServer } from "./McpServers.ts"
import type { SupervisedServer } from "./McpSupervisor.ts"
import { tool, type Tool, type Tools } from "../plugins/Plugin.ts"

const maxDescription = 2000

/** The description for the model: bounded text of the server without control characters. */
const descriptionOf = ({ description, name }: McpToolDefinition): string => {
  const text = cutAtParagraph(harmless(description).trim(), maxDescription).text
  return text === "" ? name : text
}

const parametersOf = ({ inputSchema }: McpToolDefinition) => {
  const excess = schemaExcess(inputSchema)
  if (excess !== undefined) return Result.fail(excess)
  const parameters = jsonSchemaParameters(inputSchema)
  if (Result.isFailure(parameters)) {
    return Result.fail(`the schema of its parameters cannot be read: ${parameters.failure}.`)
  }
  const isStruct = parameterSchema(parameters.success)["type"] === "object"
  return isStruct ? parameters : Result.fail("the schema of its parameters is not one of an object with properties.")
}

const toolOf = (
  server: McpServer,
  supervised: SupervisedServer,
  definition: McpToolDefinition
): Result.Result<Tool<Arguments>, string> =>
  Result.map(parametersOf(definition), (parameters) =>
    tool({
      description: descriptionOf(definition),
      parameters,
      risk: mcpToolRisk(server.entry, definition),
      effect: mcpToolEffect(server.entry, definition.name),
      revision: definition.hash,
      execute: (args) =>
        supervised.call(definition, args).pipe(
          Effect.mapError(({ detail, type }) => {
            const message = `The server "${server.name}" could not run the tool: ${detail}`
            return new ToolFailure({ type, message })
          }),
          Effect.flatMap((result) => Effect.fromResult(mcpData(definition.name, result)))
        )
    })
  )

/** The tools of a server by their names in this program. */
export const mcpTools = (
  server: McpServer,
  supervised: SupervisedServer
): { readonly tools: Tools; readonly leftOut: ReadonlyArray<McpProblem> } => {
  const tools = new Map<string, Tool<Arguments>>()
  const leave = (name: string, detail: string) => new McpProblem({ server: server.name, tool: name, detail })
  const leftOut = supervised.malformed.map((one) => leave(one.tool, `it is not well formed: ${one.detail}`))
  for (const definition of supervised.tools) {
    const name = mcpToolName(server.prefix, definition.name)
    const made = toolOf(server, supervised, definition)
    if (name === undefined) leftOut.push(leave(definition.name, "its name cannot become the name of a tool."))
    else if (tools.has(name))
      leftOut.push(leave(definition.name, `another tool of the server has the name ${name}, too.`))
    else if (Result.isFailure(made)) leftOut.push(leave(definition.name, made.failure))
    else tools.set(name, made.success)
  }
  return { tools: Object.fromEntries(tools), leftOut }
}
