/**
 * All checks of model servers in execution order.
 */
import { answerChecks } from "./answerChecks.ts"
import type { Check } from "./Check.ts"
import { loadChecks } from "./loadChecks.ts"
import { parallelChecks } from "./parallelChecks.ts"
import { parallelRunChecks } from "./parallelRunCheck.ts"
import { promptChecks } from "./promptChecks.ts"
import { restartChecks } from "./restartChecks.ts"
import { runChecks } from "./runCheck.ts"
import { serverChecks } from "./serverChecks.ts"

export const checks: ReadonlyArray<Check> = [
  ...serverChecks,
  ...answerChecks,
  ...promptChecks,
  ...loadChecks,
  ...parallelChecks,
  ...parallelRunChecks,
  ...runChecks,
  ...restartChecks
]
