/**
 * The order of the rooms of the source tree, for the architecture test: a module may import from its own room and from
 * rooms before it, type imports included. Rooms belong to one of two wings: the core, from reading text to the pipeline, and
 * features, which the core never imports. Both meet where the program is composed.
 */

/** The interface for authors of plugins: an entry point, and all that the built-in tools may import. */
const pluginKit = "plugin-kit.ts"

/** The rooms of the core, on every floor first to last. */
const core: ReadonlyArray<string> = [
  ...[
    "text",
    "findings",
    "files",
    "commands",
    "markdown",
    "tools",
    "excerpts",
    "checks",
    "plan",
    "models",
    "skills",
    "permissions",
    "configuration",
    "grammar",
    "documents",
    "runs",
    "journal"
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
    "checks",
    "references",
    "skills",
    "changes",
    "agent",
    "pipeline",
    "configuration"
  ].map((room) => `services/${room}`),
  pluginKit,
  "plugins",
  "cli/approval",
  "cli/terminal",
  "cli/run"
]

/** The rooms of features, on every floor first to last; each may use the core. */
const features: ReadonlyArray<string> = [
  ...["map", "plugins", "web", "conversation", "history", "report", "observability", "checking"].map(
    (room) => `domain/${room}`
  ),
  "services/providers/openai",
  ...["web", "plugins", "checking", "history", "map", "conversation", "observability", "mcp", "cluster"].map(
    (room) => `services/${room}`
  ),
  ...[
    "runs",
    "report",
    "check",
    "plugins",
    "skills",
    "permissions",
    "models",
    "doctor",
    "init",
    "mcp",
    "ask",
    "acp",
    "completion",
    "cluster"
  ].map((room) => `cli/${room}`)
]

/** Where the program is composed: what is chosen here may come from both wings. */
const composition: ReadonlyArray<string> = ["app", "library", "cli"]

/** Lists in rooms of the core that name features: the built-in providers of models. */
const lists: ReadonlySet<string> = new Set(["services/providers/providers.ts"])

/** All rooms below src. */
export const rooms: ReadonlyArray<string> = [...core, ...features, ...composition]

/** Where files may lie that are in no room: the entry points, which come after all rooms. */
export const entryPoints = "entry points"

const floors = ["domain", "services", "plugins", "app", "library", "cli"]

/** The room of a module, by its path below src. */
export const roomOf = (path: string): string => {
  if (path === pluginKit) return pluginKit
  if (!path.includes("/")) return entryPoints
  const named = rooms.filter((room) => path.startsWith(`${room}/`))
  return named.toSorted((a, b) => b.length - a.length)[0] ?? path
}

/** The wing of a room: `undefined` where the program is composed. */
export const wingOf = (room: string): "core" | "features" | undefined =>
  core.includes(room) ? "core" : features.includes(room) ? "features" : undefined

const floorOf = (room: string): number =>
  room === entryPoints ? floors.length : room === pluginKit ? 1.5 : floors.indexOf(room.split("/")[0] ?? "")

const orderIn = (wing: ReadonlyArray<string>, here: string, there: string): boolean =>
  wing.indexOf(there) <= wing.indexOf(here)

/** Why a module may not import another; nothing when it may. */
export const misplacement = (from: string, target: string): string | undefined => {
  const [here, there] = [roomOf(from), roomOf(target)]
  const [wing, other] = [wingOf(here), wingOf(there)]
  if (floorOf(here) === floors.indexOf("cli") && there === "library") {
    return `${from} imports ${target}: cli and library stand side by side. Move what both need to app.`
  }
  if (here === "plugins" && there !== here && there !== pluginKit) {
    return `${from} imports ${target}: a built-in tool imports what any plugin can, which is ${pluginKit}. Export there what a plugin needs, or move it to plugins.`
  }
  if (wing === "core" && other === "features" && !lists.has(from)) {
    return `${from} imports ${target}: ${here} belongs to the core, which imports no feature. Move what both need to the core, or choose the feature in app.`
  }
  if (floorOf(there) < floorOf(here)) return undefined
  const isLater =
    floorOf(there) > floorOf(here) ||
    (wing !== undefined && wing === other && !orderIn(wing === "core" ? core : features, here, there)) ||
    (wing !== undefined && other === undefined)
  if (!isLater) return undefined
  return `${from} imports ${target}: ${here} comes before ${there}. Move what both need to ${here} or to a room before it, or move ${from} to ${there} or to a room after it.`
}
