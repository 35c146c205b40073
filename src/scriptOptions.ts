/**
 * What a script may say about its work, and the layers that follow from it. The functions of index.ts share it.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { RunDoors } from "./app.ts"
import type { Configuration } from "./domain/Configuration.ts"
import type { GivenLimits } from "./domain/Limits.ts"
import type { RecordedEvent } from "./domain/RunEvent.ts"
import { Approver } from "./services/Approver.ts"
import { type Approve, layerCallback } from "./services/CallbackApprover.ts"
import { ConfigurationError } from "./services/ConfigurationFile.ts"
import type { Plugin } from "./services/Plugin.ts"
import { makeRunId } from "./services/RunId.ts"
import { readRunNotes } from "./services/RunNotes.ts"
import { readSetup, type Setup } from "./setup.ts"

/** What runs and conversations share. What is left out comes from the configuration files and the environment, as for the CLI. */
export interface ScriptOptions {
  /** The project folder; the current folder when absent. */
  readonly project?: string
  /** A name as for `--model`, or any language model of effect/ai. */
  readonly model?: string | Layer.Layer<LanguageModel.LanguageModel>
  readonly host?: string
  readonly contextWindow?: number
  readonly parallel?: number
  readonly limits?: GivenLimits
  readonly referenceBudget?: number
  /** Rules as `TOOL[:PATTERN]`. */
  readonly allow?: ReadonlyArray<string>
  readonly deny?: ReadonlyArray<string>
  /** Answers approvals; without it whatever needs one is denied. */
  readonly approve?: Approve
  /** Path of the file the person is looking at, relative to the project. */
  readonly file?: string
  /** Plugins as values, or as in a configuration file: packages by name and paths, looked for from the current folder. */
  readonly plugins?: ReadonlyArray<Plugin | string>
  /** Interrupts the run when it aborts. */
  readonly signal?: AbortSignal
}

const configurationOf = ({ model, ...given }: ScriptOptions): Configuration => ({
  ...(typeof model === "string" ? { model } : {}),
  ...(given.host === undefined ? {} : { host: given.host }),
  ...(given.contextWindow === undefined ? {} : { contextWindow: given.contextWindow }),
  ...(given.parallel === undefined ? {} : { parallel: given.parallel }),
  ...(given.referenceBudget === undefined ? {} : { referenceBudget: given.referenceBudget }),
  limits: given.limits ?? {},
  allow: given.allow ?? [],
  deny: given.deny ?? [],
  plugins: (given.plugins ?? []).filter((plugin) => typeof plugin === "string")
})

/** Options that contradict each other or name no tool. */
export const refuse = (what: string) => new ConfigurationError({ source: "options", problems: [{ what }] })

/** The events of a run, with what should be known before it starts right after the first. */
const withWarnings =
  (listen: (recorded: RecordedEvent) => void, warnings: ReadonlyArray<string>) =>
  (recorded: RecordedEvent): void => {
    listen(recorded)
    if (recorded.event.type !== "run.started") return
    for (const text of warnings) listen({ at: recorded.at, event: { type: "message", level: "warning", text } })
  }

/** The services that the notes before a run are read from. */
type Noted = Effect.Services<ReturnType<typeof readRunNotes>>

/** Builds the layers that the options ask for and works with them; `use` gets the id of the run. */
export const withLayers = <Out, LayerError, A, E>(
  options: ScriptOptions,
  listen: (recorded: RecordedEvent) => void,
  layerOf: (setup: Setup, doors: RunDoors) => Layer.Layer<Out | Noted, LayerError, NodeServices.NodeServices>,
  use: (runId: string) => Effect.Effect<A, E, Out>
) =>
  Effect.gen(function* () {
    const given = configurationOf(options)
    const setup = yield* readSetup(options.project ?? ".", given)
    let hear = listen
    const layer = layerOf(setup, {
      listen: (recorded) => Effect.sync(() => hear(recorded)),
      approveSteps: false,
      approver: options.approve === undefined ? Approver.layerDenyAll : layerCallback(options.approve),
      ...(typeof options.model === "object" ? { model: options.model } : {}),
      plugins: (options.plugins ?? []).filter((plugin) => typeof plugin !== "string")
    })
    const runId = yield* makeRunId
    return yield* Effect.gen(function* () {
      const { mistake, warnings } = yield* readRunNotes(setup.configuration, given)
      if (mistake !== undefined) return yield* refuse(`"${mistake.verdict}": "${mistake.rule}": ${mistake.what}`)
      hear = withWarnings(listen, warnings)
      return yield* use(runId)
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.provide(NodeServices.layer))
