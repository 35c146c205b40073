/**
 * Checks what a run in a project needs: configuration, server, models, sandbox, folders. Changes nothing and loads no
 * plugin. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { Finding } from "../domain/configuration/Diagnosis.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { belowHome } from "../domain/text/Format.ts"
import { memoryText } from "../domain/models/ModelMemory.ts"
import type { InstalledModel } from "../domain/models/InstalledModel.ts"
import { projectFileName } from "../services/configuration/ConfigurationFile.ts"
import { Commands } from "../services/commands/Commands.ts"
import { Sandbox } from "../services/commands/Sandbox.ts"
import { programTrial } from "../domain/commands/CommandText.ts"
import { byUse, folderOf, programOf } from "../domain/map/ProjectCommands.ts"
import { readCommands } from "../services/map/MapReader.ts"
import { layerCommands } from "./layers.ts"
import { isFolder, isThere } from "../services/files/FileLook.ts"
import type { UserFolders } from "../services/configuration/UserFolders.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { secretReaderOf } from "./ownPlugins.ts"
import type { ModelUnchosen } from "./ModelUnchosen.ts"
import { type FittedSetup, fitSetup, withPluginProviders } from "./modelChoice.ts"
import { askServer, listInstalled, patience } from "./serverModels.ts"
import { modelNames, providerOfRun, readSetup, type Setup } from "./setup.ts"

type MakeFinding = (name: string, what: string, remedy?: string) => Finding

export const ok: MakeFinding = (name, what) => ({ name, state: "ok", what })
export const note: MakeFinding = (name, what, remedy) => ({ name, state: "note", what, remedy })
export const problem: MakeFinding = (name, what, remedy) => ({ name, state: "problem", what, remedy })

/** The message without its period, for use within a sentence. */
export const clause = ({ message }: { readonly message: string }): string => message.replace(/\.$/, "")

/** Checks that the server of the run answers. */
const serverFinding = (setup: Setup) =>
  askServer(setup, ({ greeting }) => greeting, { patience }).pipe(
    Effect.match({
      onSuccess: (what = "not needed by the built-in demo") => ok("server", what),
      onFailure: ({ reason, what }) =>
        reason._tag === "Refused"
          ? problem("server", `${setup.settings.host} does not tell its version (${what})`, reason.remedy)
          : problem("server", `no answer from ${setup.settings.host} (${what})`, providerOfRun(setup).server?.remedy)
    })
  )

const demo = note(
  "model",
  "embedded, the built-in demo, which only searches and quotes",
  "Choose a model of an Ollama server: task-conductor init."
)

const unchosen = ({ models }: ModelUnchosen): Finding => {
  if (models.length > 0) {
    const remedy = "Choose one for good: task-conductor init. Or for one run: --model NAME."
    const what = `no model is chosen; the server has ${models.join(", ")}`
    return { ...problem("model", what, remedy), choices: models }
  }
  const remedy = "Get one, for example: ollama pull qwen3:8b (5 GB)."
  return problem("model", "the server has no model that can write text", remedy)
}

/** The finding about the abilities of a model. `fitSetup` has refused models that cannot write text. */
const abilitiesFinding = ({ abilities: { thinking, tools } }: InstalledModel): Finding => {
  const thinks = thinking ? "thinks" : "does not think"
  if (tools) return ok("abilities", `writes text, calls tools, ${thinks}`)
  const remedy = 'For "ask", choose a model with tools: task-conductor models. "run" needs none.'
  return note("abilities", `writes text, ${thinks}, calls no tools, which "ask" needs`, remedy)
}

const windowFinding = ({ setup, windowNote }: FittedSetup, model: InstalledModel | undefined): Finding => {
  const { contextWindow } = setup.settings
  const loaded = model?.capacity.loadedWindow
  const what = windowNote === undefined ? `${contextWindow} tokens` : clause({ message: windowNote.text })
  if (windowNote?.isLowered === true) return note("window", what)
  if (loaded === undefined || loaded === contextWindow) return ok("window", what)
  const again = `the server loaded it with ${loaded}; it reloads it for the first call`
  return note("window", `${contextWindow} tokens; ${again}`)
}

/** A note about a loaded model that exceeds the graphics memory, and is therefore slow. */
const memoryFindings = (model: InstalledModel | undefined): ReadonlyArray<Finding> => {
  const what = model?.memory === undefined ? undefined : memoryText(model.memory, model.size)
  return what === undefined ? [] : [note("memory", `loaded ${what}`)]
}

const modelFindings = Effect.fnUntraced(function* (fitted: FittedSetup) {
  const { setup } = fitted
  const [name = "", ...ofStages] = modelNames(setup)
  const installed = (yield* askServer(setup, listInstalled)) ?? []
  const model = installed.find((one) => one.name === name || one.name === `${name}:latest`)
  return [
    ok("model", name),
    ...ofStages.map((one) => ok("model", `${one}, for one stage`)),
    ...(fitted.modelNotes ?? []).map((what) => note("model", what)),
    ...(model === undefined ? [] : [abilitiesFinding(model)]),
    windowFinding(fitted, model),
    ...memoryFindings(model)
  ]
})

/** Findings about the models of a setup whose server answers. */
const diagnoseModels = (setup: Setup) =>
  providerOfRun(setup).server === undefined
    ? Effect.succeed([demo])
    : fitSetup(setup, {}).pipe(
        Effect.flatMap(modelFindings),
        Effect.catch((error) =>
          Effect.succeed([error._tag === "ModelUnchosen" ? unchosen(error) : problem("model", clause(error))])
        )
      )

/** The nearest existing folder above a path. */
const existingAbove = Effect.fnUntraced(function* (given: string) {
  const path = yield* Path.Path
  let folder = given
  while (!(yield* isThere(folder))) folder = path.dirname(folder)
  return folder
})

/** Findings about the sandbox, and about working copies for commands. */
const commandFindings = Effect.fnUntraced(function* (setup: Setup) {
  const path = yield* Path.Path
  const { configuration, folders, project } = setup
  const near = yield* existingAbove(folders.state)
  const options = {
    environment: process.env,
    home: folders.home,
    hidden: [folders.settings, folders.state, ...folders.candidates],
    /* If the state folder does not exist yet, the trial uses a folder that is removed afterwards. */
    scratch: near === folders.state ? path.join(near, "copies") : path.join(near, ".task-conductor-trial"),
    sandbox: configuration.sandbox
  }
  const look = Effect.gen(function* () {
    const { denial, sandboxed, words } = yield* (yield* Sandbox).state
    const state = words.replace(/^(?:yes|no|partly): /, "")
    const remedy = "Commands ask before they run. For a sandbox, install bubblewrap: apt-get install bubblewrap."
    const isOff = configuration.sandbox?.mode === "off"
    const withoutSandbox =
      denial === undefined
        ? note("sandbox", state, isOff ? undefined : remedy)
        : note("sandbox", `${state}, so commands cannot run`, remedy)
    const copies = yield* (yield* Commands).copies
    const copy =
      copies.mechanism === "none"
        ? note("working copy", `none: ${copies.words}; changes are checked after they are made`)
        : ok("working copy", `changes are checked before they are made, in ${copies.words}`)
    return [sandboxed ? ok("sandbox", state) : withoutSandbox, copy]
  })
  return yield* look.pipe(
    Effect.provide(
      Layer.merge(Sandbox.layer(options), Commands.layer(options)).pipe(
        Layer.provide(Layer.merge(Workspace.layer(project), RunEvents.layerSilent))
      )
    ),
    Effect.catch((error) => Effect.succeed([problem("sandbox", clause(error))]))
  )
})

/** The maximum number of programs that are tried. */
const mostTried = 6

/** The time limit for each program, in seconds. */
const trialSeconds = 20

/** Checks that start the same program in the same folder. */
interface CheckGroup {
  readonly runs: ReadonlyArray<string>
  readonly cwd: string
}

/** Groups the project's checks. For each group, one command asks the group's program for its version. */
const checksOf = Effect.gen(function* () {
  const commands = yield* readCommands(process.env["PATH"] ?? "")
  const checks = byUse(commands.filter(({ kind }) => kind === "types" || kind === "tests"))
  const groups = new Map<string, { readonly cwd: string; readonly runs: Set<string> }>()
  for (const check of checks) {
    const cwd = programOf(check).includes("/") ? folderOf(check.from) || "." : "."
    const key = [cwd, ...programTrial(check.run)].join("\n")
    const group = groups.get(key) ?? { cwd, runs: new Set() }
    groups.set(key, group)
    group.runs.add(cwd === "." ? check.run : `${check.run} in ${cwd}`)
  }
  return [...groups.values()].slice(0, mostTried).map(({ cwd, runs }): CheckGroup => ({ cwd, runs: [...runs] }))
})

const shownRuns = (runs: ReadonlyArray<string>): string =>
  runs.length > 3 ? `${runs.slice(0, 3).join(", ")} and ${runs.length - 3} more` : runs.join(", ")

/** Tries to start a program in the sandbox, in a read-only project. */
const trialFinding = Effect.fnUntraced(function* ({ cwd, runs }: CheckGroup) {
  const commands = yield* Commands
  const trial = programTrial(runs[0] ?? "")
  const [program] = trial
  const checks = shownRuns(runs)
  const outcome = yield* Effect.result(
    Effect.flatMap(commands.canonical({ _tag: "RunCommand", argv: trial, cwd }), (command) =>
      command.sandboxed ? commands.run(command, { seconds: trialSeconds, isTrial: true }) : Effect.succeed(undefined)
    )
  )
  if (Result.isFailure(outcome)) return note("checks", `${checks}: ${outcome.failure.message}`)
  const { exitCode = 0, output = "", sandboxHint } = outcome.success ?? {}
  /* Without a sandbox the program was not started, because the user has not approved it. */
  if (exitCode === 0)
    return ok("checks", `${checks}: ${program} ${outcome.success === undefined ? "is installed" : "starts"}`)
  const [first = ""] = output.trim().split("\n")
  return note(
    "checks",
    `${checks}: ${program} does not start in the sandbox (exit code ${exitCode}: ${first.slice(0, 200)})`,
    sandboxHint ?? `Try it: ${trial.join(" ")}.`
  )
})

/** One finding for each program of the project's checks. */
const checkFindings = ({
  configuration,
  folders,
  project,
  settings
}: Pick<Setup, "configuration" | "folders" | "project" | "settings">) =>
  Effect.flatMap(checksOf, (checks) => Effect.forEach(checks, trialFinding)).pipe(
    Effect.provide(
      layerCommands(folders, { ...settings, sandbox: configuration.sandbox ?? {} }).pipe(
        Layer.provideMerge(Layer.merge(Workspace.layer(project), RunEvents.layerSilent))
      )
    ),
    Effect.orElseSucceed((): ReadonlyArray<Finding> => [])
  )

const stateFinding = Effect.fnUntraced(function* ({ home, state }: UserFolders) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* existingAbove(state)
  const usable = yield* fs.access(folder, { writable: true }).pipe(
    Effect.andThen(isFolder(folder)),
    Effect.orElseSucceed(() => false)
  )
  if (usable) return ok("saved runs", belowHome(state, home))
  const what = `${folder} is not a folder that you can write to, so no run can be saved in ${state}`
  return problem("saved runs", what, "Make it writable, or set XDG_STATE_HOME to another folder.")
})

/** The configuration files in use, and notes about unusable ones. */
export const configurationFindings = Effect.fnUntraced(function* ({
  folders,
  project,
  userFile
}: Pick<Setup, "folders" | "project" | "userFile">) {
  const path = yield* Path.Path
  const files = yield* Effect.filter([path.join(project, projectFileName), userFile.path], isThere)
  const shown = (file: string): string => belowHome(file, folders.home)
  const what =
    files.length === 0 ? `none; task-conductor init writes ${shown(userFile.path)}` : files.map(shown).join(", ")
  return [ok("configuration", what), ...folders.notes.map((one) => note("configuration", one))]
})

/**
 * Findings about the secrets of the user's configuration. Their commands are not run, because a keychain might ask the
 * user.
 */
const secretFindings = (setup: Setup) => {
  const readSecret = secretReaderOf(setup)
  return Effect.forEach(Object.entries(setup.configuration.secrets ?? {}), ([name, source]) => {
    if ("command" in source)
      return Effect.succeed(ok("secret", `${name}, from a command that runs when a plugin needs it`))
    return Effect.map(readSecret(name), (secret) =>
      Result.isSuccess(secret) ? ok("secret", name) : problem("secret", `${name}: ${secret.failure}`)
    )
  })
}

/** Findings about the server and the models only, in a few seconds, for `welcome`. */
export const quickDiagnosis = Effect.fn("quickDiagnosis")(function* (setup: Setup) {
  const server = yield* serverFinding(setup)
  return server.state === "problem" ? [server] : [server, ...(yield* diagnoseModels(setup))]
})

/**
 * Returns the findings of `look` about the setup. If the configuration cannot be read, this problem is the only
 * finding.
 */
export const withSetup = <E extends { readonly message: string }, R, E2, R2>(
  read: Effect.Effect<Setup, E, R>,
  look: (setup: Setup) => Effect.Effect<ReadonlyArray<Finding>, E2, R2>
) =>
  Effect.matchEffect(read, {
    onFailure: ({ message }) => Effect.succeed([problem("configuration", message)]),
    onSuccess: look
  })

/** All findings for a run in this project. `given` contains flags. */
export const diagnose = (project: string, given: Configuration) =>
  withSetup(
    Effect.flatMap(readSetup(project, given), (setup) => withPluginProviders(setup)),
    Effect.fnUntraced(function* (setup) {
      return [
        ...(yield* configurationFindings(setup)),
        ...(yield* secretFindings(setup)),
        ...(setup.models.leftOut ?? []).map((why) => problem("plugin", why)),
        ...(yield* quickDiagnosis(setup)),
        ...(yield* commandFindings(setup)),
        ...(yield* checkFindings(setup)),
        yield* stateFinding(setup.folders)
      ]
    })
  )
