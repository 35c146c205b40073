/** The Model Context Protocol in both directions: MCP servers become plugins, and this program can be an MCP server. */
import * as Effect from "effect/Effect"
import { definePlugin } from "../../plugin-kit.ts"

export const mcp = definePlugin({
  name: "mcp",
  discover: (place) =>
    Effect.flatMap(
      Effect.promise(() => import("./McpPlugins.ts")),
      ({ discoverServers }) => discoverServers(place)
    ),
  commands: {
    mcp: {
      line: "Start an MCP server on stdin and stdout",
      group: "EXTENDING",
      load: () => import("./command.ts").then(({ mcp }) => mcp)
    }
  }
})
