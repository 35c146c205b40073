/**
 * Ends the process even while a plugin's thread runs code that cannot be interrupted, such as a long database query.
 * Node alone would wait for each thread.
 */
import type { Worker } from "node:worker_threads"

/** How long threads may take to end, in milliseconds. */
const grace = 1000

/**
 * Ends the process without waiting for its threads. `execve` replaces the process by a shell, which ends with the exit
 * code.
 */
const leaveThreads = (code: number): void => {
  process.emit("exit", code)
  /* Windows has no `execve`. */
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.execve("/bin/sh", ["sh", "-c", `exit ${code}`], {})
  }
  process.kill(process.pid, "SIGKILL")
}

/**
 * Notes which threads are running. Returns the function that ends the process with an exit code. It gives these threads
 * a second to end.
 */
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
