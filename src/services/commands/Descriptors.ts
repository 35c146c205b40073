/**
 * Protects files that this process inherited as open descriptors. Node passes descriptors without the close-on-exec
 * flag to its children. Through such a descriptor, a command could use a file outside its sandbox. Works on Linux only.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"

/** The flag O_CLOEXEC in the number that the kernel shows. Node opens all its files with this flag. */
const closedForChildren = 0o2000000

const isPassedOn = (descriptor: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1] ?? "0"
    return (Number.parseInt(flags, 8) & closedForChildren) === 0
  } catch {
    return false
  }
}

/** The descriptors that children would inherit, except stdin, stdout and stderr. */
const inheritedDescriptors = (): ReadonlyArray<number> => {
  try {
    const all = readdirSync("/proc/self/fd").map(Number)
    return all.filter((descriptor) => descriptor > 2 && isPassedOn(descriptor))
  } catch {
    return []
  }
}

/**
 * Closes a descriptor if possible. Deno closes only descriptors that it opened. In place of each remaining descriptor,
 * commands get an empty pipe.
 */
const closeQuietly = (descriptor: number): void => {
  try {
    closeSync(descriptor)
  } catch {
    /** The descriptor was already closed, or it belongs to the runtime. */
  }
}

/**
 * Closes inherited descriptors except stdin, stdout, stderr and the channel to a parent. Use this only in a process
 * that runs nothing but this program. In other processes, the descriptors belong to other code.
 */
export const closeInherited = (): void => {
  const channel = Number(process.env["NODE_CHANNEL_FD"] ?? "-1")
  for (const descriptor of inheritedDescriptors()) if (descriptor !== channel) closeQuietly(descriptor)
}

/** Returns options for a child process that replace each inherited descriptor with an empty pipe. */
export const withoutInherited = (): Readonly<Record<`fd${number}`, { readonly type: "input" }>> =>
  Object.fromEntries(inheritedDescriptors().map((descriptor) => [`fd${descriptor}`, { type: "input" as const }]))

/**
 * Returns options for Node's `fork` that replace each inherited descriptor with an empty device. `first` contains the
 * entries for the first descriptors. Call `close` when the child has started.
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
