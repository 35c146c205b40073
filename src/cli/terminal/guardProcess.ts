/**
 * Protects the process from the code of plugins, which may print, throw where nobody catches, or end the process.
 */
import { Console } from "node:console"
import { writeSync } from "node:fs"
import { exitCodes } from "./Failure.ts"

/**
 * From here on `console` prints on stderr, since stdout is for results; `onStray` is told what was thrown outside of
 * any call; and a process that ends before the function that comes back was called ends as failed, with a line that
 * says so.
 */
export const guardProcess = (onStray: (thrown: unknown) => void): (() => void) => {
  let isOver = false
  globalThis.console = new Console(process.stderr, process.stderr)
  process.on("uncaughtException", onStray)
  process.on("exit", () => {
    if (isOver) return
    process.exitCode = exitCodes.failed
    writeSync(2, "The program was ended by the code of a plugin, in the middle of its work.\n")
  })
  return () => {
    isOver = true
  }
}
