/**
 * The tools of a run over a real project folder, behind the real gate.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { defaultLimits } from "../../src/domain/configuration/Limits.ts"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import type { Arguments, ToolCall } from "../../src/domain/tools/ToolCall.ts"
import { builtIns } from "../../src/app/layers.ts"
import { Commands, type CommandsOptions } from "../../src/services/commands/Commands.ts"
import { Gate } from "../../src/services/permissions/Gate.ts"
import type { Plugin } from "../../src/services/tools/Plugin.ts"
import { ReadTexts } from "../../src/services/permissions/ReadTexts.ts"
import { RunAnswers } from "../../src/services/permissions/RunAnswers.ts"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import type { CallLimits } from "../../src/services/tools/CallLimits.ts"
import { ToolLimits } from "../../src/services/tools/ToolLimits.ts"
import { ToolRunner } from "../../src/services/tools/ToolRunner.ts"
import { KeptFiles } from "../../src/services/files/KeptFiles.ts"
import { CurrentCopy } from "../../src/services/files/WorkingCopy.ts"
import { EventLog } from "./EventLog.ts"
import { layerCommands, layerWorld, type World } from "./layerWorld.ts"
import { makeProject } from "./Project.ts"

export interface OpenTools extends Omit<World, "policies"> {
  readonly files?: Readonly<Record<string, string>>
  /** A folder that is the project, instead of a new one with files. */
  readonly project?: string
  /** Beside the built-in ones. */
  readonly plugins?: ReadonlyArray<Plugin>
  readonly rules?: ReadonlyArray<Rule>
  readonly readOnly?: boolean
  readonly limits?: Partial<CallLimits>
  /** How commands run; in the real sandbox, with the search path of this process, when absent. */
  readonly commands?: Partial<CommandsOptions>
  /** Where images and files of results are kept; nowhere when absent. */
  readonly kept?: KeptFiles
}

export const callOf = (name: string, given: Arguments = {}, uid = "call-1"): ToolCall => ({
  uid,
  name,
  arguments: given
})

export const openTools = Effect.fnUntraced(function* (given: OpenTools = {}) {
  const root = given.project ?? (yield* makeProject(given.files ?? {}))
  const context = yield* ToolRunner.layer({ ...defaultLimits, ...given.limits }).pipe(
    Layer.provideMerge(Gate.layer({ rules: given.rules ?? [], readOnly: given.readOnly ?? false })),
    Layer.provideMerge(
      Layer.provide(
        ToolRegistry.layer([builtIns, ...(given.plugins ?? [])]),
        Layer.succeed(ToolLimits)({ ...defaultLimits, ...given.limits })
      )
    ),
    Layer.provideMerge(layerCommands(given.commands)),
    Layer.provide(given.kept === undefined ? Layer.empty : Layer.succeed(KeptFiles)(given.kept)),
    Layer.provideMerge(layerWorld(root, given)),
    Layer.build
  )
  return yield* Effect.provideContext(
    Effect.gen(function* () {
      const runner = yield* ToolRunner
      /** Runs one call as task `T` of round 1, in the working copy where there is one. */
      const run = (name: string, args?: Arguments) =>
        Effect.flatMap(CurrentCopy, (copy) =>
          runner.run({ round: 1, task: "T", uid: "call-1" }, callOf(name, args), copy ?? "project")
        )
      return {
        root,
        run,
        answers: yield* RunAnswers,
        gate: yield* Gate,
        readTexts: yield* ReadTexts,
        registry: yield* ToolRegistry,
        log: yield* EventLog,
        commands: yield* Commands
      }
    }),
    context
  )
})
