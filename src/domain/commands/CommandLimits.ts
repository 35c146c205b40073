/** The limits of commands: memory, processes, and the sizes of files and temporary folders. */

const mebibyte = 1_048_576

/** The settings below `limits` in the configuration. */
export interface GivenCommandLimits {
  /** The memory limit in megabytes; 0 for half of the machine's memory. */
  readonly commandMemoryMegabytes: number
  readonly commandProcesses: number
  readonly commandFileMegabytes: number
}

export const usualCommandLimits: GivenCommandLimits = {
  commandMemoryMegabytes: 0,
  commandProcesses: 4096,
  commandFileMegabytes: 4096
}

/** The smallest default memory limit, even on a machine with little memory. */
export const leastMemoryMegabytes = 2048

/** The size limit of each temporary folder of the sandbox. */
export const temporaryMegabytes = 2048

export interface CommandLimits {
  /** The memory of all processes together, including the temporary folders, which are in memory. */
  readonly memoryBytes: number
  /** The maximum number of processes and threads of the command. */
  readonly processes: number
  readonly fileBytes: number
  /** The maximum size of each temporary folder in the sandbox. */
  readonly temporaryBytes: number
}

export const commandLimitsOf = (settings: GivenCommandLimits, machineBytes: number): CommandLimits => {
  const ofMachine = Math.max(Math.floor(machineBytes / 2), leastMemoryMegabytes * mebibyte)
  const memoryBytes = settings.commandMemoryMegabytes === 0 ? ofMachine : settings.commandMemoryMegabytes * mebibyte
  return {
    memoryBytes,
    processes: settings.commandProcesses,
    fileBytes: settings.commandFileMegabytes * mebibyte,
    temporaryBytes: Math.min(temporaryMegabytes * mebibyte, memoryBytes)
  }
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / mebibyte)} MB`

/** The resources that a command uses at one moment. */
export interface CommandUsage {
  readonly memoryBytes: number
  readonly processes: number
}

export const memoryReason = (memoryBytes: number): string =>
  `It used more than ${megabytes(memoryBytes)} of memory and was stopped (limits.commandMemoryMegabytes).`

/** Why a command is stopped at this usage; undefined within the limits. */
export const exceededLimit = (limits: CommandLimits, { memoryBytes, processes }: CommandUsage): string | undefined => {
  if (processes >= limits.processes) {
    return `It had ${limits.processes} processes and threads and was stopped (limits.commandProcesses).`
  }
  return memoryBytes > limits.memoryBytes ? memoryReason(limits.memoryBytes) : undefined
}

/** A shell's exit code for SIGXFSZ, which ends a program at the file size limit. */
const fileSizeSignal = 128 + 25
const fileTooLarge = /file too large|EFBIG|file size limit exceeded/i
const noMoreProcesses =
  /cannot fork|can't start new thread|unable to create (?:native )?thread|(?:fork|spawn|clone|thread).{0,200}(?:resource temporarily unavailable|EAGAIN)/i
const noSpace = /no space left on device|ENOSPC/i

/**
 * A sentence about the limit that a failed command probably reached, judging by its output. Undefined if the command
 * succeeded, or if no limit seems to be the cause.
 */
export const likelyLimit = (
  limits: CommandLimits,
  { exitCode, output, sandboxed }: { readonly exitCode: number; readonly output: string; readonly sandboxed: boolean }
): string | undefined => {
  if (exitCode === 0) return undefined
  if (exitCode === fileSizeSignal || fileTooLarge.test(output)) {
    return `A file of a command may have at most ${megabytes(limits.fileBytes)} (limits.commandFileMegabytes).`
  }
  if (noMoreProcesses.test(output)) {
    return `A command may have at most ${limits.processes} processes and threads (limits.commandProcesses).`
  }
  if (sandboxed && noSpace.test(output)) {
    return `/tmp and each other temporary folder of the sandbox hold at most ${megabytes(limits.temporaryBytes)}, in memory; the project folder holds more.`
  }
  return undefined
}

/**
 * The beginning of a shell script that sets kernel limits for itself and all its children. It never loosens an existing
 * limit. If the machine runs out of memory, these processes end first. `countsHere`: the kernel counts only the
 * processes of the command, not all processes of the user.
 */
export const limitScript = ({ fileBytes, processes }: CommandLimits, countsHere: boolean): string => {
  /** The limit of processes is `-u` in some shells, and `-p` in others. */
  const ofProcesses = countsHere ? `ulimit -u ${processes} || ulimit -p ${processes};` : ""
  return `{ ulimit -f ${Math.ceil(fileBytes / 512)}; ${ofProcesses} echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null;`
}

/**
 * The folders of the control groups (version 2) that contain this process, the nearest first. The arguments are the
 * texts of `/proc/self/cgroup` and `/proc/self/mountinfo`. Empty if no mounted hierarchy of version 2 contains this
 * process.
 */
export const controlGroupFolders = (cgroup: string, mountInfo: string): ReadonlyArray<string> => {
  const groupPath = /^0::(\/.*)$/m.exec(cgroup)?.[1]
  const [, top, mounted] = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mountInfo) ?? []
  if (groupPath === undefined || top === undefined || mounted === undefined) return []
  const start = top === "/" ? "" : top
  if (groupPath.split("/").includes("..") || !`${groupPath}/`.startsWith(`${start}/`)) return []
  const parts = groupPath
    .slice(start.length)
    .split("/")
    .filter((part) => part !== "")
  return parts.map((_, index) => [mounted, ...parts.slice(0, parts.length - index)].join("/")).concat(mounted)
}
