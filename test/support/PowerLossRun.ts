/**
 * Records the run of CrashRun, takes the power away at random moments of it, lets the run go on from what the disk may hold, and
 * tells what was broken: see PowerLoss.ts and CrashHistory.ts.
 */
import * as Effect from "effect/Effect"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterKill, breachesOf, newHistory, outcomeOf } from "./CrashHistory.ts"
import { makeCrashRun } from "./CrashRun.ts"
import { callsOf, makeDisk, recorder } from "./PowerLoss.ts"
import { makeRandom } from "./randomDocuments.ts"

const isWhole = (line: string): boolean => {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

/** A recorded run; the power goes away at a moment by seed. */
export const makePowerLoss = Effect.gen(function* () {
  const run = yield* makeCrashRun({ latency: 5 })
  const { root } = run.sandbox
  const before = mkdtempSync(join(tmpdir(), "task-conductor-before-"))
  yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(before, { recursive: true, force: true })))
  cpSync(root, before, { recursive: true, verbatimSymlinks: true })
  const file = join(before, "calls")
  const ended = yield* run.session({ under: recorder(file) })
  const expected = outcomeOf(run, ended)
  if (expected.status !== "done") throw new Error(JSON.stringify(expected))
  const calls = callsOf(readFileSync(file, "utf8"))
  rmSync(file)
  const empty = (): void => {
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true })
  }

  /** What was broken by a loss of power. */
  const lose = Effect.fnUntraced(function* (seed: number) {
    const random = makeRandom(Math.imul(seed, 2_654_435_761))
    empty()
    cpSync(before, root, { recursive: true, verbatimSymlinks: true })
    const disk = makeDisk(root)
    calls.slice(0, random(calls.length + 1)).forEach(disk.take)
    empty()
    disk.lose(random)
    if (!existsSync(run.temporary)) mkdirSync(run.temporary)
    /* Of what was not synced anything may be there behind the last whole line. */
    const whole = (): ReadonlyArray<string> => {
      const lines = run.journal()
      const torn = lines.findIndex((line) => !isWhole(line))
      return torn === -1 ? lines : lines.slice(0, torn)
    }
    const history = newHistory()
    const seen = { ...run, journal: whole }
    const breaches = [...afterKill(seen, history, disk.stdout().replaceAll(root, "<root>"))]
    if (history.lines.length === 0) rmSync(run.state, { recursive: true, force: true })
    let ended = yield* run.session({})
    /* The end of what was last written may be there without its beginning: then the user is told what to do. */
    const isDamaged = ended.stderr.includes("is damaged: line") && ended.stderr.includes('"task-conductor runs repair"')
    if (isDamaged) {
      yield* Effect.promise(() => run.sandbox.run(["runs", "repair", "last"]))
      ended = yield* run.session({})
    }
    breaches.push(...breachesOf(seen, history, ended, expected))
    return { breaches, isDamaged }
  })
  return { calls: calls.length, lose }
})
