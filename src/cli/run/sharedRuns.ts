/**
 * The flag `--cluster`: runs that several machines work on, where the program has the feature.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { features } from "../../app/features.ts"
import { loadOrFail, type PackageUnusable } from "../../app/PackageUnusable.ts"
import type { SharedClient, SharedOrder, SharedRuns } from "../../app/SharedRuns.ts"
import { layerTerminal } from "../approval/TerminalApprover.ts"
import { type CommandFailure, usageFailure } from "../terminal/Failure.ts"
import { showRun } from "../terminal/outcome.ts"
import { Output } from "../terminal/Output.ts"
import { type ApprovalFlags, approvedBeforehand } from "../terminal/runContext.ts"

/** The shared runs of the program; fails where no feature has them. */
export const loadSharedRuns = Effect.suspend((): Effect.Effect<SharedRuns, PackageUnusable | CommandFailure> => {
  const load = features.find(({ sharedRuns }) => sharedRuns !== undefined)?.sharedRuns
  return load === undefined
    ? usageFailure("--cluster needs runs on several machines, which this program does not have. Leave it out.")
    : loadOrFail(load)
})

/** The shared runs in the place of the saved runs of this machine. */
export const layerSharedStore = Layer.unwrap(Effect.map(loadSharedRuns, ({ store }) => store))

type Shown = Parameters<typeof showRun>[0] & ApprovalFlags

/** Begins what is ordered and shows the run to its end; says what happens to one that nobody follows any more. */
export const showSharedRun = (given: Shown, order: SharedOrder, approver: SharedClient["approver"] = layerTerminal()) =>
  showRun({ ...given, isClusterRun: true }, (sink) =>
    Effect.gen(function* () {
      const { emit } = yield* Output
      const { follow } = yield* loadSharedRuns
      let run = ""
      const begun = (runId: string) => void (run = runId)
      const client = { ...approvedBeforehand(given), approver, listen: sink.listen, tell: emit, begun }
      return yield* follow(order, client).pipe(
        /* A run that waits has not ended: its stream of events is still open. */
        Effect.tapError(({ _tag, message }) => (_tag === "RunWaits" || run === "" ? Effect.void : sink.abort(message))),
        Effect.onInterrupt(() =>
          run === ""
            ? Effect.void
            : emit(
                `The run continues on its workers. Follow it: task-conductor attach ${run}. Cancel it: task-conductor cancel ${run}`
              )
        )
      )
    })
  )
