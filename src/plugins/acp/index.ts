/**
 * An agent for editors, by the Agent Client Protocol.
 */
import { definePlugin } from "../../plugin-kit.ts"

export const acp = definePlugin({
  name: "acp",
  commands: {
    acp: {
      line: "Start an agent for editors on stdin and stdout",
      group: "EXTENDING",
      load: () => import("./command.ts").then(({ acp }) => acp)
    }
  }
})
