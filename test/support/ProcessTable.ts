/**
 * Looks for processes of this machine by an argument that nothing else has.
 */
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { waitLimit } from "./withinLimit.ts"

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}

const withArgument = (text: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLine(name).includes(text))

/** How many processes have this text among their arguments. */
export const countProcesses = (text: string): number => withArgument(text).length

const statusOf = (pid: string): string => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return (status.match(/^(?:State|PPid|Uid|NSpid|SigBlk|SigIgn|CapEff):.*$/gm) ?? []).join("; ")
  } catch (error) {
    return String(error)
  }
}

/** The processes that have this text among their arguments, with their state and parent. */
export const describeProcesses = (text: string): ReadonlyArray<string> =>
  withArgument(text).map((pid) => `${pid}: ${commandLine(pid).replaceAll("\0", " ").slice(0, 400)} (${statusOf(pid)})`)

/** Waits in real time until as many processes as wanted have the text. */
export const waitForProcesses = Effect.fnUntraced(function* (text: string, isEnough: (count: number) => boolean) {
  for (const end = performance.now() + waitLimit; performance.now() < end;) {
    if (isEnough(countProcesses(text))) return
    yield* Effect.sleep("20 millis")
  }
  throw new Error(`${countProcesses(text)} processes hold ${text}`)
})
