/**
 * What a worker does with a run for which it lacks something: it goes on where the engine may choose another worker, or ends
 * when all workers have said what they lack. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import type { ClusterRunEnding } from "../domain/history/JournalRecord.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import { workerName } from "../services/cluster/ClusterEngine.ts"
import { ClusterWorkers } from "../services/cluster/ClusterWorkers.ts"
import { nobodyFits, nobodyIsLeft, type UnfitWorker } from "../services/cluster/WorkPlaces.ts"
import { type RunSeat, RunWorkflow } from "../services/pipeline/RunWorkflow.ts"

export interface GivenBack {
  readonly order: RunOrder
  readonly seat: RunSeat | undefined
  readonly unfit: UnfitWorker
  readonly tell: (what: string) => Effect.Effect<void>
}

/** Offers a run to the next worker; an ending when there is none. */
export const giveBack = Effect.fn("giveBack")(function* ({ order, seat, tell, unfit }: GivenBack) {
  const { alive } = yield* ClusterWorkers
  const declined = { ...seat?.declined, [workerName]: unfit.why }
  const number = (seat?.number ?? 0) + 1
  const names = (yield* Effect.orDie(alive)).map(({ name }) => name)
  if (nobodyIsLeft(declined, names, number)) {
    const ending: ClusterRunEnding = { refused: nobodyFits(declined), exitCode: unfit.exitCode }
    return ending
  }
  yield* tell(`${order.runId}: given back. ${unfit.why}`)
  yield* RunWorkflow.execute({ order, seat: { number, declined } }, { discard: true, detached: true })
  return "given back" as const
})
