/**
 * Kills a run of twelve tasks at every write, flush, rename and new folder, and resumes it. Counts damage: lost
 * results, repeated work, and an end that differs from that of an uninterrupted run.
 *
 *   node bench/crash-points.ts [--every 1] [--times 1] [--workers 2] [--ask]
 *
 * `--times 2`: also kills the resumed run, at the same number of its own calls.
 * `--ask`: kills conversations that change files. Counts files with only a part of their text, and projects that stay
 * locked.
 */
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { askCrashKinds, crashAskAt } from "../test/support/CrashAsk.ts"
import { crashAt, type Crashed, type CrashKind, crashKinds, makeReference } from "../test/support/CrashPoints.ts"

const { values } = parseArgs({
  options: {
    every: { type: "string", default: "1" },
    times: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    ask: { type: "boolean", default: false }
  }
})
const every = Number(values.every)
const times = Number(values.times)
const workers = Number(values.workers)

const sum = (all: ReadonlyArray<Crashed>, of: (one: Crashed) => number): number =>
  all.reduce((total, one) => total + of(one), 0)

/** Kills at the nth call of this kind. */
const makeCrash = async () => {
  if (values.ask) return crashAskAt
  const reference = await Effect.runPromise(makeReference)
  return (kind: CrashKind, when: number) => crashAt(reference, kind, when, times)
}
const crash = await makeCrash()
const all: Array<Crashed> = []
console.log("killed at                          points  kills   breaches")
const row = (what: string, points: ReadonlyArray<Crashed>): void =>
  console.log(
    `${what.padEnd(35)}${String(points.length).padEnd(8)}${String(sum(points, ({ kills }) => kills)).padEnd(8)}${String(sum(points, ({ breaches }) => breaches.length))}`
  )

for (const kind of values.ask ? askCrashKinds : crashKinds) {
  const points: Array<Crashed> = []
  let next = 1
  let isOver = false
  const work = async (): Promise<void> => {
    while (!isOver) {
      const when = next
      next += every
      const crashed = await Effect.runPromise(crash(kind, when))
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
