/**
 * Creates tools from the commands of a configuration. The user's own declarations always apply. The declarations of a
 * project apply only if the user trusts exactly these declarations.
 */
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  type CommandTool,
  type DeclarationProblem,
  fillCommand,
  parametersOf,
  templateProblems
} from "../../domain/tools/CommandTool.ts"
import { commandText } from "../../domain/commands/CommandText.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { isToolName } from "../../domain/permissions/Permission.ts"
import type { Arguments } from "../../domain/tools/ToolCall.ts"
import { hashOf } from "../files/Hash.ts"
import { Gate } from "../permissions/Gate.ts"
import { beforeRun, questionOfAccess } from "../permissions/GateQuestion.ts"
import { runGranted } from "../commands/Commands.ts"
import { jsonSchemaParameters } from "../../domain/tools/ToolSchema.ts"
import { definePlugin, type Plugin, tool } from "./Plugin.ts"
import { declaredNotTrusted } from "./PluginProblem.ts"

type Declarations = NonNullable<Configuration["tools"]>

export interface DeclaredTools {
  readonly ofProject: Declarations
  readonly ofUser: Declarations
}

/** The codec of the parameters. It also checks that the parameters can be filled into the command. */
const parametersFor = (declared: CommandTool): Result.Result<Schema.Codec<Arguments, unknown>, string> =>
  Result.map(jsonSchemaParameters(parametersOf(declared), "apply"), (codec) =>
    codec.check(
      Schema.makeFilter((args: Arguments) =>
        Result.match(fillCommand(declared, args), {
          onSuccess: () => true,
          onFailure: (what) => what.replace(/\.$/, "")
        })
      )
    )
  )

export const declarationProblems = (name: string, declared: CommandTool): ReadonlyArray<DeclarationProblem> => {
  if (!isToolName(name)) {
    return [{ path: [], what: "the name of a tool is lower-case ASCII words joined by underscores." }]
  }
  const template = templateProblems(declared)
  if (template.length > 0) return template
  const parameters = parametersFor(declared)
  if (Result.isFailure(parameters))
    return [{ path: ["parameters"], what: `the schema cannot be used: ${parameters.failure}.` }]
  if (declared.example === undefined) return []
  const example = Schema.decodeResult(parameters.success)(declared.example, { onExcessProperty: "error" })
  return Result.isSuccess(example) ? [] : [{ path: ["example"], what: "the example does not fit the parameters." }]
}

/** A plugin with a single tool. If the name of the tool is taken, only this tool is skipped. */
const pluginOf = (origin: string, name: string, declared: CommandTool): Plugin =>
  definePlugin({
    name: origin,
    tools: Effect.sync(() => ({
      [name]: tool({
        description: declared.description,
        parameters: Result.getOrThrow(parametersFor(declared)),
        risk: "high",
        effect: "once",
        ...(declared.example === undefined ? {} : { example: declared.example }),
        access: (args) => [{ _tag: "RunCommand", argv: Result.getOrThrow(fillCommand(declared, args)) }],
        execute: (_given, { granted: [command] }) => runGranted(command, declared.timeoutSeconds)
      })
    }))
  })

const pluginsOf = (origin: string, tools: Declarations): ReadonlyArray<Plugin> =>
  Object.entries(tools).map(([name, declared]) => pluginOf(origin, name, declared))

const projectOrigin = "task-conductor.json"
const nameInRules = `tools of ${projectOrigin}`

/** Asks the user to trust the project's exact declarations. */
const trusted = Effect.fnUntraced(function* (tools: Declarations, project: string) {
  if (Object.keys(tools).length === 0) return []
  const gate = yield* Gate
  const hash = hashOf(tools)
  const path = (yield* Path.Path).join(project, projectOrigin)
  const does = Object.entries(tools).map(([name, { command }]) => `Tool ${name} runs: ${commandText(command)}`)
  yield* Effect.mapError(
    gate.authorize(questionOfAccess(beforeRun, { _tag: "LoadPlugin", name: nameInRules, path, hash, does })),
    ({ by }) => declaredNotTrusted(nameInRules, hash, by)
  )
  return pluginsOf(projectOrigin, tools)
})

/**
 * The tools that the user and the project declare, without tools of the project that are not trusted. `project` is an
 * absolute path.
 */
export const commandPlugins = Effect.fn("commandPlugins")(function* (project: string, declared: DeclaredTools) {
  const ofProject = yield* Effect.result(trusted(declared.ofProject, project))
  return {
    plugins: [...pluginsOf("user configuration", declared.ofUser), ...Result.getOrElse(ofProject, () => [])],
    problems: Result.isFailure(ofProject) ? [ofProject.failure] : []
  }
})
