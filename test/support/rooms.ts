/**
 * The order of the rooms of the source tree, for the architecture test: a module may import from its own room and from
 * rooms before it, type imports included. Everything outside of src/plugins is the core. A feature is one folder in
 * src/plugins; it imports of the core what the kit exports, and the core knows it only by its line in app/features.ts.
 */

/** The interface for authors of plugins. */
const pluginKit = "plugin-kit.ts"

/** What else of the core features and packages of this version may use, by topic. */
const kit = "kit"

/** The list of the features in the program. */
const featureList = "app/features.ts"

const roomsOf = (floor: string, names: string): ReadonlyArray<string> =>
  names.split(" ").map((name) => `${floor}/${name}`)

/** The rooms of the core, first to last. */
const core: ReadonlyArray<string> = [
  ...roomsOf(
    "domain",
    "text findings files commands markdown tools excerpts checks plan models skills permissions configuration grammar documents runs journal map plugins conversation history"
  ),
  ...roomsOf(
    "services",
    "runs files providers approvals permissions journal models commands tools checks references skills changes agent pipeline configuration plugins history map conversation"
  ),
  pluginKit,
  "app",
  ...roomsOf("cli", "approval terminal run runs plugins skills permissions models doctor init ask completion"),
  "cli",
  kit
]

/** The folders of features. */
const features: ReadonlyArray<string> = roomsOf(
  "plugins",
  "tools web openai check-tools model-bench report replay mcp acp telemetry cluster"
)

/** All rooms below src. */
export const rooms: ReadonlyArray<string> = [...core, ...features, "library"]

/** Where files may lie that are in no room: the entry points, which come after all rooms. */
export const entryPoints = "entry points"

/** True for a room of the core. */
export const isCore = (room: string): boolean => core.includes(room)

/** The room of a module, by its path below src. */
export const roomOf = (path: string): string => {
  if (path === pluginKit) return pluginKit
  if (!path.includes("/")) return entryPoints
  const named = rooms.filter((room) => path.startsWith(`${room}/`))
  return named.toSorted((a, b) => b.length - a.length)[0] ?? path
}

const isFeature = (room: string): boolean => features.includes(room)

/** Why a module may not import another; nothing when it may. */
export const misplacement = (from: string, target: string): string | undefined => {
  const [here, there] = [roomOf(from), roomOf(target)]
  if (here === there || here === entryPoints) return undefined
  if (isFeature(here)) {
    if (there === pluginKit || there === kit) return undefined
    return isCore(there)
      ? `${from} imports ${target}: a feature imports what packages can, which is ${pluginKit} and ${kit}. Export there what the feature needs.`
      : `${from} imports ${target}: a feature imports the core only. Move what both need to the core.`
  }
  if (here === "library") return there === entryPoints ? `${from} imports the entry point ${target}.` : undefined
  if (isFeature(there)) {
    return from === featureList
      ? undefined
      : `${from} imports ${target}: the core imports no feature. Let the feature bring it by a part of its plugin, and name the feature in ${featureList}.`
  }
  if (there === "library") {
    return here === kit
      ? undefined
      : `${from} imports ${target}: the library is made from the core. Move what both need to app.`
  }
  if (isCore(there) && core.indexOf(there) < core.indexOf(here)) return undefined
  return `${from} imports ${target}: ${here} comes before ${there}. Move what both need to ${here} or to a room before it, or move ${from} to ${there} or to a room after it.`
}
