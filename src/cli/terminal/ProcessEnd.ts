/**
 * Ends the process with its exit code, also while a thread of a plugin is in the middle of code that nothing interrupts, such as a
 * long query of a database: Node waits for every thread before it exits.
 */
import type { Worker } from "node:worker_threads"

/** How long threads may take to end, in ms. */
const grace = 1000

/** Leaves the threads as they are; the exit code is kept where a program can take the place of this one. */
const leaveThreads = (code: number): void => {
  process.emit("exit", code)
  /* Without a file of its own for Windows, where this is not there either. */
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve("/bin/sh", ["sh", "-c", `exit ${code}`], {})
  }
  process.kill(process.pid, "SIGKILL")
}

/** Takes note of the threads that begin from now on. Gives what ends the process. */
export const watchThreads = (): ((code: number) => void) => {
  const running = new Set<Worker>()
  const onWorker = (worker: Worker): void => {
    running.add(worker)
    worker.once("exit", () => running.delete(worker))
  }
  process.on("worker", onWorker)
  return (code) => {
    process.off("worker", onWorker)
    if (running.size === 0) process.exit(code)
    const ended = Promise.allSettled([...running].map((worker) => worker.terminate()))
    const late = setTimeout(() => leaveThreads(code), grace)
    void ended.then(() => {
      clearTimeout(late)
      process.exit(code)
    })
  }
}
