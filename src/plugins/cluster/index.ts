/**
 * What the package `task-conductor-cluster` adds to the program. The program loads it for the commands `worker`,
 * `attach` and `cancel`, and for the flag `--cluster` (src/app/clusterPackage.ts).
 */

export const loadCommand = (name: "attach" | "cancel" | "worker") =>
  import("./command.ts").then((commands) => commands[name])

export const loadSharedRuns = () => import("./sharedRuns.ts").then(({ sharedRuns }) => sharedRuns)
