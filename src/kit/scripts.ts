/**
 * Functions for scripts: their options and results. The entry point "task-conductor/kit/scripts", for features and for
 * packages of exactly this version: it may change with every version.
 */

/* Options. */
export { withOptions } from "../library/optionNames.ts"
export { configurationOf, onThisMachine } from "../library/programSettings.ts"
export type { ScriptOptions } from "../library/scriptOptions.ts"

/* Runs. */
export { newRunOf, type RunOptions } from "../library/run.ts"
export { type RunHandle, startWork } from "../library/WorkHandle.ts"
