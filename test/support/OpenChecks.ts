/**
 * The checks of a run over a real project folder, with real commands behind the real gate. Without a sandbox,
 * a working copy is put into the project while a command runs, so that the tests need no programs beside Node.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { builtIns } from "../../src/app/layers.ts"
import { chooseChecks, type KnownProject } from "../../src/domain/map/ChooseChecks.ts"
import { defaultLimits } from "../../src/domain/configuration/Limits.ts"
import type { ProposedFile } from "../../src/domain/files/ProposedFile.ts"
import type { Rule } from "../../src/domain/permissions/Permission.ts"
import { Checks } from "../../src/services/checks/Checks.ts"
import { ProjectChecks } from "../../src/services/checks/Checks.ts"
import { Commands } from "../../src/services/commands/Commands.ts"
import { CurrentCopy, makeWorkingCopy } from "../../src/services/files/WorkingCopy.ts"
import { Gate } from "../../src/services/permissions/Gate.ts"
import { RunAnswers } from "../../src/services/permissions/RunAnswers.ts"
import { RunSettings, type Settings } from "../../src/services/runs/RunSettings.ts"
import { ToolRegistry } from "../../src/services/tools/ToolRegistry.ts"
import type { SandboxSettings } from "../../src/domain/commands/CommandSettings.ts"
import { EventLog } from "./EventLog.ts"
import { layerCommands, layerWorld, type World } from "./layerWorld.ts"
import { makeProject } from "./Project.ts"

export interface OpenChecks extends Pick<World, "approver" | "activities"> {
  readonly files?: Readonly<Record<string, string>>
  /** A folder that is the project, instead of a new one with files. */
  readonly project?: string
  readonly checks?: Settings["checks"]
  readonly checkSeconds?: number
  readonly commands?: KnownProject["commands"]
  readonly rules?: ReadonlyArray<Rule>
  readonly sandbox?: SandboxSettings
}

/** Puts what the working copy of the fiber proposes into the project while a command runs. */
export const layerOnCopy = Layer.effect(
  Commands,
  Effect.gen(function* () {
    const commands = yield* Commands
    const fs = yield* FileSystem.FileSystem
    /* The time stays: a real working copy does not touch the project. */
    const put = (path: string, text: string | null) =>
      Effect.gen(function* () {
        if (text === null) return yield* fs.remove(path, { force: true })
        const before = yield* Effect.option(fs.stat(path))
        yield* fs.writeFileString(path, text)
        const time = Option.flatMap(before, ({ mtime }) => mtime)
        if (Option.isSome(time)) yield* fs.utimes(path, time.value, time.value)
      }).pipe(Effect.orDie)
    const each = (files: ReadonlyArray<ProposedFile>, side: "base" | "text") =>
      Effect.forEach(files, (file) => put(file.path, file[side]), { discard: true })
    return Commands.of({
      ...commands,
      copies: Effect.succeed({ mechanism: "copy", words: "the project itself, for a moment" }),
      run: Effect.fnUntraced(function* (command, options) {
        const files = (yield* CurrentCopy)?.files() ?? []
        yield* each(files, "text")
        const inProject = Effect.provideService(commands.run(command, options), CurrentCopy, undefined)
        return yield* Effect.ensuring(inProject, each(files, "base"))
      })
    })
  })
)

export const openChecks = Effect.fnUntraced(function* (given: OpenChecks) {
  const { files = {}, sandbox = { mode: "off" } } = given
  const root = given.project ?? (yield* makeProject(files))
  const world = Layer.mergeAll(
    layerWorld(root, given),
    RunSettings.layer({
      ...(given.checks === undefined ? {} : { checks: given.checks }),
      limits: { ...defaultLimits, checkSeconds: given.checkSeconds ?? 60 }
    }),
    Layer.succeed(ProjectChecks, (changed) =>
      Effect.succeed(chooseChecks({ files: Object.keys(files), commands: given.commands ?? [] }, changed))
    )
  )
  const commands = layerCommands({ sandbox })
  const context = yield* Checks.layer.pipe(
    Layer.provideMerge(Gate.layer({ rules: given.rules ?? [] })),
    Layer.provideMerge(ToolRegistry.layer([builtIns])),
    Layer.provideMerge(sandbox.mode === "off" ? Layer.provide(layerOnCopy, commands) : commands),
    Layer.provideMerge(world),
    Layer.build
  )
  return yield* Effect.provideContext(
    Effect.gen(function* () {
      const checks = yield* Checks
      const log = yield* EventLog
      const fs = yield* FileSystem.FileSystem
      /** Runs the checks of a turn for a task that proposes these texts. */
      const run = Effect.fnUntraced(function* (
        texts: Readonly<Record<string, string>>,
        turn = 1,
        task = "T",
        isPart = false
      ) {
        const copy = makeWorkingCopy()
        for (const [name, text] of Object.entries(texts)) {
          // While a check runs, the file may hold the text of another part. The base is the text before all changes.
          const base = files[name] ?? (yield* Effect.orElseSucceed(fs.readFileString(`${root}/${name}`), () => null))
          copy.propose({ path: `${root}/${name}`, base, text })
        }
        return yield* Effect.provideService(
          checks.run({ task, round: 1, turn, isPart }, Object.keys(texts)),
          CurrentCopy,
          copy
        )
      })
      return { root, answers: yield* RunAnswers, checks, log, run }
    }),
    context
  )
})
