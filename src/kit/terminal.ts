/**
 * Flags, input, output and failures of a command. Imported as "task-conductor/kit/terminal". Every version may change
 * it, so only features, and packages of exactly this version, may import it.
 */

/* Input, output and failures. */
export { makePaint, type Paint } from "../cli/terminal/Colour.ts"
export { type EventSink, progressSink } from "../cli/terminal/EventSink.ts"
export { CommandFailure, exitCodes, failureOf, quietFailure, usageFailure } from "../cli/terminal/Failure.ts"
export { readInput } from "../cli/terminal/Input.ts"
export { Output, redactValue, reserveStdout } from "../cli/terminal/Output.ts"
export { requireStays } from "../cli/terminal/OutputPlace.ts"
export { progressLine } from "../cli/terminal/Progress.ts"
export { carryOut } from "../cli/terminal/outcome.ts"

/* Flags, and the settings that they become. */
export { layerTerminal } from "../cli/approval/TerminalApprover.ts"
export {
  approvalFlags,
  flagConfiguration,
  modelConfiguration,
  modelFlags,
  outcomeFlags,
  plainFlag,
  runFlags,
  verboseFlag
} from "../cli/run/runFlags.ts"
export { showSharedRun } from "../cli/run/sharedRuns.ts"
export { clusterFlag, storeOf } from "../cli/runs/runs.ts"
export { namedSkill } from "../cli/skills/skills.ts"
export { runArgument, switchFlag, textFlag, withHelp } from "../cli/terminal/Flags.ts"
export { approvedBeforehand, runContextOf } from "../cli/terminal/runContext.ts"
