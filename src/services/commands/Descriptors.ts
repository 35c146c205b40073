/**
 * Open files that this process got from the program that started it. Node passes on to its children what is not marked to
 * be closed, and such a descriptor would give a command a file outside its sandbox. On Linux only; elsewhere none is found.
 */
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"

/** O_CLOEXEC in the flags that the kernel shows. Node opens everything with it. */
const closedForChildren = 0o2000000

const isPassedOn = (descriptor: number): boolean => {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1] ?? "0"
    return (Number.parseInt(flags, 8) & closedForChildren) === 0
  } catch {
    return false
  }
}

/** The descriptors beside stdin, stdout and stderr that children would get. */
const inheritedDescriptors = (): ReadonlyArray<number> => {
  try {
    const all = readdirSync("/proc/self/fd").map(Number)
    return all.filter((descriptor) => descriptor > 2 && isPassedOn(descriptor))
  } catch {
    return []
  }
}

/** Deno closes only what was opened with it; commands get an empty pipe in the place of what stays open. */
const closeQuietly = (descriptor: number): void => {
  try {
    closeSync(descriptor)
  } catch {
    /* It is closed, or belongs to the runtime. */
  }
}

/**
 * Closes what this process got beside stdin, stdout and stderr, except for the channel to a parent that has one. Only for a
 * process that is this program as a whole: in others the files belong to somebody.
 */
export const closeInherited = (): void => {
  const channel = Number(process.env["NODE_CHANNEL_FD"] ?? "-1")
  for (const descriptor of inheritedDescriptors()) if (descriptor !== channel) closeQuietly(descriptor)
}

/** The options of a child that put an empty pipe in the place of each inherited descriptor. */
export const withoutInherited = (): Readonly<Record<`fd${number}`, { readonly type: "input" }>> =>
  Object.fromEntries(inheritedDescriptors().map((descriptor) => [`fd${descriptor}`, { type: "input" as const }]))

/**
 * The same for `fork` of Node, which takes a list: an empty device in the place of each. `first` are the entries for the
 * first descriptors. `close` is called when the child has started.
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
