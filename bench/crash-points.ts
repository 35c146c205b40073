/**
 * Kills a run of twelve tasks at every write, flush, rename and new folder, lets it go on, and counts what was broken:
 * results that were acknowledged and are gone, work that was done again, another end than that of an uninterrupted run.
 *
 *   node bench/crash-points.ts [--every 1] [--times 1] [--workers 2]
 *
 * `--times 2` kills what goes on with the run at the same number of its own calls once more.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { crashAt, type Crashed, crashKinds, makeReference } from "../test/support/CrashPoints.ts"

const { values } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    times: { type: "string", default: "1" },
    workers: { type: "string", default: "2" }
  }
})
const every = Number(values.every)
const times = Number(values.times)
const workers = Number(values.workers)

const sum = (all: ReadonlyArray<Crashed>, of: (one: Crashed) => number): number =>
  all.reduce((total, one) => total + of(one), 0)

const reference = await Effect.runPromise(makeReference)
const all: Array<Crashed> = []
console.log("killed at                          points  kills   breaches")
const row = (what: string, points: ReadonlyArray<Crashed>): void =>
  console.log(
    `${what.padEnd(35)}${String(points.length).padEnd(8)}${String(sum(points, ({ kills }) => kills)).padEnd(8)}${String(sum(points, ({ breaches }) => breaches.length))}`
  )

for (const kind of crashKinds) {
  const points: Array<Crashed> = []
  let next = 1
  let isOver = false
  const work = async (): Promise<void> => {
    while (!isOver) {
      const when = next
      next += every
      const crashed = await Effect.runPromise(crashAt(reference, kind, when, times))
      if (crashed.kills === 0) isOver = true
      else points.push(crashed)
      for (const breach of crashed.breaches) console.error(`${kind.what}, call ${when}: ${breach}`)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
  row(kind.what, points)
  all.push(...points)
}
row("total", all)
if (all.length === 0 || sum(all, ({ breaches }) => breaches.length) > 0) process.exitCode = 1
