/**
 * What a killed run may leave on the machine: processes, mounts, temporary files, and folders of working copies.
 */
import * as Effect from "effect/Effect"
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import type { CrashRun } from "./CrashRun.ts"

const readOr = (read: () => string): string => {
  try {
    return read()
  } catch {
    return ""
  }
}

/** The processes that work in a folder, or have it among their arguments or in their environment. */
export const processesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    const links = [readOr(() => readlinkSync(`/proc/${pid}/cwd`)), readOr(() => readlinkSync(`/proc/${pid}/root`))]
    const texts = ["cmdline", "environ"].map((name) => readOr(() => readFileSync(`/proc/${pid}/${name}`, "utf8")))
    return [...links, ...texts].some((text) => text.includes(folder))
  })

/** Ends a process by its id; one that has ended needs nothing. */
const end = (pid: string): void => void readOr(() => String(process.kill(Number(pid), "SIGKILL")))

/** Waits up to `seconds` for the processes of a run that has ended or was killed; ends those that are left, and counts them. */
export const processesAfter = Effect.fnUntraced(function* ({ sandbox }: CrashRun, seconds: number) {
  for (let tenth = 0; tenth < seconds * 10; tenth += 1) {
    if (processesIn(sandbox.root).length === 0) return 0
    yield* Effect.sleep("100 millis")
  }
  const left = processesIn(sandbox.root)
  left.forEach(end)
  return left.length
})

/** What is left of a run that has come to its end, in words. */
export const remainsOf = ({ sandbox, state, temporary }: CrashRun): ReadonlyArray<string> => {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(sandbox.root))
  const copies = join(state, "copies")
  return [
    ...mounts.map((line) => `mount: ${line}`),
    ...readdirSync(temporary).map((name) => `in the temporary folder: ${name}`),
    ...(existsSync(copies) ? [`folder of working copies: ${readdirSync(copies).join(", ")}`] : [])
  ]
}
