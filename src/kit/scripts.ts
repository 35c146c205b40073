/**
 * Functions for scripts: their options, and what they return. The entry point "task-conductor/kit/scripts", for features and for
 * packages of exactly this version: it may change with every version.
 */

/* Options. */
export { withOptions } from "../library/optionNames.ts"
export { configurationOf, onThisMachine, type ScriptOptions } from "../library/scriptOptions.ts"

/* Runs. */
export { newRunOf, type RunHandle, type RunOptions, startWork } from "../library/run.ts"
