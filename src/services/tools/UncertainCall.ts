/**
 * Decides about an uncertain call: a call that began before the run was interrupted, and has no result. The call is
 * repeated, or it is treated as done.
 */
import * as Effect from "effect/Effect"
import type { FileState, UncertainCall } from "../../domain/journal/JournalRecord.ts"
import { type Workspace, fileState } from "../files/Workspace.ts"
import { stoppedAt } from "../permissions/Ask.ts"
import type { Gate } from "../permissions/Gate.ts"

/**
 * What the files of the call show. If all are in the old state, the call changed nothing. If all are in the new state,
 * the call happened. Otherwise the files do not show what happened.
 */
const verdictOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<FileState>, workspace: Workspace["Service"]) {
  if (files.length === 0) return undefined
  const states = yield* Effect.forEach(files, ({ path }) =>
    Effect.all([fileState(workspace, path), workspace.state(path)])
  )
  const isAs = (index: number, wanted: string | null): boolean =>
    states[index]?.some((state) => state === wanted || state === `link ${wanted}`) === true
  /**
   * The old state is compared first, so a call whose files have equal old and new states is repeated. Such a call
   * changes something other than its files.
   */
  if (files.every(({ before }, index) => isAs(index, before))) return "again" as const
  if (files.every(({ after }, index) => isAs(index, after))) return "done" as const
  /** If only some of several files have changed, repeating the call completes it. */
  return files.length > 1 && files.every(({ after, before }, index) => isAs(index, before) || isAs(index, after))
    ? ("again" as const)
    : undefined
})

/**
 * Decides whether the call is repeated. If the states of its files do not decide this, the user is asked. Fails if the
 * run should stop.
 */
export const resolveUncertain = Effect.fnUntraced(function* (
  intent: UncertainCall,
  gate: Gate["Service"],
  workspace: Workspace["Service"]
) {
  const verdict = yield* verdictOfFiles(intent.files, workspace)
  if (verdict !== undefined) return verdict
  const { answer, by } = yield* gate.ask({ scope: "doubt", intent })
  return answer === "again" || answer === "done" ? answer : yield* stoppedAt(intent, by)
})
