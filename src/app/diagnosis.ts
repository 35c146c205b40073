/**
 * Looks at what a run in a project needs: configuration, server, models, sandbox, folders. It changes nothing and loads no
 * plugin. Part of the composition root.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { Finding } from "../domain/checking/Diagnosis.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { providerOf } from "../domain/models/ModelName.ts"
import { belowHome } from "../domain/text/Format.ts"
import { projectFileName } from "../services/configuration/ConfigurationFile.ts"
import { Sandbox } from "../services/commands/Sandbox.ts"
import { Workspace } from "../services/files/Workspace.ts"
import { OllamaServer } from "../services/providers/ollama/OllamaServer.ts"
import { OpenAiServer } from "../services/providers/openai/OpenAiServer.ts"
import { RunEvents } from "../services/runs/RunEvents.ts"
import { serverOf } from "./chosenModel.ts"
import { diagnoseModels } from "./modelDiagnosis.ts"
import { readSetup, type Setup } from "./setup.ts"

/** A person is waiting: a server that hangs is told of soon. */
const patience = Duration.seconds(2)

const layerServer = (setup: Setup) => OllamaServer.layer({ ...serverOf(setup), timeout: patience })

/** Whether a server of the API of OpenAI answers, which has no word for what it is. */
const openAiFinding = (setup: Setup, host: string) =>
  Effect.result(Effect.flatMap(OpenAiServer, ({ models }) => models)).pipe(
    Effect.map(
      Result.match({
        onSuccess: ({ length }): Finding => ({
          name: "server",
          state: "ok",
          what: `the API of OpenAI at ${host}, with ${length} ${length === 1 ? "model" : "models"}`
        }),
        onFailure: ({ what }): Finding => ({
          name: "server",
          state: "problem",
          what: `none answers at ${host} (${what})`,
          remedy:
            'Start it, or set OPENAI_BASE_URL, or "openaiBaseUrl" in your configuration; a key goes into OPENAI_API_KEY.'
        })
      })
    ),
    Effect.provide(OpenAiServer.layer({ ...serverOf(setup), timeout: patience }))
  )

const serverFinding = Effect.fnUntraced(function* (setup: Setup) {
  const { configuration, settings } = setup
  const { host } = settings
  if (configuration.model === "embedded") {
    const finding: Finding = { name: "server", state: "ok", what: "not needed by the built-in demo" }
    return finding
  }
  if (providerOf(configuration.model ?? "") === "openai") return yield* openAiFinding(setup, host)
  const answered = yield* Effect.result((yield* OllamaServer).version)
  const finding: Finding = Result.match(answered, {
    onSuccess: (version) => ({ name: "server", state: "ok", what: `Ollama ${version} at ${host}` }),
    onFailure: ({ what }) => ({
      name: "server",
      state: "problem",
      what: `none answers at ${host} (${what})`,
      remedy:
        'Start it with "ollama serve", or get it from https://ollama.com/download. For a server elsewhere, set OLLAMA_HOST.'
    })
  })
  return finding
})

const sandboxFinding = (setup: Setup) => {
  const { configuration, folders, project } = setup
  return Sandbox.use(({ state }) => state).pipe(
    Effect.map(({ denial, sandboxed, words }): Finding => {
      const what = words.replace(/^(?:yes|no): /, "")
      if (sandboxed) return { name: "sandbox", state: "ok", what }
      const remedy = "Commands ask before they run. For a sandbox, install bubblewrap: apt-get install bubblewrap."
      return denial === undefined
        ? { name: "sandbox", state: "note", what, ...(configuration.sandbox?.mode === "off" ? {} : { remedy }) }
        : { name: "sandbox", state: "note", what: `${what}, so that no command runs`, remedy }
    }),
    Effect.provide(
      Sandbox.layer({
        environment: process.env,
        home: folders.home,
        hidden: [folders.own, folders.state],
        ...(configuration.sandbox === undefined ? {} : { sandbox: configuration.sandbox })
      }).pipe(Layer.provide(Layer.merge(Workspace.layer(project), RunEvents.layerSilent)))
    ),
    Effect.catch(({ message }) =>
      Effect.succeed<Finding>({ name: "sandbox", state: "problem", what: message.replace(/\.$/, "") })
    )
  )
}

/** The nearest folder above a path that is there. */
const existingAbove = Effect.fnUntraced(function* (given: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  let folder = given
  while (!(yield* Effect.orElseSucceed(fs.exists(folder), () => false))) folder = path.dirname(folder)
  return folder
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
  const server = yield* Effect.provide(serverFinding(setup), layerServer(setup))
  return server.state === "problem" ? [server] : [server, ...(yield* diagnoseModels(setup))]
})

/** Everything that a run in this project needs. `given` are flags. */
export const diagnose = Effect.fn("diagnose")(function* (project: string, given: Configuration) {
  const read = yield* Effect.result(readSetup(project, given))
  if (Result.isFailure(read)) {
    const broken: Finding = { name: "configuration", state: "problem", what: read.failure.message }
    return [broken]
  }
  const setup = read.success
  return [
    ...(yield* configurationFindings(setup)),
    ...(yield* firstLook(setup)),
    yield* sandboxFinding(setup),
    yield* stateFinding(setup)
  ]
})
