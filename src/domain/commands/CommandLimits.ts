/** What a command may use of the machine: memory, processes, the size of files and of temporary folders. */

const mebibyte = 1_048_576

/** As a person sets them below `limits`. */
export interface GivenCommandLimits {
  /** 0 for half of the memory of the machine. */
  readonly commandMemoryMegabytes: number
  readonly commandProcesses: number
  readonly commandFileMegabytes: number
}

export const usualCommandLimits: GivenCommandLimits = {
  commandMemoryMegabytes: 0,
  commandProcesses: 4096,
  commandFileMegabytes: 4096
}

/** A machine with less memory is not left with less than this for a command. */
export const leastMemoryMegabytes = 2048

/** The most that each temporary folder of the sandbox holds. */
export const temporaryMegabytes = 2048

export interface CommandLimits {
  /** Of all its processes, with what it has written to temporary folders of the sandbox, which lie in memory. */
  readonly memoryBytes: number
  /** Its processes with all their threads. */
  readonly processes: number
  readonly fileBytes: number
  /** Of each temporary folder in the sandbox. */
  readonly temporaryBytes: number
}

/** The limits on a machine with so much memory. */
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

/** What a command uses at one moment. */
export interface CommandUsage {
  readonly memoryBytes: number
  readonly processes: number
}

/** Why a command was stopped that used too much memory. */
export const memoryReason = (memoryBytes: number): string =>
  `It used more than ${megabytes(memoryBytes)} of memory and was stopped (limits.commandMemoryMegabytes).`

/** Why a command that uses this is stopped; nothing while it may go on. */
export const exceededLimit = (limits: CommandLimits, { memoryBytes, processes }: CommandUsage): string | undefined => {
  if (processes >= limits.processes) {
    return `It had ${limits.processes} processes and threads and was stopped (limits.commandProcesses).`
  }
  return memoryBytes > limits.memoryBytes ? memoryReason(limits.memoryBytes) : undefined
}

/** The exit code of a shell for SIGXFSZ, which ends a program that writes beyond the limit of a file. */
const fileSizeSignal = 128 + 25
const fileTooLarge = /file too large|EFBIG|file size limit exceeded/i
const noMoreProcesses =
  /cannot fork|can't start new thread|unable to create (?:native )?thread|(?:fork|spawn|clone|thread).{0,200}(?:resource temporarily unavailable|EAGAIN)/i
const noSpace = /no space left on device|ENOSPC/i

/** The limit that made a command fail by itself, as far as its output tells. */
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
 * The start of a shell script that sets the limits which the kernel holds for its process and all that it starts, and makes
 * them the first to be ended when the machine has no memory left. `countsHere` says whether processes are counted for the
 * command alone, and not for all that the user runs. A stricter limit that is there already stays.
 */
export const limitScript = ({ fileBytes, processes }: CommandLimits, countsHere: boolean): string => {
  /* Shells differ in the letter for processes. */
  const ofProcesses = countsHere ? `ulimit -u ${processes} || ulimit -p ${processes};` : ""
  return `{ ulimit -f ${Math.ceil(fileBytes / 512)}; ${ofProcesses} echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null;`
}

/**
 * The folders of the control group (version 2) of this process and of those above it, nearest first, by its `cgroup` and
 * `mountinfo` in /proc. None where no hierarchy of this version is mounted that holds it.
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
