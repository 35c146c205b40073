/**
 * Runs that several machines work on, as a feature provides them.
 */
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

/** Why shared runs cannot be used; `exitCode` where it is not that of a wrong order. */
export interface SharedRunsFailure {
  readonly _tag: string
  readonly message: string
  readonly exitCode?: number
}

/** What is done with the shared runs. */
export type SharedOrder =
  | { readonly type: "start"; readonly run: NewRun; readonly priority?: number }
  | { readonly type: "resume"; readonly saved: SavedRun }
  | { readonly type: "fork"; readonly saved: SavedRun & { readonly from: string } }
  | { readonly type: "attach"; readonly runId: string }

/** Who follows a shared run, and answers its questions. */
export interface SharedClient extends Pick<RunContext, "approveSteps" | "listen" | "yes"> {
  readonly approver: Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal>
  /** Receives a line about the workers or the connection to them. */
  readonly tell: (line: string) => Effect.Effect<void>
  /** Receives the id of the run once it is known. */
  readonly begun: (runId: string) => void
}

export interface SharedRuns {
  /** The shared runs, in the place of the saved runs of this machine. */
  readonly store: Layer.Layer<RunStore, SharedRunsFailure, NodeServices>
  /** A line for each machine that worked today. */
  readonly workers: Effect.Effect<ReadonlyArray<string>, SharedRunsFailure, NodeServices>
  /** What a shared run of this project needs from this machine. */
  readonly diagnose: (
    project: string,
    flags: Configuration
  ) => Effect.Effect<ReadonlyArray<Finding>, SharedRunsFailure, NodeServices>
  /** Follows the run that is started, resumed, forked or named, to its report. */
  readonly follow: (
    order: SharedOrder,
    client: SharedClient
  ) => Effect.Effect<RunReport, SharedRunsFailure, NodeServices>
}

/** A plugin of the program. */
export interface Feature extends Plugin {
  readonly sharedRuns?: () => Promise<SharedRuns>
}
