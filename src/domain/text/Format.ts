/**
 * Formats durations, sizes and paths for the user.
 */

const parted = (more: number, moreUnit: string, less: number, lessUnit: string): string =>
  less === 0 ? `${more} ${moreUnit}` : `${more} ${moreUnit} ${less} ${lessUnit}`

export const secondsText = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60
    ? parted(minutes, "min", seconds % 60, "s")
    : parted(Math.floor(minutes / 60), "h", minutes % 60, "min")
}

/** `1.7 s` below a minute. */
export const durationText = (ms: number): string =>
  ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : secondsText(Math.round(ms / 1000))

/** `12 ms` below a second. */
export const shortDurationText = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms))

/** `5.2 GB`, `270 MB`, `472 kB` */
export const sizeText = (bytes: number): string =>
  bytes >= 1e9
    ? `${(bytes / 1e9).toFixed(1)} GB`
    : bytes >= 1e6
      ? `${Math.round(bytes / 1e6)} MB`
      : `${Math.round(bytes / 1e3)} kB`

/** `12 bytes`, or a size above 1000. */
export const bytesText = (bytes: number): string => (bytes < 1000 ? counted(bytes, "byte") : sizeText(bytes))

/** Joins lines and collapses blanks. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

export const tableCell = (text: string): string => oneLine(text).replaceAll("|", "\\|")

/** Makes paths inside the project relative to it, but not longer paths that merely contain it. */
export const withoutProject = (text: string, project: string): string =>
  project.length < 2
    ? text
    : text
        .split(`${project}/`)
        .reduce((before, after) => (/[^\s"'`(<[:=]$/.test(before) ? `${before}${project}/${after}` : before + after))

/** A path, with `~` for the home folder. */
export const belowHome = (path: string, home: string): string =>
  home.length > 1 && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path

/** `1 task`, `2 tasks`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** The first names, and the number of further ones. */
export const namesOf = (names: ReadonlyArray<string>, most = 3): string =>
  `${names.slice(0, most).join("; ")}${names.length > most ? ` and ${names.length - most} more` : ""}`
