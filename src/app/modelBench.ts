/**
 * Compares models on a small set of tasks: each plans three prompts and carries out one plan, in a temporary project and with
 * a temporary home. Nothing of the person is read but how their server is reached, and nothing of theirs is changed. Part
 * of the composition root.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { benchFiles, benchPlan, benchPrompt, benchPrompts } from "../domain/checking/BenchSet.ts"
import { type ModelScore, scoreOf } from "../domain/checking/BenchScore.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { Rule } from "../domain/permissions/Permission.ts"
import type { RunEvent } from "../domain/runs/RunEvent.ts"
import { layerRuleApprover } from "../services/approvals/Approver.ts"
import { Pipeline } from "../services/pipeline/Pipeline.ts"
import { fitWindow } from "./modelWindow.ts"
import { layerRun } from "./runLayers.ts"
import { renameModels, type Setup } from "./setup.ts"

/** Reading and writing in the temporary project is all that the tasks need. */
const rules: ReadonlyArray<Rule> = ["read_file", "write_file", "edit_file"].map((tool) => ({ verdict: "allow", tool }))

/** Receives the events of a model while it works. */
export type BenchListener = (model: string, event: RunEvent) => Effect.Effect<void>

/** What of the person's settings says how models are called. */
const callSettings = ({ configuration }: Setup): Configuration => {
  const { contextWindow, host, keepAlive, limits, sampling, think } = configuration
  return { contextWindow, host, keepAlive, think, sampling, limits: { ...limits, rounds: 1 } }
}

/** A setup with nothing of the person, in folders of its own. */
const makeSetup = Effect.fnUntraced(function* (given: Setup, model: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "task-conductor-bench-" }))
  const [project, home] = [path.join(root, "project"), path.join(root, "home")]
  for (const [name, text] of Object.entries(benchFiles)) {
    const file = path.join(project, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* fs.writeFileString(file, text)
  }
  const config = path.join(home, ".config")
  const [own, state] = [path.join(config, "task-conductor"), path.join(home, ".local", "state", "task-conductor")]
  const setup: Setup = {
    project,
    configuration: callSettings(given),
    settings: given.settings,
    rules: rules.map((rule) => ({ ...rule, source: "the comparison of models" })),
    plugins: [],
    tools: { ofProject: {}, ofUser: {} },
    folders: { home, config, own, state, locks: path.join(state, "locks"), candidates: [], notes: [] },
    userFile: path.join(own, "config.json"),
    usesDefaultModel: false,
    providers: given.providers,
    apiKey: given.apiKey
  }
  return renameModels(setup, new Map(), model)
})

/** The events of one piece of work in a project of its own. */
const eventsOf = Effect.fnUntraced(function* (
  given: Setup,
  model: string,
  listen: BenchListener,
  work: (pipeline: Pipeline["Service"]) => Effect.Effect<unknown, { readonly message: string }>
) {
  const { setup } = yield* fitWindow(yield* makeSetup(given, model), {})
  const events: Array<RunEvent> = []
  const context = {
    listen: ({ event }: { readonly event: RunEvent }) =>
      Effect.andThen(
        Effect.sync(() => void events.push(event)),
        listen(model, event)
      ),
    approveSteps: true,
    approver: layerRuleApprover(rules, setup.project)
  }
  yield* Pipeline.use(work).pipe(
    Effect.provide(layerRun(setup, context)),
    /* A model that cannot do it is what the comparison is about; what failed is in the events. */
    Effect.catch(() => Effect.void)
  )
  return events
}, Effect.scoped)

/** Tries one model. */
const tryModel = Effect.fnUntraced(function* (given: Setup, model: string, listen: BenchListener) {
  const planned = yield* Effect.forEach(benchPrompts, (prompt, index) =>
    eventsOf(given, model, listen, (pipeline) => pipeline.plan({ runId: `bench-${index + 1}`, prompt }))
  )
  const done = yield* eventsOf(given, model, listen, (pipeline) =>
    pipeline.run({ runId: "bench", prompt: benchPrompt, plan: benchPlan })
  )
  return scoreOf(model, [...planned, done])
})

/** Tries the models one after another, so that each has the server for itself. */
export const benchModels = Effect.fn("benchModels")(
  (
    given: Setup,
    models: ReadonlyArray<string>,
    listen: BenchListener
  ): Effect.Effect<
    ReadonlyArray<ModelScore>,
    Effect.Error<ReturnType<typeof tryModel>>,
    Effect.Services<ReturnType<typeof tryModel>>
  > => Effect.forEach(models, (model) => tryModel(given, model, listen))
)
