/**
 * How a run is ordered, and what it gets beside its setup: who listens and who is asked, and under which conditions it works.
 */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { InstalledModel } from "../domain/models/InstalledModel.ts"
import type { DoubtAnswer } from "../domain/permissions/Answer.ts"
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

/** An order for a project. `given` are the flags or options that override its configuration. */
export interface NewRun {
  readonly project: string
  readonly given: Configuration
  readonly order: RunOrder
  /** False: nothing of the run is saved. */
  readonly keep?: boolean
}

/** A saved run, as a person names it. `given` overrides the settings that it was started with. */
export interface SavedRun {
  readonly run: string
  readonly given: Configuration
  /** Where the project is now; where it was when the run last worked on it when absent. */
  readonly project?: string
}

/** The file of the user's own configuration. */
export interface UserFile {
  /** Where it is, or would be. */
  readonly path: string
  /** Why it is not used; absent when it is. */
  readonly problem?: string | undefined
}

/** What the user picks a model from. */
export interface ModelOffer {
  readonly host: string
  /** The file in which the choice is saved. */
  readonly userFile: UserFile
  /** The home folder of the user. */
  readonly home: string
  /** The models that can write text, the most suitable first. */
  readonly models: ReadonlyArray<InstalledModel>
}

/** Asks the user for one of the models, and saves the answer; nothing when they pick none. */
export type PickModel = (offer: ModelOffer) => Effect.Effect<string | undefined>

/** What became of a record that a crash left behind. */
export const tornNote =
  "The last record of the journal is incomplete. task-conductor moved it to a file beside the journal and repeats its work."

/** What the user should know before work begins. */
export interface StartupNotes {
  /** Sentences. */
  readonly warnings: ReadonlyArray<string>
  /** What is good to know, and nothing to worry about. */
  readonly notes?: ReadonlyArray<string>
  /** A crash left half a record behind in the journal; see `tornNote`. */
  readonly isTorn?: boolean
  /** The model is the built-in demo. */
  readonly usesDemo?: boolean
}

/** The terminal of the user. */
export interface UserTerminal {
  /** Sends what only a terminal understands; absent where there is no screen. */
  readonly notify?: (sequence: string) => Effect.Effect<void>
  /** Asks for a model when none is named; without it that is an error. */
  readonly pickModel?: PickModel
}

/** Who listens to a run, who is asked, and what was decided beforehand: from the command line, a script, a worker or a replay. */
export interface RunContext {
  /** Receives every event, in order. */
  readonly listen: (recorded: RecordedEvent) => Effect.Effect<void>
  /** Receives the notes that the user should read before the run starts. */
  readonly warn?: (notes: StartupNotes) => Effect.Effect<void>
  /** All steps are approved beforehand. */
  readonly approveSteps: boolean
  /** Steps and calls are approved beforehand, but for what only the user may allow. */
  readonly yes?: boolean
  /** What was decided beforehand about uncertain calls. */
  readonly inDoubt?: DoubtAnswer | undefined
  /** Who is asked. */
  readonly approver: Layer.Layer<Approver, never, RunSettings | Stdio.Stdio | Terminal.Terminal>
  /** Takes the place of the model that the settings name. */
  readonly model?: Layer.Layer<LanguageModel.LanguageModel>
  /** Plugins as values, beside those that the setup names. */
  readonly plugins?: ReadonlyArray<Plugin>
  readonly terminal?: UserTerminal
}

/** What a worker provides for a cluster run. */
export interface WorkerContext {
  /** What the user has to know of uncertain calls on this worker; a sentence. */
  readonly doubtNote: string
  /** The slots of the model server, which all runs of the worker share. */
  readonly slots: Layer.Layer<ModelSlots>
  /** Counts what the run costs on all machines. */
  readonly meter: Layer.Layer<UsageMeter>
}

/** What takes the place of the model, the user and the project when a saved run is replayed. */
export interface ReplayParts {
  readonly activities: Layer.Layer<Activities>
  /** The gate and the tools with their recorded decisions. */
  readonly decisions: Layer.Layer<Gate | RunAnswers | ToolRegistry, never, Gate | RunAnswers | RunEvents | ToolRegistry>
  readonly workspace: Layer.Layer<Workspace>
  /** The tools that are not built in; plugins of the configuration are not loaded, and no server is started. */
  readonly recorded?: ReadonlyArray<Plugin>
}

/** Under which conditions a run works; without any, it is new, unsaved, and changes its project without a lock. */
export interface RunConditions {
  /** Keeps others from changing the project meanwhile. */
  readonly lock?: Layer.Layer<ProjectWriteLock, never, FileSystem.FileSystem | Path.Path>
  /** Where the run is saved. */
  readonly journal?: Layer.Layer<
    Journal | ResumeNotes,
    JournalError | LockTaken | LockUnavailable,
    FileSystem.FileSystem | Path.Path
  >
  /** Nothing may be changed. */
  readonly readOnly?: boolean
  /** When the run began, in milliseconds, for one that another process began. */
  readonly since?: number | undefined
  readonly replay?: ReplayParts
  readonly worker?: WorkerContext
}
