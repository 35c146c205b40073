/**
 * Chooses the context window of a run and the number of parallel calls: the user's setting, else the model's or server's, else
 * a default. The window never exceeds what the model supports.
 */
import * as Result from "effect/Result"

/** The default window in tokens: enough for the prompts of a run, and small enough for most machines. */
export const defaultContextWindow = 8192

/** The most that `--parallel` accepts. */
const mostSlots = 64

/** What the user set. */
export interface WindowWish {
  /** In tokens, from any setting. */
  readonly contextWindow?: number | undefined
  /** The window that was requested for this run alone. */
  readonly runWindow?: number | undefined
  readonly parallel?: number | undefined
  readonly plans?: number | undefined
}

/** The server's data about the model; sizes in tokens, absent when unknown. */
export interface ModelCapacity {
  /** `num_ctx` of the Modelfile. */
  readonly modelfileWindow?: number | undefined
  /** The window with which the server has loaded the model. */
  readonly loadedWindow?: number | undefined
  /** The largest window that the model was trained for. */
  readonly supportedWindow?: number | undefined
  /** How many calls the server processes in parallel. */
  readonly slots?: number | undefined
  /** The total tokens of all calls in progress. */
  readonly pool?: number | undefined
}

/** A note for the user about the window. */
export interface WindowNote {
  readonly text: string
  /** True when the window is smaller than requested. */
  readonly isLowered: boolean
}

/** The settings of a run's calls; absent ones stay unchanged. */
export interface CallCapacity {
  readonly contextWindow: number
  readonly parallel?: number
  readonly plans?: 2
  readonly note?: WindowNote
}

/** The window, with its origin unless it is the user's or the default. */
const wantedWindow = (
  model: string,
  { contextWindow }: WindowWish,
  { loadedWindow = 0, modelfileWindow }: ModelCapacity
) => {
  if (contextWindow !== undefined) return { wanted: contextWindow }
  if (modelfileWindow !== undefined)
    return { wanted: modelfileWindow, source: `as the Modelfile of "${model}" sets num_ctx` }
  // A model loaded with a smaller window was loaded for other work: it is loaded again.
  return loadedWindow > defaultContextWindow
    ? { wanted: loadedWindow, source: `with which the server has loaded "${model}"` }
    : { wanted: defaultContextWindow }
}

/** As many calls as the server processes in parallel. With several, two plans are requested, unless the calls share one window. */
const callsAtATime = ({ parallel, plans }: WindowWish, { pool, slots = Infinity }: ModelCapacity) => {
  if (parallel !== undefined || slots === Infinity) return {}
  const isRoomy = slots > 1 && pool === undefined && plans === undefined
  return { parallel: Math.min(slots, mostSlots), ...(isRoomy ? { plans: 2 as const } : {}) }
}

/**
 * Fits a run to its model. Fails when the window requested for this run exceeds what the model supports; a window from other
 * settings is lowered.
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
