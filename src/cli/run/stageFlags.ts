/**
 * What the commands of single stages share: their flags, and the results that they are given as files.
 */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { StagePlace } from "../../app/stages.ts"
import { promptOfPlan } from "../../domain/documents/TaskListFormat.ts"
import type { GivenResult } from "../../services/pipeline/SingleStages.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { readInput } from "../terminal/Input.ts"
import { plainFlag, verboseFlag } from "../terminal/outcome.ts"
import { type ModelFlags, modelFlags } from "./modelFlags.ts"
import { flagConfiguration, runFlags } from "./runFlags.ts"

/** Where the stage works, what it is given, and what is printed. */
export const stageFlags = {
  result: Flag.String("result").pipe(
    Flag.withMetavar("PATH"),
    Flag.withDescription(
      "The result of a finished task, in a file named after the task, or a folder of such files: --result results/research-1.md; repeatable"
    ),
    Flag.atLeast(0)
  ),
  model: runFlags.model,
  ...modelFlags,
  project: runFlags.project,
  allow: runFlags.allow,
  deny: runFlags.deny,
  plugin: runFlags.plugin,
  printPrompt: Flag.Boolean("print-prompt").pipe(
    Flag.withDescription("Print the prompt that would be sent, and do not ask the model"),
    Flag.withDefault(false)
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print one JSON object"), Flag.withDefault(false)),
  plain: plainFlag,
  verbose: verboseFlag
}

/** The values of the shared flags. */
export interface StageFlags extends ModelFlags {
  readonly result: ReadonlyArray<string>
  readonly model: Option.Option<string>
  readonly project: string
  readonly allow: ReadonlyArray<string>
  readonly deny: ReadonlyArray<string>
  readonly plugin: ReadonlyArray<string>
}

/** The files that a path of --result means. */
const filesAt = Effect.fnUntraced(function* (given: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.option(fs.readDirectory(given))
  if (Option.isNone(names)) return [given]
  const files = names.value.filter((name) => name.endsWith(".md")).toSorted()
  if (files.length === 0) return yield* usageFailure(`There is no result in ${given}. Results are files NAME.md.`)
  return files.map((name) => path.join(given, name))
})

const readResultFiles = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const path = yield* Path.Path
  const files = (yield* Effect.forEach(given, filesAt)).flat()
  return yield* Effect.forEach(files, (file) =>
    Effect.map(readInput(file), (document): GivenResult => ({ name: path.basename(file, ".md"), document }))
  )
})

/** Where the stage works, and the results that it is given. */
export const readStage = Effect.fn("readStage")(function* (flags: StageFlags) {
  const given = flagConfiguration({ ...flags, parallel: Option.none() })
  const place: StagePlace = { project: flags.project, given }
  return { place, results: yield* readResultFiles(flags.result) }
})

/** The plan of a stage, with its prompt and the file in view. */
export const readPlanStage = Effect.fn("readPlanStage")(function* (given: {
  readonly plan: string
  readonly file: Option.Option<string>
}) {
  const plan = yield* readInput(given.plan)
  const currentFile = Option.isSome(given.file) ? { currentFile: given.file.value } : {}
  return { plan, prompt: promptOfPlan(plan, given.plan), ...currentFile }
})
