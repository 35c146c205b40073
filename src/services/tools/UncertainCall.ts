/**
 * What to do about a call that was begun before the run broke off and has no result: run it again, or take it as done.
 */
import * as Effect from "effect/Effect"
import type { FileState, UncertainCall } from "../../domain/journal/JournalRecord.ts"
import { type Workspace, fileState } from "../files/Workspace.ts"
import { stoppedAt } from "../permissions/Ask.ts"
import type { Gate } from "../permissions/Gate.ts"

/**
 * What the files say: as they were before means that nothing happened, as they were to become means that it did; otherwise
 * nothing here can tell.
 */
const verdictOfFiles = Effect.fnUntraced(function* (files: ReadonlyArray<FileState>, workspace: Workspace["Service"]) {
  if (files.length === 0) return undefined
  const states = yield* Effect.forEach(files, ({ path }) =>
    Effect.all([fileState(workspace, path), workspace.state(path)])
  )
  const isAs = (index: number, wanted: string | null): boolean =>
    states[index]?.some((state) => state === wanted || state === `link ${wanted}`) === true
  /* Where both texts are the same, the call changes something else, and may be made again. */
  if (files.every(({ before }, index) => isAs(index, before))) return "again" as const
  if (files.every(({ after }, index) => isAs(index, after))) return "done" as const
  /* Of several files some are as they were, and the call goes on with them. */
  return files.length > 1 && files.every(({ after, before }, index) => isAs(index, before) || isAs(index, after))
    ? ("again" as const)
    : undefined
})

/** Decides by the files of the call, else by asking. Fails when the run is to stop. */
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
