/**
 * Tries whether the check commands that a project names can start in the sandbox: each program is asked for its version, in
 * a project that it cannot change. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { Finding } from "../domain/checking/Diagnosis.ts"
import { programTrial } from "../domain/commands/CommandText.ts"
import { commandsOf } from "../domain/map/MainFiles.ts"
import { byUse } from "../domain/map/ProjectCommands.ts"
import { Commands } from "../services/commands/Commands.ts"
import { readManifests } from "../services/map/MapReader.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { layerCommands } from "./projectLayers.ts"
import type { Setup } from "./setup.ts"

/** More programs are not tried, and none for longer than this. */
const mostTried = 6
const trialSeconds = 20

/** The checks that the manifests of the project name, by the program that runs them. */
const checksOf = Effect.gen(function* () {
  const { manifests } = yield* readManifests(() => Effect.succeed(true))
  const commands = manifests.flatMap(commandsOf)
  const checks = commands.filter(({ kind }) => kind === "types" || kind === "tests")
  const groups = new Map<
    string,
    { readonly trial: readonly [string, ...Array<string>]; readonly runs: Array<string> }
  >()
  for (const { run } of byUse(checks)) {
    const trial = programTrial(run)
    const group = groups.get(trial.join(" "))
    if (group === undefined) groups.set(trial.join(" "), { trial, runs: [run] })
    else group.runs.push(run)
  }
  return [...groups.values()].slice(0, mostTried)
})

const shownRuns = (runs: ReadonlyArray<string>): string =>
  runs.length > 3 ? `${runs.slice(0, 3).join(", ")} and ${runs.length - 3} more` : runs.join(", ")

/** Whether the program of some checks starts; `trial` is the command that asks for its version. */
const tried = Effect.fnUntraced(function* (runs: ReadonlyArray<string>, trial: readonly [string, ...Array<string>]) {
  const commands = yield* Commands
  const outcome = yield* Effect.result(
    Effect.flatMap(commands.canonical({ _tag: "RunCommand", argv: trial }), (command) =>
      command.sandboxed ? commands.run(command, { seconds: trialSeconds, isTrial: true }) : Effect.succeed(undefined)
    )
  )
  const name = "checks"
  const what = shownRuns(runs)
  if (Result.isFailure(outcome)) {
    const finding: Finding = { name, state: "note", what: `${what}: ${outcome.failure.message}` }
    return finding
  }
  const { exitCode = 0, output = "", sandboxHint } = outcome.success ?? {}
  if (exitCode === 0) {
    /* Without a sandbox nothing is run that nobody was asked about. */
    const does = outcome.success === undefined ? "is there" : "starts"
    const finding: Finding = { name, state: "ok", what: `${what}: ${trial[0]} ${does}` }
    return finding
  }
  const [first = ""] = output.trim().split("\n")
  const finding: Finding = {
    name,
    state: "note",
    what: `${what}: ${trial[0]} does not start in the sandbox (exit code ${exitCode}: ${first.slice(0, 200)})`,
    remedy: sandboxHint ?? `Look at it: ${trial.join(" ")}.`
  }
  return finding
})

/** A finding for each program that runs checks of the project; none for a project that names no checks. */
export const checkFindings = ({ configuration, folders, project, settings }: Setup) =>
  Effect.gen(function* () {
    const checks = yield* checksOf
    return yield* Effect.forEach(checks, ({ runs, trial }) => tried(runs, trial))
  }).pipe(
    Effect.provide(
      layerCommands(folders, { ...settings, sandbox: configuration.sandbox ?? {} }).pipe(
        Layer.provideMerge(Layer.merge(Workspace.layer(project), RunEvents.layerSilent))
      )
    ),
    Effect.orElseSucceed((): ReadonlyArray<Finding> => [])
  )
