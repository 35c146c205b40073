/** The request for a run, and its conditions: for example who receives its events and who answers its questions. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { InstalledModel } from "../domain/models/InstalledModel.ts"
import type { UncertainAnswer } from "../domain/permissions/Answer.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { Approver } from "../services/approvals/Approver.ts"
import type { Workspace } from "../services/files/Workspace.ts"
import type { Activities } from "../services/journal/Activities.ts"
import type { Gate } from "../services/permissions/Gate.ts"
import type { RunAnswers } from "../services/permissions/RunAnswers.ts"
import type { RunEvents } from "../services/runs/RunEvents.ts"
import type { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import type { LockTaken, LockUnavailable } from "../services/files/ProcessLock.ts"
import type { Journal } from "../services/journal/Journal.ts"
import type { JournalError } from "../services/journal/JournalError.ts"
import type { ModelSlots } from "../services/models/ModelSlots.ts"
import type { ProjectWriteLock } from "../services/files/ProjectWriteLock.ts"
import type { ResumeNotes } from "../services/pipeline/ResumeNotes.ts"
import type { RunSettings } from "../services/runs/RunSettings.ts"
import type { UsageMeter } from "../services/runs/UsageMeter.ts"
import type { Plugin } from "../services/tools/Plugin.ts"

/** A request for a new run. The flags or options in `configuration` override the project's configuration. */
export interface NewRun {
  readonly project: string
  readonly configuration: Configuration
  readonly order: RunOrder
  /** False to save nothing. */
  readonly keep?: boolean
}

/** A saved run. `run` is its name as the user gave it. `configuration` overrides the settings of the saved run. */
export interface SavedRun {
  readonly run: string
  readonly configuration: Configuration
  /** The project's current folder. Default: the folder in which the run last worked. */
  readonly project?: string
}

/** The file of the user's own configuration. */
export interface UserFile {
  /** The path, even of a file that does not exist yet. */
  readonly path: string
  /** Why the file is not used. */
  readonly problem?: string | undefined
}

export interface ModelOffer {
  readonly host: string
  /** The configuration file in which the choice is saved. */
  readonly userFile: UserFile
  readonly home: string
  /** The models that can write text, the most suitable first. */
  readonly models: ReadonlyArray<InstalledModel>
}

/** Asks the user for a model and saves the choice. Undefined without a choice. */
export type PickModel = (offer: ModelOffer) => Effect.Effect<string | undefined>

/** The note about a journal whose last record is incomplete because of a crash. */
export const tornNote =
  "The last record of the journal is incomplete. task-conductor moved it to a file beside the journal and repeats its work."

/** Notes for the user before work begins. */
export interface StartupNotes {
  readonly warnings: ReadonlyArray<string>
  /** Information that needs no action. */
  readonly notes?: ReadonlyArray<string>
  /** True if a crash left the last record of the journal incomplete; see `tornNote`. */
  readonly isTorn?: boolean
  /** True if the model is the built-in demo. */
  readonly usesDemo?: boolean
}

/** How a run reaches the user at a terminal, except for approvals. */
export interface UserTerminal {
  /** Sends control sequences to the terminal. Absent if there is no screen. */
  readonly notify?: (sequence: string) => Effect.Effect<void>
  /** Asks the user for a model if none is named. Without this function, a missing model is an error. */
  readonly pickModel?: PickModel
}

/**
 * Who listens to a run, who answers its questions, and what is approved in advance. The command line, a script, a
 * worker or a replay provides these conditions.
 */
export interface RunContext {
  /** Receives every event, in order. */
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  /** Receives the notes for the user before the run starts. */
  readonly warn?: (notes: StartupNotes) => Effect.Effect<void>
  /** True if all steps are approved in advance. */
  readonly approveSteps: boolean
  /** True if steps and calls are approved in advance, except calls that only a user may allow. */
  readonly yes?: boolean
  /** The answer about every uncertain call, if it was decided in advance. */
  readonly uncertainAnswer?: UncertainAnswer | undefined
  readonly approver: Layer.Layer<Approver, never, RunSettings | Stdio.Stdio | Terminal.Terminal>
  /** A model that replaces the model of the settings. */
  readonly model?: Layer.Layer<LanguageModel.LanguageModel>
  /** Plugin objects, in addition to the plugins of the setup. */
  readonly plugins?: ReadonlyArray<Plugin>
  readonly terminal?: UserTerminal
}

/** What a worker provides for a run of a cluster. */
export interface WorkerContext {
  /** A sentence for the user about uncertain calls on this worker. */
  readonly doubtNote: string
  /** The slots of the model server, which all runs of the worker share. */
  readonly slots: Layer.Layer<ModelSlots>
  /** Counts the cost of the run on all machines. */
  readonly meter: Layer.Layer<UsageMeter>
}

/** What a replay uses in place of the model, the user and the project. */
export interface ReplayParts {
  readonly activities: Layer.Layer<Activities>
  /** The gate, the answers and the tools of the replay, which use the recorded decisions. */
  readonly decisions: Layer.Layer<Gate | RunAnswers | ToolRegistry, never, Gate | RunAnswers | RunEvents | ToolRegistry>
  readonly workspace: Layer.Layer<Workspace>
  /** The recorded tools of plugins. If they are given, the program loads no plugin and starts no server. */
  readonly recorded?: ReadonlyArray<Plugin>
}

/** How the program carries out a run. By default, the run is new and unsaved, and takes no lock on its project. */
export interface RunConditions {
  /** Keeps other work of the program from changing the project during the run. */
  readonly lock?: Layer.Layer<ProjectWriteLock, never, FileSystem.FileSystem | Path.Path>
  readonly journal?: Layer.Layer<
    Journal | ResumeNotes,
    JournalError | LockTaken | LockUnavailable,
    FileSystem.FileSystem | Path.Path
  >
  /** True if the run may change nothing. */
  readonly readOnly?: boolean
  /** The start time in milliseconds since 1970, if another process started the run. */
  readonly since?: number | undefined
  readonly replay?: ReplayParts
  readonly worker?: WorkerContext
}
