/**
 * Somebody who swaps a folder for a link, again and again, while files in it are read and written.
 */
import * as Effect from "effect/Effect"
import { Worker } from "node:worker_threads"

/**
 * Swaps `src` of the root for a link to `outside` and back. Both stay for a moment of random length, so that a swap comes at any
 * point of a read or a write, and some of them succeed.
 */
const swapper = `
  const fs = require("node:fs")
  const { root, outside } = require("node:worker_threads").workerData
  const [src, away] = [root + "/src", root + "/away"]
  const word = new Int32Array(new SharedArrayBuffer(4))
  const rest = (most) => Atomics.wait(word, 0, 0, Math.random() * most)
  for (;;) {
    try {
      rest(3)
      fs.renameSync(src, away)
      fs.symlinkSync(outside, src)
      rest(0.5)
      fs.unlinkSync(src)
      fs.renameSync(away, src)
    } catch {
      try {
        fs.rmSync(src, { recursive: true, force: true })
        fs.renameSync(away, src)
      } catch {}
    }
  }`

/** Swaps until the scope ends. */
export const swapping = (root: string, outside: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Worker(swapper, { eval: true, workerData: { root, outside } })),
    (worker) => Effect.promise(() => worker.terminate())
  )
