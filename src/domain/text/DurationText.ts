/**
 * Durations as a person writes them: `45 s`, `4 min 45 s`, `30 min`, `2 h 5 min`.
 */

const parted = (more: number, moreUnit: string, less: number, lessUnit: string): string =>
  less === 0 ? `${more} ${moreUnit}` : `${more} ${moreUnit} ${less} ${lessUnit}`

/** Whole seconds. */
export const secondsText = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? parted(minutes, "min", seconds % 60, "s")
    : parted(Math.floor(minutes / 60), "h", minutes % 60, "min")
}

/** `1.7 s` for what is shorter than a minute. */
export const durationText = (ms: number): string =>
  ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : secondsText(Math.round(ms / 1000))

/** `12 ms` for what is shorter than a second. */
export const shortDurationText = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms))
