/**
 * Linux control groups (version 2), if this program may create one. In a group, the kernel enforces the limits of
 * memory and processes at every moment, also for root. Without one, the program only measures a few times a second.
 *
 * Ending a group ends all its processes, even those that left their parent. The program creates a group below its own,
 * or below a higher group of the user. A trial shows whether this works.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { type CommandLimits, controlGroupFolders, memoryReason } from "../../domain/commands/CommandLimits.ts"
import { groupPrefix } from "./Watchdog.ts"

export interface ControlGroup {
  /** The words that run a command in the group. If the group is gone, the command runs without it. */
  readonly enter: (argv: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Why the kernel ended the whole group; undefined if it did not. */
  readonly exceeded: () => string | undefined
}

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const succeeds = (work: () => unknown): boolean => {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** Writing zero moves the writing process into the group. This process is the shell, which then becomes the command. */
const enterScript = 'echo 0 2>/dev/null > "$0/cgroup.procs"; exec "$@"'
const enterWords = (folder: string, argv: ReadonlyArray<string>) => ["/bin/sh", "-c", enterScript, folder, ...argv]

const makeIn = (parent: string): string | undefined => {
  try {
    return mkdtempSync(path.join(parent, groupPrefix))
  } catch {
    return undefined
  }
}

/**
 * Tests control groups in a folder: a process must be able to enter a new group, and must end when the group is killed.
 */
const works = (parent: string): boolean => {
  const folder = makeIn(parent)
  if (folder === undefined) return false
  const [program = "", ...words] = enterWords(folder, ["/bin/cat", "/proc/self/cgroup"])
  const { stdout } = spawnSync(program, words, { encoding: "utf8", timeout: 5000 })
  const isIn = stdout?.includes(`/${path.basename(folder)}\n`) === true
  const isEnded = succeeds(() => writeFileSync(path.join(folder, "cgroup.kill"), "1"))
  succeeds(() => rmdirSync(folder))
  return isIn && isEnded
}

const controllersOf = (parent: string): ReadonlyArray<string> =>
  textOf(path.join(parent, "cgroup.subtree_control")).trim().split(/\s+/)

/**
 * The nearest folder whose groups can limit memory and processes. If there is none, the nearest folder in which groups
 * can be created.
 */
const findParent = Effect.sync(() => {
  if (process.platform !== "linux") return undefined
  const folders = controlGroupFolders(textOf("/proc/self/cgroup"), textOf("/proc/self/mountinfo"))
  const found = folders.filter(works)
  const bounding = found.find((one) => ["memory", "pids"].every((name) => controllersOf(one).includes(name)))
  return bounding ?? found[0]
})

/** How often a removal is tried. It fails while the kernel is ending the processes of the group. */
const looks = 50

const remove = Effect.fnUntraced(function* (folder: string) {
  succeeds(() => writeFileSync(path.join(folder, "cgroup.kill"), "1"))
  for (let look = 0; look < looks; look++) {
    if (succeeds(() => rmdirSync(folder))) return
    /** Waits in real time, because a test clock does not affect the kernel. */
    yield* Effect.promise(() => setTimeout(20))
  }
})

const open = (parent: string, { memoryBytes, processes }: CommandLimits) => {
  const folder = makeIn(parent)
  if (folder === undefined) return undefined
  const set = (name: string, value: number) =>
    succeeds(() => writeFileSync(path.join(folder, name), `${value}`, { flag: "r+" }))
  set("memory.max", memoryBytes)
  set("memory.swap.max", 0)
  /**
   * If memory runs out, the kernel ends the whole group. Otherwise, it could end only one process, and the command
   * would continue without it.
   */
  set("memory.oom.group", 1)
  set("pids.max", processes)
  const group: ControlGroup = {
    enter: (argv) => enterWords(folder, argv),
    exceeded: () =>
      /^oom_kill [1-9]/m.test(textOf(path.join(folder, "memory.events"))) ? memoryReason(memoryBytes) : undefined
  }
  return { folder, group }
}

/**
 * Returns a function that gives a command a control group of its own. The function returns undefined if it cannot
 * create a group. Closing the scope ends all processes in the group.
 */
export const makeControlGroups = Effect.map(Effect.cached(findParent), (parent) =>
  Effect.fnUntraced(function* (limits: CommandLimits): Effect.fn.Return<ControlGroup | undefined, never, Scope.Scope> {
    const above = yield* parent
    if (above === undefined) return undefined
    const controlGroup = yield* Effect.acquireRelease(
      Effect.sync(() => open(above, limits)),
      (one) => (one === undefined ? Effect.void : remove(one.folder))
    )
    return controlGroup?.group
  })
)
