/**
 * What a tool reports during a call. Progress is emitted at most once a second. Notes are stored with the result and
 * hidden from models.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { type ToolCallId } from "../../domain/runs/ActivityKey.ts"
import { progressEvery } from "../../domain/runs/RunEvent.ts"
import { type ToolProgress, makeCallLog, readProgress } from "../../domain/tools/ToolProgress.ts"
import type { ToolResult } from "../../domain/tools/ToolCall.ts"
import { withoutDeclaredSecrets } from "../runs/KnownSecrets.ts"
import { RunEvents } from "../runs/RunEvents.ts"

/** The functions with which a tool reports. They never fail. */
export interface CallReports {
  readonly progress: (progress: ToolProgress | string) => void
  readonly log: (text: string) => void
}

/** Reports of a call that nobody watches. */
export const noReports: CallReports = { progress: () => undefined, log: () => undefined }

/** Creates the reports of a call. `publishing` emits the progress and never ends. */
export const makeReports = Effect.map(RunEvents, (events) =>
  Effect.fnUntraced(function* (id: ToolCallId, name: string) {
    const notes = makeCallLog()
    const latest = yield* Queue.sliding<ToolProgress>(1)
    const publishing = Effect.flatMap(Queue.take(latest), (progress) =>
      events.publish({ type: "tool.progress", id, name, ...progress })
    )
    const reports: CallReports = {
      progress: (given) => {
        const progress = withoutDeclaredSecrets(readProgress(given))
        if (progress !== undefined) Queue.offerUnsafe(latest, progress)
      },
      log: notes.add
    }
    const pause = Effect.sleep(Duration.millis(progressEvery))
    return { reports, publishing: Effect.forever(Effect.andThen(publishing, pause)), lines: notes.lines }
  })
)

/** Adds the notes and files of a tool to the result of its call. */
export const withNotes = (
  result: ToolResult,
  log: ReadonlyArray<string>,
  files: ToolResult["files"] = []
): ToolResult => ({ ...result, ...(log.length > 0 && { log }), ...(files.length > 0 && { files }) })
