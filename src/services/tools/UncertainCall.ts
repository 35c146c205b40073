/**
 * Decides about a call that began before the run was interrupted and has no result: it is repeated, or treated as done.
 */
import * as Effect from "effect/Effect"
import type { FileState, UncertainCall } from "../../domain/journal/JournalRecord.ts"
import { type Workspace, fileState } from "../files/Workspace.ts"
import { stoppedAt } from "../permissions/Ask.ts"
import type { Gate } from "../permissions/Gate.ts"

/**
 * What the files of the call show. If all have the old state, the call changed nothing. If all have the new state, it
 * happened. Undefined if they show neither.
 */
const verdictOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<FileState>, workspace: Workspace["Service"]) {
  if (files.length === 0) return undefined
  const states = yield* Effect.forEach(files, ({ path }) =>
    Effect.all([fileState(workspace, path), workspace.state(path)])
  )
  const isAs = (index: number, wanted: string | null): boolean =>
    states[index]?.some((state) => state === wanted || state === `link ${wanted}`) === true
  /** If the old and new states are equal, the files do not show the effect of the call. The call is then repeated. */
  if (files.every(({ before }, index) => isAs(index, before))) return "again" as const
  if (files.every(({ after }, index) => isAs(index, after))) return "done" as const
  /** If only some of the files changed, repeating the call completes it. */
  return files.length > 1 && files.every(({ after, before }, index) => isAs(index, before) || isAs(index, after))
    ? ("again" as const)
    : undefined
})

/** Decides whether the call is repeated. Asks the user if the files do not show it. Fails if the run should stop. */
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
