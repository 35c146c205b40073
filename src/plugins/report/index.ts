/**
 * One HTML page with everything about a run.
 */
import { definePlugin } from "../../plugin-kit.ts"

export const report = definePlugin({
  name: "report",
  commands: {
    report: {
      line: "Write one HTML page with everything about a run. It needs no network",
      group: "RUNS",
      load: () => import("./command.ts").then(({ report }) => report)
    }
  }
})
