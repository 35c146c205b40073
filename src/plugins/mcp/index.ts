/**
 * The Model Context Protocol in both directions: servers of it as plugins, and this program as a server.
 */
import { definePlugin } from "../../plugin-kit.ts"
import { discoverServers } from "./McpPlugins.ts"

export const mcp = definePlugin({
  name: "mcp",
  discover: discoverServers,
  commands: {
    mcp: {
      line: "Start an MCP server on stdin and stdout",
      group: "EXTENDING",
      load: () => import("./command.ts").then(({ mcp }) => mcp)
    }
  }
})
