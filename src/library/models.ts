/**
 * The models of a server for scripts, as promises.
 */
import * as Effect from "effect/Effect"
import type { InstalledModel } from "../domain/models/InstalledModel.ts"
import { makePullProgress, type PullProgress } from "../domain/models/ModelPull.ts"
import { listServerModels, pullServerModel, unloadServerModel } from "./lateApp.ts"
import { onThisMachine } from "./programSettings.ts"

/** What the server of the configured model has, or the default server. */
export const models = (): Promise<ReadonlyArray<InstalledModel>> =>
  listServerModels().pipe(onThisMachine({}), Effect.runPromise)

/** How a model is got. */
export interface PullOptions {
  /** Gets each step: what the server does, and how much of the model has come, in bytes. */
  readonly onProgress?: (progress: PullProgress) => void
  /** Stops when it aborts; the next call goes on where this one stopped. */
  readonly signal?: AbortSignal
}

/** Has an Ollama server get a model. */
export const pullModel = (name: string, { onProgress, signal }: PullOptions = {}): Promise<void> => {
  const add = makePullProgress()
  return Effect.runPromise(
    pullServerModel(name, (step) => Effect.sync(() => onProgress?.(add(step)))).pipe(onThisMachine({})),
    { signal }
  )
}

/** Takes a model out of the memory of an Ollama server; false when it was not there. */
export const unloadModel = (name: string): Promise<boolean> =>
  unloadServerModel(name).pipe(onThisMachine({}), Effect.runPromise)
