/**
 * Kills runs of twelve tasks at random times, each up to five times, and resumes them. Up to eight runs work side by
 * side. Counts damage as bench/crash-points.ts does. Each run has its own seed. `--log` writes each run to a file.
 * After Ctrl-C, the bench continues from this file.
 *
 * With `--copies`, runs change files in working copies, which commands and checks in the sandbox see. Two tasks run
 * side by side, a for-each task works on four files, and one task changes a file again. Processes that live more than
 * five seconds after their program was killed are counted separately.
 * With `--undo`, each run is killed once, and then undone, not resumed. Every byte of the project must be as before the
 * run.
 *
 *   node bench/random-kills.ts [KILLS] [--copies] [--undo] [--seed 1] [--workers 2] [--log FILE]
 */
import * as Effect from "effect/Effect"
import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { copyWork } from "../test/support/CopyWork.ts"
import { crashAtRandom, makeReferenceOf, undoAfterKill } from "../test/support/CrashPoints.ts"
import { twelveTasks } from "../test/support/CrashWork.ts"
import { makeRandom } from "../test/support/randomDocuments.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    copies: { type: "boolean", default: false },
    undo: { type: "boolean", default: false },
    log: { type: "string" }
  }
})
const wanted = Number(positionals[0] ?? "100")
const seed = Number(values.seed)
const { log } = values

/** One run with all its kills. For each seed, `run` counts from 1. */
interface Done {
  readonly seed: number
  readonly run: number
  readonly kills: number
  readonly outlived?: number
  readonly breaches: ReadonlyArray<string>
}

const before =
  log === undefined || !existsSync(log)
    ? []
    : readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Done)
const done: Array<Done> = [...before]
const kills = (): number => done.reduce((sum, one) => sum + one.kills, 0)
let next = Math.max(0, ...done.map(({ run, seed: of }) => (of === seed ? run : 0))) + 1

const begun = performance.now()
const reference = await Effect.runPromise(makeReferenceOf(values.copies ? copyWork : twelveTasks))
/** The earliest and the latest time of a kill, in ms. Together they cover the whole run. */
const within = values.copies ? Math.round(performance.now() - begun) : 700

const work = async (): Promise<void> => {
  while (kills() < wanted) {
    const run = next
    next += 1
    /** Spreads the seeds, because neighbouring seeds would produce similar numbers. */
    const random = makeRandom(Math.imul(seed * 65_537 + run, 2_654_435_761))
    const parallel = 1 + random(8)
    const options = { random, within, parallel, latency: 5 }
    const crashed = await Effect.runPromise(
      values.undo ? undoAfterKill(reference, options) : crashAtRandom(reference, { ...options, most: 5 })
    )
    for (const breach of crashed.breaches) console.error(`seed ${seed}, run ${run}: ${breach}`)
    const one: Done = { seed, run, ...crashed }
    done.push(one)
    if (log !== undefined) appendFileSync(log, `${JSON.stringify(one)}\n`)
  }
}
/** Ctrl-C ends the bench. It prints the counts so far. */
const tell = (): void => {
  const breaches = done.reduce((sum, one) => sum + one.breaches.length, 0)
  const outlived = done.reduce((sum, one) => sum + (one.outlived ?? 0), 0)
  const after = outlived === 0 ? "" : `; processes lived on after ${outlived} of them`
  console.log(`${kills()} kills of ${done.length} runs, seed ${seed}: ${breaches} breaches${after}`)
  if (kills() === 0 || breaches > 0) process.exitCode = 1
}
process.once("SIGINT", () => {
  tell()
  process.exit()
})
await Promise.all(Array.from({ length: Number(values.workers) }, work))
tell()
