/**
 * What is found of the models of a setup: whether they are there, what they can do, and which window they get. Part of the
 * composition root.
 */
import * as Effect from "effect/Effect"
import type { Finding } from "../domain/checking/Diagnosis.ts"
import type { InstalledModel } from "../domain/models/InstalledModel.ts"
import { providerOf } from "../domain/models/ModelName.ts"
import { readInventory } from "../services/providers/ollama/OllamaInventory.ts"
import { OllamaServer } from "../services/providers/ollama/OllamaServer.ts"
import { serverOf } from "./chosenModel.ts"
import type { ModelUnchosen } from "./ModelUnchosen.ts"
import { type FittedSetup, fitWindow } from "./modelWindow.ts"
import { modelNames, type Setup } from "./setup.ts"

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

/** Models that are there, by their settled names. */
const found = Effect.fnUntraced(function* (fitted: FittedSetup) {
  const { setup } = fitted
  const [name = "", ...ofStages] = modelNames(setup)
  // The API of OpenAI has no word for what a model can do.
  const installed =
    providerOf(name) === "openai" ? [] : yield* Effect.provide(readInventory, OllamaServer.layer(serverOf(setup)))
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
export const diagnoseModels = (setup: Setup) =>
  setup.configuration.model === "embedded"
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
