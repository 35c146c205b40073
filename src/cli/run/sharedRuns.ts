/** Implements the flag `--cluster`. The code that works on several machines is in the plugin of the cluster. */
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

/** Loads the code for runs on several machines. Fails if no feature provides it. */
export const loadSharedRuns = Effect.suspend((): Effect.Effect<SharedRuns, PackageUnusable | CommandFailure> => {
  const load = features.find(({ sharedRuns }) => sharedRuns !== undefined)?.sharedRuns
  return load === undefined
    ? usageFailure("--cluster needs runs on several machines, which this program does not have. Leave it out.")
    : loadOrFail(load)
})

/** The store of runs on several machines, instead of this machine's store. */
export const layerSharedStore = Layer.unwrap(Effect.map(loadSharedRuns, ({ store }) => store))

type Shown = Parameters<typeof showRun>[0] & ApprovalFlags

/**
 * Starts a run on several machines and shows it until its end. If the user leaves earlier, prints how to follow the
 * run.
 */
export const showSharedRun = (style: Shown, order: SharedOrder, approver: SharedClient["approver"] = layerTerminal()) =>
  showRun({ ...style, isClusterRun: true }, (sink) =>
    Effect.gen(function* () {
      const { emit } = yield* Output
      const { follow } = yield* loadSharedRuns
      let run = ""
      const begun = (runId: string) => void (run = runId)
      const client = { ...approvedBeforehand(style), approver, listen: sink.listen, tell: emit, begun }
      return yield* follow(order, client).pipe(
        /* A waiting run has not ended, so its stream of events stays open. */
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
