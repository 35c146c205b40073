/** The models of a server, as promises for scripts. */
import * as Effect from "effect/Effect"
import type { InstalledModel } from "../domain/models/InstalledModel.ts"
import { makePullProgress, type PullProgress } from "../domain/models/ModelPull.ts"
import { listServerModels, pullServerModel, unloadServerModel } from "./lateApp.ts"
import { onThisMachine } from "./programSettings.ts"

/** The models on the configured server, or on the default server. */
export const models = (): Promise<ReadonlyArray<InstalledModel>> =>
  listServerModels().pipe(onThisMachine({}), Effect.runPromise)

/** The options for downloading a model. */
export interface PullOptions {
  /** Receives each step of the server, with the downloaded bytes. */
  readonly onProgress?: (progress: PullProgress) => void
  /** Stops the download when it is aborted. The next call continues the download. */
  readonly signal?: AbortSignal
}

/** Makes an Ollama server download a model. */
export const pullModel = (name: string, { onProgress, signal }: PullOptions = {}): Promise<void> => {
  const add = makePullProgress()
  return Effect.runPromise(
    pullServerModel(name, (step) => Effect.sync(() => onProgress?.(add(step)))).pipe(onThisMachine({})),
    { signal }
  )
}

/** Removes a model from the memory of an Ollama server. Returns false if it was not loaded. */
export const unloadModel = (name: string): Promise<boolean> =>
  unloadServerModel(name).pipe(onThisMachine({}), Effect.runPromise)
