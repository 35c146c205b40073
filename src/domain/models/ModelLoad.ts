/** Tells the user why a server loaded a model again, as far as the facts of the run show it. */
import { durationText } from "../text/Format.ts"

/** How long a server keeps a model loaded after a call by default. */
export const defaultKeepAlive = "30m"

/** What happened since the last answer of the model. */
export interface SinceLoaded {
  readonly idleMs: number
  /** How long the server keeps the model loaded after a call, such as "30m". Negative: for ever. */
  readonly keepAlive: string
  /** Another model that the run called since the model's last answer. */
  readonly otherModel?: string | undefined
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

const inMs = (time: string): number => {
  const [, number = "", unit = ""] = /^(-?\d+)(ms|s|m|h)$/.exec(time) ?? []
  const ms = Number(number) * (units[unit] ?? NaN)
  return number === "" || ms < 0 ? Infinity : ms
}

const cause = ({ idleMs, keepAlive, otherModel }: SinceLoaded): string => {
  if (idleMs >= inMs(keepAlive)) {
    return `it was not used for ${durationText(idleMs)}, and is kept for ${keepAlive}. Raise --keep-alive to keep it longer.`
  }
  if (otherModel !== undefined) {
    return `the server does not keep it in memory beside ${otherModel}. Use one model for all stages, smaller ones, or a smaller context window.`
  }
  return "another program unloaded it, needed its memory, or asked for it with another context window."
}

/** A sentence for the user: how long the server took to load a model again, and why. */
export const loadedAnewText = (model: string, loadMs: number, since: SinceLoaded): string =>
  `The server loaded ${model} anew, which took ${durationText(loadMs)}, because ${cause(since)}`
