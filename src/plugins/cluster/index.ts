/**
 * Runs that several machines work on, over a database.
 */
import { definePlugin } from "../../plugin-kit.ts"

const load = () => import("./command.ts")
const group = "SEVERAL MACHINES"

export const cluster = {
  ...definePlugin({
    name: "cluster",
    commands: {
      worker: {
        line: "Work on runs that were started with --cluster",
        group,
        load: () => load().then(({ worker }) => worker)
      },
      attach: { line: "Follow a run on the workers", group, load: () => load().then(({ attach }) => attach) },
      cancel: { line: "Cancel a run on the workers", group, load: () => load().then(({ cancel }) => cancel) }
    }
  }),
  sharedRuns: () => import("./sharedRuns.ts").then(({ sharedRuns }) => sharedRuns)
}
