/**
 * How the rounds of a run came to an end, before it becomes a report. Called by the pipeline.
 */
import type { Issue } from "../findings/Issue.ts"
import type { ModelError } from "../models/ModelAnswer.ts"
import type { RunStatus } from "./RunReport.ts"

/** How the rounds came to an end. */
export interface Ending {
  readonly status: RunStatus
  readonly message: string
  readonly issues: ReadonlyArray<Issue>
  readonly answer: string
}

/** An end without an answer. */
export const ending = (status: RunStatus, message: string, issues: ReadonlyArray<Issue> = []): Ending => ({
  status,
  message,
  issues,
  answer: ""
})

/** The end that a model call made. */
export const endingOf = (error: ModelError): Ending =>
  ending(error.isUnavailable || error.isTransient ? "unavailable" : "failed", error.message)
