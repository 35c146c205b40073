/**
 * Functions for scripts: their options and results. Imported as "task-conductor/kit/scripts". Every version may change
 * it, so only features, and packages of exactly this version, may import it.
 */

/* Options. */
export { withOptions } from "../library/optionNames.ts"
export { configurationOf, onThisMachine } from "../library/programSettings.ts"
export type { ScriptOptions } from "../library/scriptOptions.ts"

/* Runs. */
export { newRunOf, type RunOptions } from "../library/run.ts"
export { type RunHandle, startWork } from "../library/WorkHandle.ts"
