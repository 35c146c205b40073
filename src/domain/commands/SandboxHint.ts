/**
 * What a person can set when a command failed because of the sandbox: read from its output, and said in one sentence that a
 * model can pass on.
 */

/** A setting below "sandbox" in the person's configuration, as JSON. */
type Setting = "network" | "unixSockets" | "git" | "readable" | "writable"

const sentence = (what: string, setting: Setting, value: string): string =>
  `The sandbox is the likely cause: ${what}. Only the person can allow it, in ~/.config/task-conductor/config.json: "sandbox": { "${setting}": ${value} }.`

/** The hint for a path that commands do not see. */
export const hiddenPathHint = (shown: string): string =>
  sentence(`${shown} is hidden from commands`, "readable", JSON.stringify([shown]))

/** The hint for a path that commands may only read. */
export const fixedPathHint = (shown: string): string =>
  sentence(`commands may not write ${shown}`, "writable", JSON.stringify([shown]))

export const fixedRepositoryHint: string = sentence("commands may not change the repository", "git", "true")

const noNetwork =
  /could not resolve|temporary failure in name resolution|name or service not known|nodename nor servname|EAI_AGAIN|ENOTFOUND|ENETUNREACH|network is unreachable|getaddrinfo|unknown ?host|no such host|dial tcp\b|failed to lookup address|error sending request|nameresolution|--offline|ENOTCACHED|in offline mode|CARGO_NET_OFFLINE/i
const noUnixSocket = /address family not supported|EAFNOSUPPORT/i

/** The hint for what is off as a whole, by the output of a failed command. */
export const switchedOffHint = (
  output: string,
  { network, unixSockets }: { readonly network: boolean; readonly unixSockets: boolean }
): string | undefined => {
  if (!network && noNetwork.test(output)) return sentence("the network is off for commands", "network", "true")
  if (!unixSockets && noUnixSocket.test(output))
    return sentence("Unix sockets are off for commands", "unixSockets", "true")
  return undefined
}

const readOnly = /read-only file system|EROFS/i
const unfound =
  /no such file|not found|cannot (?:open|find|access|load|stat)|can't (?:open|find)|ENOENT|does ?n[o']t exist|not accessible|unable to|could not|couldn't|failed to|bad interpreter|not a valid/i

const absolute = /(?:^|[\s"'`(<[=:@])(\/[^\s"'`()<>[\]:,;*?|]+)/g

const pathsIn = (line: string): ReadonlyArray<string> =>
  [...line.matchAll(absolute)].map(([, path = ""]) => path.replace(/[./]+$/, "")).filter((path) => path !== "")

/** More are not looked at. */
const maxPaths = 100

const pathsOfLines = (output: string, pattern: RegExp): ReadonlyArray<string> => {
  const lines = output.split("\n").filter((line) => line.length < 4000 && pattern.test(line))
  return [...new Set(lines.flatMap(pathsIn))].slice(0, maxPaths)
}

/** Absolute paths in lines that say that something is not there. */
export const unfoundPaths = (output: string): ReadonlyArray<string> => pathsOfLines(output, unfound)

/** Absolute paths in lines that say that something cannot be written. */
export const fixedPaths = (output: string): ReadonlyArray<string> => pathsOfLines(output, readOnly)

/** True for a line that says that something in the folder `.git` cannot be written. */
export const failsInRepository = (output: string): boolean =>
  output.split("\n").some((line) => readOnly.test(line) && /(?:^|[\s"'`/])\.git\//.test(line))
