/**
 * Errors that clients get when a cluster run cannot start or continue.
 */
import * as Schema from "effect/Schema"
import { stepText } from "../../kit/documents.ts"
import { exitCodeOf } from "../../kit/runs.ts"

/** This run cannot start, because another run may be changing the project. */
export class ProjectShared extends Schema.TaggedError<ProjectShared>()("ProjectShared", {
  project: Schema.String,
  runId: Schema.String,
  begunAt: Schema.String
}) {
  readonly exitCode = 1

  override get message(): string {
    return `The run ${this.runId}, begun at ${this.begunAt}, works on ${this.project}. Wait for it, end it with "task-conductor cancel ${this.runId}", or run with --read-only what changes nothing.`
  }
}

/** The run waits for an answer, and this client cannot ask anybody. */
export class RunWaits extends Schema.TaggedError<RunWaits>()("RunWaits", {
  runId: Schema.String,
  /** The heading of the step, or the name of the task, to which the question belongs. */
  title: Schema.String
}) {
  readonly exitCode = exitCodeOf("not_permitted")

  override get message(): string {
    const { runId, title } = this
    return `The run ${runId} waits for an answer about "${stepText(title)}", and nobody can be asked here. It continues when somebody answers. Answer from any machine: task-conductor attach ${runId}`
  }
}

/** The run ended without a report: it could not start, broke off, or was cancelled early. `what` says why. */
export class RunRefused extends Schema.TaggedError<RunRefused>()("RunRefused", {
  what: Schema.String,
  exitCode: Schema.Int
}) {
  override get message(): string {
    return this.what
  }
}
