/**
 * Starts the refinements of a round. Most tasks of a plan wait for nothing but their admission, and there may be thousands of
 * them: such a task gets its fiber when it is admitted.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Admission, Admit } from "./Admission.ts"
import type { Cell, Cells, Waits } from "./RoundCells.ts"

interface Starts {
  readonly admission: Admission
  readonly cells: Cells
  readonly waits: Waits
  readonly restsOnProject: (task: Cell["task"]) => boolean
  /** Refines a task when it is admitted. */
  readonly prepare: (cell: Cell, admit: Admit) => Effect.Effect<void>
}

const atOnce = { startImmediately: true }

/** The refinements run until they have ended, or the scope has. */
export const startRefinements = Effect.fnUntraced(function* (
  open: ReadonlyArray<Cell>,
  { admission, cells, prepare, restsOnProject, waits }: Starts
): Effect.fn.Return<void, never, Scope.Scope> {
  const isReady = ({ step, task }: Cell): boolean =>
    !task.producerSlugs.some((slug) => cells.has(slug)) && !(waits.hasWriterBefore(step) && restsOnProject(task))
  const [others, ready] = [open.filter((cell) => !isReady(cell)), open.filter(isReady)]

  const inOrder = Effect.gen(function* () {
    for (const cell of ready.toSorted((a, b) => a.turn - b.turn)) {
      yield* admission.take(cell.turn)
      yield* Effect.forkScoped(prepare(cell, admission.withTaken), atOnce)
    }
  })
  yield* Effect.forkScoped(inOrder, atOnce)
  for (const cell of others) yield* Effect.forkScoped(prepare(cell, admission.withPermit), atOnce)
})
