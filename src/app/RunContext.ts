/**
 * What a run gets beside its setup.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { DoubtAnswer } from "../domain/permissions/Answer.ts"
import type { Approver } from "../services/approvals/Approver.ts"
import type { Journal } from "../services/journal/Journal.ts"
import type { JournalError } from "../services/journal/JournalError.ts"
import type { LockTaken, LockUnavailable } from "../services/files/Lock.ts"
import type { ModelSlots } from "../services/models/ModelSlots.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import type { Replay } from "../services/history/Replay.ts"
import type { ResumeNotes } from "../services/pipeline/ResumeNotes.ts"
import type { RunSettings } from "../services/runs/RunSettings.ts"
import type { UsageMeter } from "../services/runs/UsageMeter.ts"
import type { InstalledModel } from "../domain/models/InstalledModel.ts"
import type { Setup } from "./setup.ts"

/** What a person picks a model from. */
export interface ModelOffer {
  readonly host: string
  /** The file in which the choice is saved. */
  readonly userFile: string
  /** The home folder of the person. */
  readonly home: string
  /** Why nothing can be saved there; absent when it can. */
  readonly userFileProblem?: string
  /** The models that can write text, the most suitable first. */
  readonly models: ReadonlyArray<InstalledModel>
}

/** Asks a person at a terminal for one of the models, and saves the answer; nothing when they pick none. */
export type PickModel = (offer: ModelOffer) => Effect.Effect<string | undefined>

/** What became of a record that a crash left behind. */
export const tornNote =
  "The last record of the journal is incomplete. It was moved to a file beside the journal, and its work is repeated."

/** What a person should know before work begins. */
export interface StartupNotes {
  readonly setup: Setup
  /** Sentences. */
  readonly warnings: ReadonlyArray<string>
  /** What is good to know, and nothing to worry about. */
  readonly notes?: ReadonlyArray<string>
  /** A crash left half a record behind in the journal; see `tornNote`. */
  readonly isTorn: boolean
}

/** What a worker provides for a cluster run. */
export interface WorkerContext {
  /** What a person has to know of calls that are in doubt on this worker; a sentence. */
  readonly doubtNote: string
  /** The slots of the model server, which all runs of the worker share. */
  readonly slots: Layer.Layer<ModelSlots>
  /** Counts what the run costs on all machines. */
  readonly meter: Layer.Layer<UsageMeter>
}

/** What a run gets beside its setup: from the command line, a script, a worker or a replay. */
export interface RunContext {
  /** Receives every event, in order. */
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  /** Sends what only a terminal understands to that of the person; absent where there is none. */
  readonly notify?: (sequence: string) => Effect.Effect<void>
  /** Receives the notes that a person should read before the run starts. */
  readonly warn?: (notes: StartupNotes) => Effect.Effect<void>
  /** Asks the person for a model when none is named; without it that is an error. */
  readonly pickModel?: PickModel
  /** All steps are approved beforehand. */
  readonly approveSteps: boolean
  /** Steps and calls are approved beforehand, but for what only a person may allow. */
  readonly yes?: boolean
  /** What was decided beforehand about calls in doubt. */
  readonly inDoubt?: DoubtAnswer | undefined
  /** Who is asked. */
  readonly approver: Layer.Layer<Approver, never, RunSettings | Stdio.Stdio | Terminal.Terminal>
  /** Takes the place of the model that the settings name. */
  readonly model?: Layer.Layer<LanguageModel.LanguageModel>
  /** Plugins as values, beside those that the setup names. */
  readonly plugins?: ReadonlyArray<Plugin>
  /** Nothing may be changed. */
  readonly readOnly?: boolean
  /** When the run began, in milliseconds, for one that another process began. */
  readonly since?: number | undefined
  /** What takes the place of model, tools, project and persons when a saved run is replayed. */
  readonly replay?: Pick<Replay, "activities" | "decisions" | "workspace">
  /** The tools of a replay that are not built in; plugins of the configuration are not loaded, and no server is started. */
  readonly recorded?: ReadonlyArray<Plugin>
  /** What a worker provides for cluster runs. */
  readonly worker?: WorkerContext
  /** Where the run is saved; nothing is saved when absent. */
  readonly journal?: Layer.Layer<
    Journal | ResumeNotes,
    JournalError | LockTaken | LockUnavailable,
    FileSystem.FileSystem | Path.Path
  >
}
