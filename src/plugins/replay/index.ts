/**
 * Replays saved runs without a model.
 */
import { definePlugin } from "../../plugin-kit.ts"

export const replay = definePlugin({
  name: "replay",
  commands: {
    replay: {
      line: "Replay a run without a model and check that it still gives the same result",
      group: "RUNS",
      load: () => import("./command.ts").then(({ replay }) => replay)
    }
  }
})
