/**
 * Which tasks of a replayed session had started before their section. Absent in every other run, where the scheduler
 * decides; a replay has no project to decide by.
 */
import * as Context from "effect/Context"

export const StartedAhead = Context.Reference<((round: number, task: string) => boolean) | undefined>(
  "task-conductor/services/runs/StartedAhead",
  { defaultValue: () => undefined }
)
