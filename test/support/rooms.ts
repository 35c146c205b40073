/**
 * The order of the rooms of the source tree, for the architecture test: a module may import from its own room and from
 * rooms before it, type imports included.
 */

/** The interface for authors of plugins: an entry point, and all that the built-in tools may import. */
const pluginKit = "plugin-kit.ts"

/** All rooms below src, first to last. The other entry points, which lie in src itself, come after all of them. */
export const rooms: ReadonlyArray<string> = [
  ...[
    "text",
    "findings",
    "files",
    "commands",
    "tools",
    "markdown",
    "plan",
    "models",
    "skills",
    "permissions",
    "configuration",
    "web",
    "map",
    "plugins",
    "grammar",
    "documents",
    "runs",
    "conversation",
    "history",
    "report",
    "observability",
    "checking"
  ].map((room) => `domain/${room}`),
  ...[
    "runs",
    "files",
    "providers",
    "approvals",
    "permissions",
    "journal",
    "models",
    "commands",
    "tools",
    "references",
    "skills",
    "history",
    "pipeline",
    "conversation",
    "configuration",
    "observability",
    "web",
    "map",
    "plugins",
    "mcp",
    "cluster"
  ].map((room) => `services/${room}`),
  pluginKit,
  "plugins",
  "app",
  "library",
  "cli"
]

/** Where files may lie that are in no room. */
export const entryPoints = "entry points"

/** The room of a module, by its path below src. */
export const roomOf = (path: string): string => {
  const [first = "", second = ""] = path.split("/")
  if (path === pluginKit) return pluginKit
  if (!path.includes("/")) return entryPoints
  return first === "domain" || first === "services" ? `${first}/${second}` : first
}

const rankOf = (room: string): number => (room === entryPoints ? rooms.length : rooms.indexOf(room))

/** Why a module may not import another; nothing when it may. */
export const misplacement = (from: string, target: string): string | undefined => {
  const [here, there] = [roomOf(from), roomOf(target)]
  if (here === "cli" && there === "library") {
    return `${from} imports ${target}: cli and library stand side by side. Move what both need to app.`
  }
  if (here === "plugins" && there !== here && there !== pluginKit) {
    return `${from} imports ${target}: a built-in tool imports what any plugin can, which is ${pluginKit}. Export there what a plugin needs, or move it to plugins.`
  }
  if (rankOf(there) <= rankOf(here)) return undefined
  return `${from} imports ${target}: ${here} comes before ${there}. Move what both need to ${here} or to a room before it, or move ${from} to ${there} or to a room after it.`
}
