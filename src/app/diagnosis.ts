/**
 * Looks at what a run in a project needs: configuration, server, models, sandbox, folders. It changes nothing and loads no
 * plugin. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { Finding } from "../domain/checking/Diagnosis.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { belowHome } from "../domain/text/Format.ts"
import type { InstalledModel } from "../domain/models/InstalledModel.ts"
import { projectFileName } from "../services/configuration/ConfigurationFile.ts"
import { Commands } from "../services/commands/Commands.ts"
import { Sandbox } from "../services/commands/Sandbox.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { checkFindings } from "./checkTrial.ts"
import type { ModelUnchosen } from "./ModelUnchosen.ts"
import { askServer, patience } from "./modelServer.ts"
import { type FittedSetup, fitWindow } from "./modelWindow.ts"
import { withPluginProviders } from "./pluginProviders.ts"
import { modelNames, providerOfRun, readSetup, type Setup } from "./setup.ts"

/** Whether the server of the run answers. */
const serverFinding = Effect.fnUntraced(function* (setup: Setup) {
  const { server } = providerOfRun(setup)
  const answered = yield* Effect.result(askServer(setup, ({ greeting }) => greeting, { patience }))
  const finding: Finding = Result.match(answered, {
    onSuccess: (what = "not needed by the built-in demo") => ({ name: "server", state: "ok", what }),
    onFailure: ({ what }) => ({
      name: "server",
      state: "problem",
      what: `none answers at ${setup.settings.host} (${what})`,
      remedy: server?.remedy
    })
  })
  return finding
})

const demo: Finding = {
  name: "model",
  state: "note",
  what: "embedded, the built-in demo, which only searches and quotes",
  remedy: "Choose a model of an Ollama server: task-conductor init."
}

const unchosen = ({ models }: ModelUnchosen): Finding =>
  models.length === 0
    ? {
        name: "model",
        state: "problem",
        what: "the server has no model that can write text",
        remedy: "Get one, for example: ollama pull qwen3:8b (5 GB)."
      }
    : {
        name: "model",
        state: "problem",
        what: `none is chosen; the server has ${models.join(", ")}`,
        remedy: "Choose one for good: task-conductor init. Or for one run: --model NAME.",
        choices: models
      }

const abilities = ({ completion, thinking, tools }: InstalledModel): Finding => {
  if (!completion) {
    return { name: "abilities", state: "problem", what: "it cannot write text", remedy: "Choose another with --model." }
  }
  const thinks = thinking ? "thinks" : "does not think"
  if (tools) return { name: "abilities", state: "ok", what: `writes text, calls tools, ${thinks}` }
  const remedy = 'For "ask", choose a model with tools: task-conductor models. "run" needs none.'
  return { name: "abilities", state: "note", what: `writes text, ${thinks}, calls no tools, which "ask" needs`, remedy }
}

const windowFinding = ({ isLowered, note, setup }: FittedSetup, model: InstalledModel | undefined): Finding => {
  const { contextWindow } = setup.settings
  const loaded = model?.loadedWindow
  const what = note === undefined ? `${contextWindow} tokens` : note.replace(/\.$/, "")
  if (isLowered) return { name: "window", state: "note", what }
  if (loaded === undefined || loaded === contextWindow) return { name: "window", state: "ok", what }
  const again = `the server has loaded it with ${loaded}, and loads it anew for the first call`
  return { name: "window", state: "note", what: `${contextWindow} tokens; ${again}` }
}

/** Models that are there, by their resolved names. */
const found = Effect.fnUntraced(function* (fitted: FittedSetup) {
  const { setup } = fitted
  const [name = "", ...ofStages] = modelNames(setup)
  const installed = (yield* askServer(setup, ({ inventory = Effect.succeed([]) }) => inventory)) ?? []
  const model = installed.find((one) => one.name === name || one.name === `${name}:latest`)
  const notes = (fitted.modelNotes ?? []).map((what): Finding => ({ name: "model", state: "note", what }))
  const findings: ReadonlyArray<Finding> = [
    { name: "model", state: "ok", what: name },
    ...ofStages.map((one): Finding => ({ name: "model", state: "ok", what: `${one}, for single stages` })),
    ...notes,
    ...(model === undefined ? [] : [abilities(model)]),
    windowFinding(fitted, model)
  ]
  return findings
})

/** The models of a setup; its server is known to answer. */
const diagnoseModels = (setup: Setup) =>
  providerOfRun(setup).server === undefined
    ? Effect.succeed([demo])
    : fitWindow(setup, {}).pipe(
        Effect.flatMap(found),
        Effect.catch((error) => {
          const problem: Finding =
            error._tag === "ModelUnchosen"
              ? unchosen(error)
              : { name: "model", state: "problem", what: error.message.replace(/\.$/, "") }
          return Effect.succeed([problem])
        })
      )

/** The nearest folder above a path that is there. */
const existingAbove = Effect.fnUntraced(function* (given: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  let folder = given
  while (!(yield* Effect.orElseSucceed(fs.exists(folder), () => false))) folder = path.dirname(folder)
  return folder
})

/** What commands run in, and how those of a task see what it proposes. */
const commandFindings = Effect.fnUntraced(function* (setup: Setup) {
  const path = yield* Path.Path
  const { configuration, folders, project } = setup
  const near = yield* existingAbove(folders.state)
  const options = {
    environment: process.env,
    home: folders.home,
    hidden: [folders.own, folders.state, ...folders.candidates],
    /* Nothing stays of a folder that is made for the trial. */
    scratch: near === folders.state ? path.join(near, "copies") : path.join(near, ".task-conductor-trial"),
    sandbox: configuration.sandbox
  }
  const look = Effect.gen(function* () {
    const { denial, sandboxed, words } = yield* (yield* Sandbox).state
    const what = words.replace(/^(?:yes|no): /, "")
    const remedy = "Commands ask before they run. For a sandbox, install bubblewrap: apt-get install bubblewrap."
    const withoutSandbox: Finding =
      denial === undefined
        ? { name: "sandbox", state: "note", what, ...(configuration.sandbox?.mode === "off" ? {} : { remedy }) }
        : { name: "sandbox", state: "note", what: `${what}, so that no command runs`, remedy }
    const copies = yield* (yield* Commands).copies
    const copy: Finding =
      copies.mechanism === "none"
        ? {
            name: "working copy",
            state: "note",
            what: `none: ${copies.words}; changes are checked after they are made`
          }
        : { name: "working copy", state: "ok", what: `changes are checked before they are made, in ${copies.words}` }
    return [sandboxed ? { name: "sandbox", state: "ok" as const, what } : withoutSandbox, copy]
  })
  return yield* look.pipe(
    Effect.provide(
      Layer.merge(Sandbox.layer(options), Commands.layer(options)).pipe(
        Layer.provide(Layer.merge(Workspace.layer(project), RunEvents.layerSilent))
      )
    ),
    Effect.catch(({ message }) =>
      Effect.succeed<ReadonlyArray<Finding>>([{ name: "sandbox", state: "problem", what: message.replace(/\.$/, "") }])
    )
  )
})

const stateFinding = Effect.fnUntraced(function* ({ folders: { home, state } }: Setup) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* existingAbove(state)
  const usable = yield* fs.access(folder, { writable: true }).pipe(
    Effect.andThen(fs.stat(folder)),
    Effect.map(({ type }) => type === "Directory"),
    Effect.orElseSucceed(() => false)
  )
  const finding: Finding = usable
    ? { name: "saved runs", state: "ok", what: belowHome(state, home) }
    : {
        name: "saved runs",
        state: "problem",
        what: `${folder} is no folder that you may write, so that no run can be saved in ${state}`,
        remedy: "Make it writable for you, or set XDG_STATE_HOME to a folder of yours."
      }
  return finding
})

/** The files that there are, and what could not be used. */
export const configurationFindings = Effect.fnUntraced(function* ({ folders, project, userFile }: Setup) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files = yield* Effect.filter([path.join(project, projectFileName), userFile], (file) =>
    Effect.orElseSucceed(fs.exists(file), () => false)
  )
  const found: ReadonlyArray<Finding> = [
    {
      name: "configuration",
      state: "ok",
      what:
        files.length === 0
          ? `none; yours would be ${belowHome(userFile, folders.home)}`
          : files.map((file) => belowHome(file, folders.home)).join(", ")
    },
    ...folders.notes.map((what): Finding => ({ name: "configuration", state: "note", what }))
  ]
  return found
})

/** Server and models only, for a first look; no longer than a few seconds. */
export const firstLook = Effect.fn("firstLook")(function* (setup: Setup) {
  const server = yield* serverFinding(setup)
  return server.state === "problem" ? [server] : [server, ...(yield* diagnoseModels(setup))]
})

/** Everything that a run in this project needs. `given` are flags. */
export const diagnose = Effect.fn("diagnose")(function* (project: string, given: Configuration) {
  const read = yield* Effect.result(Effect.flatMap(readSetup(project, given), (setup) => withPluginProviders(setup)))
  if (Result.isFailure(read)) {
    const broken: Finding = { name: "configuration", state: "problem", what: read.failure.message }
    return [broken]
  }
  const setup = read.success
  return [
    ...(yield* configurationFindings(setup)),
    ...(yield* firstLook(setup)),
    ...(yield* commandFindings(setup)),
    ...(yield* checkFindings(setup)),
    yield* stateFinding(setup)
  ]
})
