/**
 * Chooses the context window of a run and the number of parallel calls. The user's settings override what the model and
 * its server report, and both override the default. The window never exceeds what the model supports.
 */
import * as Result from "effect/Result"

/** The default window in tokens: enough for a run, and small enough for most machines. */
export const defaultContextWindow = 8192

/** The largest value of `--parallel`. */
const mostSlots = 64

/** What the user has set for windows and parallel calls. */
export interface WindowWish {
  /** The window in tokens, from any setting of the user. */
  readonly contextWindow?: number | undefined
  /** The window in tokens that the user set for this run only. */
  readonly runWindow?: number | undefined
  readonly parallel?: number | undefined
  readonly plans?: number | undefined
}

/** What the server reports about a model. Sizes are in tokens. A field is absent if the server does not report it. */
export interface ModelCapacity {
  /** The parameter `num_ctx` of the Modelfile. */
  readonly modelfileWindow?: number | undefined
  /** The window with which the server has loaded the model. */
  readonly loadedWindow?: number | undefined
  /** The largest window that the model was trained for. */
  readonly supportedWindow?: number | undefined
  /** How many calls the server processes in parallel. */
  readonly slots?: number | undefined
  /** The total tokens that all calls in progress share. */
  readonly pool?: number | undefined
}

/** Why the window is not the default, or why it is smaller than requested. */
export interface WindowNote {
  readonly text: string
  /** True if the window is smaller than the user requested. */
  readonly isLowered: boolean
}

/** The capacity for the calls of a run. If a field is absent, the run keeps its setting. */
export interface CallCapacity {
  readonly contextWindow: number
  readonly parallel?: number
  readonly plans?: 2
  readonly note?: WindowNote
}

/**
 * The window that the run asks for. `source` says where it comes from. `source` is absent for the user's setting and
 * for the default.
 */
const wantedWindow = (
  model: string,
  { contextWindow }: WindowWish,
  { loadedWindow = 0, modelfileWindow }: ModelCapacity
) => {
  if (contextWindow !== undefined) return { wanted: contextWindow }
  if (modelfileWindow !== undefined)
    return { wanted: modelfileWindow, source: `as the Modelfile of "${model}" sets num_ctx` }
  // A window below the default was loaded for other work, so the run loads the model again.
  return loadedWindow > defaultContextWindow
    ? { wanted: loadedWindow, source: `with which the server has loaded "${model}"` }
    : { wanted: defaultContextWindow }
}

/**
 * Sets the number of parallel calls to what the server can handle at once. If the server handles several calls, each
 * with its own window, the run also makes two plans.
 */
const callsAtATime = ({ parallel, plans }: WindowWish, { pool, slots = Infinity }: ModelCapacity) => {
  if (parallel !== undefined || slots === Infinity) return {}
  const isRoomy = slots > 1 && pool === undefined && plans === undefined
  return { parallel: Math.min(slots, mostSlots), ...(isRoomy ? { plans: 2 as const } : {}) }
}

/**
 * Chooses the window and parallel calls of a run. Fails if the user set an unsupported window for this run. Any other
 * window is lowered to what the model supports.
 */
export const fitCalls = (
  model: string,
  wish: WindowWish,
  capacity: ModelCapacity
): Result.Result<CallCapacity, string> => {
  const { source, wanted } = wantedWindow(model, wish, capacity)
  const contextWindow = Math.min(wanted, capacity.supportedWindow ?? Infinity)
  const isLowered = contextWindow < wanted
  if (isLowered && wanted === wish.runWindow) {
    const what = `the model "${model}" supports ${contextWindow} tokens, and ${wanted} were asked for.`
    return Result.fail(`${what} Ask for ${contextWindow} or fewer, or leave it out.`)
  }
  const calls = { contextWindow, ...callsAtATime(wish, capacity) }
  if (!isLowered && source === undefined) return Result.succeed(calls)
  const text = isLowered
    ? `The context window is lowered from ${wanted} to ${contextWindow} tokens: the model "${model}" does not support more.`
    : `The context window is ${contextWindow} tokens, ${source}. Set another with --context-window.`
  return Result.succeed({ ...calls, note: { text, isLowered } })
}
