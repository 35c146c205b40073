/**
 * What a script may say about its work, and the layers that follow from it. The functions of index.ts share it.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import type * as LanguageModel from "effect/ai/LanguageModel"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { RunPorts } from "../app/projectLayers.ts"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { GivenLimits } from "../domain/configuration/Limits.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { ReadyRun } from "../app/runs.ts"
import { Approver } from "../services/approvals/Approver.ts"
import { type Approve, layerCallback } from "../services/approvals/CallbackApprover.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationFile.ts"
import type { Plugin } from "../services/plugins/Plugin.ts"
import { readStartupWarnings } from "../services/pipeline/StartupWarnings.ts"
import { StateFolder } from "../services/configuration/UserFolders.ts"
import { readSetup } from "../app/setup.ts"

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
  /** Where runs are kept; `task-conductor` in `$XDG_STATE_HOME` or `~/.local/state`, as for the CLI, when absent. No tool writes there. */
  readonly stateFolder?: string
  /** Interrupts the run when it aborts; a run that is kept can be resumed. */
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
type Noted = Effect.Services<ReturnType<typeof readStartupWarnings>>

/** The options in the terms of the composition root. */
export interface ScriptWork {
  /** What they set, in the form of a configuration. */
  readonly given: Configuration
  readonly doors: Omit<RunPorts, "journal" | "readOnly" | "replay">
  /** Refuses rules that name no tool, and has warnings told as events; with the layers, before the work begins. */
  readonly before: (
    ready: Pick<ReadyRun, "setup"> & { readonly isTorn?: boolean }
  ) => Effect.Effect<void, ConfigurationError, Noted>
}

const tornNote =
  "The last record of the journal was not written to its end. It is set aside beside the journal, and what it told is done again."

/** What the options ask for; `listen` gets every event. */
export const scriptWork = (options: ScriptOptions, listen: (recorded: RecordedEvent) => void): ScriptWork => {
  const given = configurationOf(options)
  let hear = listen
  return {
    given,
    doors: {
      listen: (recorded) => Effect.sync(() => hear(recorded)),
      approveSteps: false,
      approver: options.approve === undefined ? Approver.layerDenyAll : layerCallback(options.approve),
      ...(typeof options.model === "object" ? { model: options.model } : {}),
      plugins: (options.plugins ?? []).filter((plugin) => typeof plugin !== "string")
    },
    before: Effect.fnUntraced(function* ({ isTorn = false, setup }) {
      const { mistake, warnings } = yield* readStartupWarnings(setup.configuration, given)
      if (mistake !== undefined) return yield* refuse(`"${mistake.verdict}": "${mistake.rule}": ${mistake.what}`)
      hear = withWarnings(listen, isTorn ? [tornNote, ...warnings] : warnings)
    })
  }
}

/** Where a script's work happens: on this machine, with its runs where the options say. @internal */
export const onThisMachine =
  ({ stateFolder = "" }: Pick<ScriptOptions, "stateFolder">) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(Effect.provideService(StateFolder, stateFolder), Effect.provide(NodeServices.layer))

/** Reads the configuration of the project, with the options on top. */
export const setupOf = ({ project = "." }: Pick<ScriptOptions, "project">, { given }: ScriptWork) =>
  readSetup(project, given)
