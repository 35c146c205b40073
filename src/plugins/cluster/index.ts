/**
 * Runs that several machines work on, over a database: what the package gives to the program, which loads it when a command
 * line asks for such runs (src/app/clusterPackage.ts).
 */

/** Loads a command of the package by its name. */
export const loadCommand = (name: "attach" | "cancel" | "worker") =>
  import("./command.ts").then((commands) => commands[name])

/** Loads what `--cluster` uses. */
export const loadSharedRuns = () => import("./sharedRuns.ts").then(({ sharedRuns }) => sharedRuns)
