/**
 * Handles open files that this process inherited. Node passes descriptors without the close-on-exec flag to its
 * children. A command could then use a file outside its sandbox. Works on Linux only.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"

/** O_CLOEXEC as the kernel shows it. Node opens all its files with this flag. */
const closedForChildren = 0o2000000

const isPassedOn = (descriptor: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1] ?? "0"
    return (Number.parseInt(flags, 8) & closedForChildren) === 0
  } catch {
    return false
  }
}

/** The descriptors besides stdin, stdout and stderr that children would inherit. */
const inheritedDescriptors = (): ReadonlyArray<number> => {
  try {
    const all = readdirSync("/proc/self/fd").map(Number)
    return all.filter((descriptor) => descriptor > 2 && isPassedOn(descriptor))
  } catch {
    return []
  }
}

/** Deno closes only descriptors that it opened. Commands get an empty pipe in place of each other descriptor. */
const closeQuietly = (descriptor: number): void => {
  try {
    closeSync(descriptor)
  } catch {
    /** The descriptor is already closed, or belongs to the runtime. */
  }
}

/**
 * Closes inherited descriptors except stdin, stdout, stderr and the channel to a parent. Use it only in a process that
 * runs nothing but this program. In other processes the files belong to other code.
 */
export const closeInherited = (): void => {
  const channel = Number(process.env["NODE_CHANNEL_FD"] ?? "-1")
  for (const descriptor of inheritedDescriptors()) if (descriptor !== channel) closeQuietly(descriptor)
}

/** Options for a child process. They replace each inherited descriptor with an empty pipe. */
export const withoutInherited = (): Readonly<Record<`fd${number}`, { readonly type: "input" }>> =>
  Object.fromEntries(inheritedDescriptors().map((descriptor) => [`fd${descriptor}`, { type: "input" as const }]))

/**
 * Options for Node's `fork`. An empty device replaces each inherited descriptor. `first` are the entries for the first
 * descriptors. Call `close` when the child has started.
 */
export const stdioWithoutInherited = <A>(first: ReadonlyArray<A>) => {
  const nothing = openSync("/dev/null", "r")
  const stdio: Array<A | "ignore" | number> = [...first]
  for (const descriptor of inheritedDescriptors()) {
    while (stdio.length <= descriptor) stdio.push("ignore")
    if (descriptor >= first.length) stdio[descriptor] = nothing
  }
  return { stdio, close: () => closeSync(nothing) }
}
