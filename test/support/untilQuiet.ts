/**
 * Lets everything in this process go on until nothing does but what waits for a test, a clock or another process: then what
 * has not happened does not happen by itself.
 */
import * as Effect from "effect/Effect"
import { waitLimit } from "./withinLimit.ts"

/** Work that Node has still to do: requests of files and names, and what is next in the event loop. */
const work = (): ReadonlyArray<string> =>
  process.getActiveResourcesInfo().filter((name) => name === "Immediate" || name.includes("Req"))

export const untilQuiet: Effect.Effect<void> = Effect.promise(async () => {
  const end = performance.now() + waitLimit
  while (performance.now() < end) {
    await new Promise((resolve) => setImmediate(resolve))
    if (work().length === 0) return
  }
  throw new Error(`It never became quiet: ${work().join(", ")}`)
})
