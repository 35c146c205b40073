/**
 * The layers of a run that several workers share. Part of the composition root, loaded by workers only.
 */
import * as Layer from "effect/Layer"
import { layerClusterActivities } from "../services/cluster/ClusterActivities.ts"
import { layerClusterTasks } from "../services/cluster/ClusterTasks.ts"
import { Activities } from "../services/journal/Activities.ts"
import { ProjectWriteLock } from "../services/permissions/ProjectWriteLock.ts"
import { startOfRun } from "../services/runs/RunId.ts"
import { layerProject } from "./projectLayers.ts"
import type { RunContext, WorkerContext } from "./RunContext.ts"
import { layerCalls, layerModel, layerPipeline, layerTasks } from "./runLayers.ts"
import type { Setup } from "./setup.ts"

/**
 * What a worker needs for a cluster run: the pipeline over tasks that the workers share, and what it needs to work on
 * one here.
 */
export const layerClusterRun = (setup: Setup, runId: string, ports: RunContext & { readonly worker: WorkerContext }) =>
  layerPipeline.pipe(
    Layer.provide(layerClusterTasks(runId, ports.worker.secrets)),
    Layer.provideMerge(layerTasks),
    Layer.provide(
      layerCalls(
        ports,
        Layer.provide(
          layerClusterActivities(ports.worker.secrets.redact, ports.worker.finish),
          Activities.layerWorkflow
        )
      )
    ),
    Layer.provide(ports.model ?? layerModel(setup)),
    Layer.provideMerge(layerProject(setup, { ...ports, since: startOfRun(runId) }, ProjectWriteLock.layerHeld))
  )
