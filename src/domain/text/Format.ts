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

/** A duration with its unit: in seconds, such as `1.7 s`, and from one minute on in minutes or hours. */
export const durationText = (ms: number): string =>
  ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : secondsText(Math.round(ms / 1000))

/** Like `durationText`, but below one second in milliseconds, such as `12 ms`. */
export const shortDurationText = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : durationText(ms))

/** A size such as `5.2 GB`, `270 MB` or `472 kB`. */
export const sizeText = (bytes: number): string =>
  bytes >= 1e9
    ? `${(bytes / 1e9).toFixed(1)} GB`
    : bytes >= 1e6
      ? `${Math.round(bytes / 1e6)} MB`
      : `${Math.round(bytes / 1e3)} kB`

/** A size such as `12 bytes`; from 1000 bytes on, as in `sizeText`. */
export const bytesText = (bytes: number): string => (bytes < 1000 ? counted(bytes, "byte") : sizeText(bytes))

/** Joins a text to one line, with single blanks. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

export const tableCell = (text: string): string => oneLine(text).replaceAll("|", "\\|")

/** Makes paths inside the project relative. Other paths that contain the project's path stay unchanged. */
export const withoutProject = (text: string, project: string): string =>
  project.length < 2
    ? text
    : text
        .split(`${project}/`)
        .reduce((before, after) => (/[^\s"'`(<[:=]$/.test(before) ? `${before}${project}/${after}` : before + after))

/** The path, with `~` in place of the home folder. */
export const belowHome = (path: string, home: string): string =>
  home.length > 1 && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path

/** A number with its noun, such as `1 task` or `2 tasks`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** The first names, and the number of the others. */
export const namesOf = (names: ReadonlyArray<string>, most = 3): string =>
  `${names.slice(0, most).join("; ")}${names.length > most ? ` and ${names.length - most} more` : ""}`
