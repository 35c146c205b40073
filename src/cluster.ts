/**
 * The entry point `task-conductor/cluster`: cluster runs for scripts. What the command line gives with `run --cluster`,
 * `attach`, `cancel` and `worker`.
 */
export {
  type AnswerOptions,
  attach,
  cancel,
  type ClusterRunOptions,
  type DatabaseOptions,
  run,
  work,
  type WorkOptions
} from "./library/cluster.ts"
export { DatabaseUnavailable, DatabaseUnnamed } from "./plugins/cluster/ClusterDatabase.ts"
export { ProjectShared } from "./plugins/cluster/ClusterRuns.ts"
export { RunWaits } from "./plugins/cluster/RunFollower.ts"
export { RunRefused } from "./plugins/cluster/RemoteAnswers.ts"
