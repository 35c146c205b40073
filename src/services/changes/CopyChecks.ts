/** Runs the checks of the project on what a task changes. */
import * as Effect from "effect/Effect"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import type { FileFact } from "../../domain/checks/Facts.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import { makeTaskChanges } from "./TaskChanges.ts"

/** A working copy, and whose it is. */
interface CheckedCopy {
  readonly copy: WorkingCopy
  readonly task: string
  readonly round: number
  /** What the prompt and the plan ask for, in their words. */
  readonly request: string
}

export const makeCopyChecks = Effect.gen(function* () {
  const changes = yield* makeTaskChanges
  const checks = yield* Checks
  const commands = yield* Commands

  /** Checks what the copy changes, where commands can see it, and what was changed in the project itself. */
  return Effect.fnUntraced(function* (
    { copy, request, round, task }: CheckedCopy,
    turn: number,
    inProject: ReadonlyArray<FileFact> = []
  ): Effect.fn.Return<ReadonlyArray<CheckOutcome>> {
    const paths = [...new Set([...inProject, ...changes.named(copy)].map(({ path }) => path))]
    if (paths.length === 0 || (inProject.length === 0 && (yield* commands.copies).mechanism === "none")) return []
    return yield* checks.run({ task, round, turn, request }, paths)
  })
})
