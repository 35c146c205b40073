/**
 * Protects files that this process inherited as open descriptors. Node passes descriptors without the close-on-exec
 * flag to its children. A command could use them to reach files outside its sandbox. Works on Linux only.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"

/** The flag O_CLOEXEC, as the kernel shows it. Node opens all its files with it. */
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
 * Closes a descriptor, and ignores a failure. Deno closes only descriptors that it opened itself. In place of each
 * other descriptor, commands get an empty pipe.
 */
const closeQuietly = (descriptor: number): void => {
  try {
    closeSync(descriptor)
  } catch {
    /** Already closed, or in use by the runtime. */
  }
}

/**
 * Closes inherited descriptors except stdin, stdout, stderr and the channel to a parent. Call it only in a process that
 * runs nothing but this program, because other code may need its descriptors.
 */
export const closeInherited = (): void => {
  const channel = Number(process.env["NODE_CHANNEL_FD"] ?? "-1")
  for (const descriptor of inheritedDescriptors()) if (descriptor !== channel) closeQuietly(descriptor)
}

/** Options for a child process that replace each inherited descriptor with an empty pipe. */
export const withoutInherited = (): Readonly<Record<`fd${number}`, { readonly type: "input" }>> =>
  Object.fromEntries(inheritedDescriptors().map((descriptor) => [`fd${descriptor}`, { type: "input" as const }]))

/**
 * Options for Node's `fork` that replace each inherited descriptor with an empty device. `first` contains the first
 * entries. Call `close` when the child has started.
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
