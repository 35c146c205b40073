/**
 * Kills runs of twelve tasks, up to eight side by side, at random times and up to five times each, lets them go on, and
 * counts what was broken; see bench/crash-points.ts. With `--log` each run is written down, and what is there counts: the
 * bench can be ended with Ctrl-C and go on another time. Every run has a seed of its own.
 *
 * With `--copies` the runs change files in working copies instead, which commands and checks in the sandbox see: two tasks side by
 * side, a task for each of four files, and one that changes a file again. Processes that outlive a killed program by
 * five seconds are counted by themselves. With `--undo` each run is killed once, and undone instead of resumed: the project must
 * be as it was before, byte for byte.
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

/** One run with all its kills. `run` counts from 1 for each seed. */
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
/** The time range of kills, in ms: anywhere in a run. */
const within = values.copies ? Math.round(performance.now() - begun) : 700

const work = async (): Promise<void> => {
  while (kills() < wanted) {
    const run = next
    next += 1
    /** Seeds are spread, because neighbouring seeds produce similar sequences. */
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
/** Ctrl-C ends with the counts so far. */
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
