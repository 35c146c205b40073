/** The interface of a feature that distributes runs to machines. */
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { Finding } from "../domain/configuration/Diagnosis.ts"
import type { RunReport } from "../domain/runs/RunReport.ts"
import type { Approver } from "../services/approvals/Approver.ts"
import type { RunStore } from "../services/history/RunStore.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import type { NodeServices } from "./NodeServices.ts"
import type { NewRun, RunContext, SavedRun } from "./RunContext.ts"

/** Why shared runs cannot be used. If `exitCode` is absent, the user gave a wrong command. */
export interface SharedRunsFailure {
  readonly _tag: string
  readonly message: string
  readonly exitCode?: number
}

export type SharedOrder =
  | { readonly type: "start"; readonly run: NewRun; readonly priority?: number }
  | { readonly type: "resume"; readonly saved: SavedRun }
  | { readonly type: "fork"; readonly saved: SavedRun & { readonly from: string } }
  | { readonly type: "attach"; readonly runId: string }

/** The client that follows a shared run and answers its questions. */
export interface SharedClient extends Pick<RunContext, "approveSteps" | "listen" | "yes"> {
  readonly approver: Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal>
  /** Receives a line about the workers or the connection to them. */
  readonly tell: (line: string) => Effect.Effect<void>
  /** Receives the id of the run once it is known. */
  readonly begun: (runId: string) => void
}

export interface SharedRuns {
  /** The store of shared runs, which replaces this machine's store of runs. */
  readonly store: Layer.Layer<RunStore, SharedRunsFailure, NodeServices>
  /** A line for each machine that worked on a run today. */
  readonly workers: Effect.Effect<ReadonlyArray<string>, SharedRunsFailure, NodeServices>
  /** Checks what a shared run of this project needs on this machine. */
  readonly diagnose: (
    project: string,
    flags: Configuration
  ) => Effect.Effect<ReadonlyArray<Finding>, SharedRunsFailure, NodeServices>
  /** Starts, resumes, forks or joins a run, and follows it to its report. */
  readonly follow: (
    order: SharedOrder,
    client: SharedClient
  ) => Effect.Effect<RunReport, SharedRunsFailure, NodeServices>
}

/** A plugin of the program. */
export interface Feature extends Plugin {
  readonly sharedRuns?: () => Promise<SharedRuns>
}
