/**
 * The context window of a run, and how many calls it makes at a time: what the user set, else what the model or the server
 * has, else a default; never more than the model supports.
 */
import * as Result from "effect/Result"

/** The window when nobody says anything, in tokens: enough for the prompts of a run, and small enough for most machines. */
export const defaultContextWindow = 8192

/** As many calls as `--parallel` may name. */
const mostSlots = 64

/** What the user set. */
export interface WindowWish {
  /** In tokens, wherever it was set. */
  readonly contextWindow?: number | undefined
  /** The window that was asked for in this run alone. */
  readonly runWindow?: number | undefined
  readonly parallel?: number | undefined
  readonly plans?: number | undefined
}

/** What the server says of the model; sizes in tokens, absent when it does not say them. */
export interface ModelCapacity {
  /** `num_ctx` of the Modelfile. */
  readonly modelfileWindow?: number | undefined
  /** The window with which the server has loaded the model. */
  readonly loadedWindow?: number | undefined
  /** The largest window that the model was trained for. */
  readonly supportedWindow?: number | undefined
  /** How many calls the server works on at a time. */
  readonly slots?: number | undefined
  /** How many tokens the calls under way may have together. */
  readonly pool?: number | undefined
}

/** What the user should know about the window. */
export interface WindowNote {
  readonly text: string
  /** True when it is smaller than it was wanted. */
  readonly isLowered: boolean
}

/** How a run calls its model; what is absent stays as it is set. */
export interface CallCapacity {
  readonly contextWindow: number
  readonly parallel?: number
  readonly plans?: 2
  readonly note?: WindowNote
}

/** The window, and where it comes from when neither the user nor the default says it. */
const wantedWindow = (
  model: string,
  { contextWindow }: WindowWish,
  { loadedWindow = 0, modelfileWindow }: ModelCapacity
) => {
  if (contextWindow !== undefined) return { wanted: contextWindow }
  if (modelfileWindow !== undefined)
    return { wanted: modelfileWindow, source: `as the Modelfile of "${model}" sets num_ctx` }
  // A model that is loaded with less was not loaded for this work: it is loaded anew.
  return loadedWindow > defaultContextWindow
    ? { wanted: loadedWindow, source: `with which the server has loaded "${model}"` }
    : { wanted: defaultContextWindow }
}

/** As many calls as the server works on; with room for several, two plans are asked for, unless they share one window. */
const callsAtATime = ({ parallel, plans }: WindowWish, { pool, slots = Infinity }: ModelCapacity) => {
  if (parallel !== undefined || slots === Infinity) return {}
  const isRoomy = slots > 1 && pool === undefined && plans === undefined
  return { parallel: Math.min(slots, mostSlots), ...(isRoomy ? { plans: 2 as const } : {}) }
}

/**
 * Fits a run to its model. Fails with what is wrong when the window that was asked for in this run alone is larger than the
 * model supports; one that was set elsewhere is lowered.
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
