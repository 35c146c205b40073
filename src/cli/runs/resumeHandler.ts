/**
 * What `resume` and `fork` do once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import { forkRun, resumeRun } from "../../app/runs.ts"
import { layerRuns } from "../../app/savedRuns.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { untilReport, makeResumable } from "../terminal/outcome.ts"
import { type CommandPorts, startPorts } from "../terminal/ports.ts"

/** A saved run, with flags that override those it was started with. */
export interface ResumeRequest {
  readonly run: string
  readonly flags: Configuration
  readonly project?: string
}

/** Resumes a run and carries it to its report. */
export const resumePrompt = Effect.fn("resumePrompt")(function* (
  { flags, ...saved }: ResumeRequest,
  ports: CommandPorts
) {
  const resumable = makeResumable(ports)
  return yield* resumeRun({ ...saved, given: flags }, yield* startPorts(resumable.ports)).pipe(
    Effect.provide(layerRuns),
    untilReport(ports.sink),
    resumable.tellWhenStopped
  )
})

/** Starts a new run that reuses what another had finished before the task `from`. */
export const forkPrompt = Effect.fn("forkPrompt")(function* (
  { flags, ...saved }: ResumeRequest & { readonly from: string },
  ports: CommandPorts
) {
  const resumable = makeResumable(ports)
  return yield* forkRun({ ...saved, given: flags }, yield* startPorts(resumable.ports)).pipe(
    Effect.provide(layerRuns),
    untilReport(ports.sink),
    resumable.tellWhenStopped
  )
})
