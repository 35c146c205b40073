/**
 * What `run` and `plan` do once flags are read. Loaded when it is needed: help, wrong usage and `check` start without it.
 */
import * as Effect from "effect/Effect"
import { beginRun, planRun } from "../../app/runs.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import { untilReport, makeResumable } from "../terminal/outcome.ts"
import { type CommandPorts, startPorts } from "../terminal/ports.ts"

/** A run or a plan as the flags ask for it. */
export interface RunRequest {
  readonly project: string
  readonly flags: Configuration
  readonly order: Omit<RunOrder, "runId">
}

const newRun = ({ flags, order, project }: RunRequest) =>
  Effect.map(makeRunId, (runId) => ({ project, given: flags, order: { runId, ...order } }))

/** Runs a prompt to its report. */
export const runPrompt = Effect.fn("runPrompt")(function* (request: RunRequest, ports: CommandPorts) {
  const resumable = makeResumable(ports)
  return yield* beginRun(yield* newRun(request), yield* startPorts(resumable.ports)).pipe(
    untilReport(ports.sink),
    resumable.tellWhenStopped
  )
})

/** Makes the task list for a prompt. */
export const planPrompt = Effect.fn("planPrompt")(function* (request: RunRequest, ports: CommandPorts) {
  return yield* planRun(yield* newRun(request), yield* startPorts(ports))
})
