/**
 * The flags that approve beforehand what a run would ask.
 */
import * as Flag from "effect/cli/Flag"

/** What is approved beforehand. */
export const approvalFlags = {
  yes: Flag.Boolean("yes").pipe(
    Flag.withAlias("y"),
    Flag.withDescription(
      "Approve what this run asks, reads and writes alike. Secrets, files outside the project and plugins are still asked about; deny rules still apply"
    ),
    Flag.withDefault(false)
  ),
  yesThisRun: Flag.Boolean("yes-this-run").pipe(
    Flag.withDescription("Like --yes, for steps only: single calls, such as reads, are still asked about"),
    Flag.withDefault(false)
  )
}

/** What was approved beforehand: with `--yes` steps and calls, with `--yes-this-run` steps only. */
export const approvedBeforehand = (given: {
  readonly yes: boolean
  readonly yesThisRun: boolean
}): { readonly approveSteps: boolean; readonly yes: boolean } => ({ approveSteps: given.yesThisRun, yes: given.yes })
