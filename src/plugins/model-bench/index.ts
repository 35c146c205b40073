/**
 * Tries models on a small set of tasks and compares them.
 */
import { definePlugin } from "../../plugin-kit.ts"

export const modelBench = definePlugin({
  name: "model-bench",
  commands: {
    "models bench": {
      line: "Try models on a small set of tasks",
      load: () => import("./command.ts").then(({ bench }) => bench)
    }
  }
})
