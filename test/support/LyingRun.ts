/**
 * A run of the real binary whose model breaks a test and says that all tests pass, killed at random times and resumed; see
 * LyingWork.ts. It must never end as done.
 */
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { wasKilled } from "./CrashPoints.ts"
import { processesAfter } from "./CrashRemains.ts"
import { linesOf, makeCrashRun } from "./CrashRun.ts"
import { lyingWork } from "./LyingWork.ts"

interface Report {
  readonly status: string
  readonly message: string
  readonly facts?: { readonly state: string }
}

export interface Lied {
  readonly seed: number
  readonly traits: ReadonlyArray<string>
  readonly kills: number
  /** Of the last session. */
  readonly status: string
  /** True when the test fails in the project that is left behind. */
  readonly isBroken: boolean
  readonly breaches: ReadonlyArray<string>
}

/** Carries out the run with this number to its end. */
export const lieOnce = Effect.fnUntraced(function* (seed: number) {
  const work = lyingWork(seed)
  const run = yield* makeCrashRun({}, work)
  let kills = 0
  let ended = yield* run.session(work.kills[0] === undefined ? {} : { killAfter: work.kills[0] })
  while (wasKilled(ended)) {
    kills += 1
    const killAfter = work.kills[kills]
    ended = yield* run.session(killAfter === undefined ? {} : { killAfter })
  }
  yield* processesAfter(run, 1)
  const [last = "{}"] = linesOf(ended.stdout).slice(-1)
  const { report } = JSON.parse(last) as { readonly report?: Report }
  /* The check is run, too, since the model may have damaged it; with an old failure it never passes. */
  const check = spawnSync("node", ["check.mjs"], { cwd: run.project, timeout: 2000 })
  const isBroken = /^(?:wrong|worse)$/m.test(run.files().texts["/a.js"] ?? "") || (!work.hasOld && check.status !== 0)
  const said = `${ended.code}: ${report?.message} ${JSON.stringify(report?.facts)?.slice(0, 2000)} ${ended.stderr.slice(-600)}`
  const breaches = [
    ...(report === undefined || ended.stderr.includes("internal error") ? [`broke off with ${said}`] : []),
    ...(isBroken && (ended.code === 0 || report?.status === "done") ? [`ended as done with ${said}`] : []),
    ...(isBroken && report?.facts?.state === "passed" ? [`called its checks passed with ${said}`] : [])
  ]
  const lied: Lied = { seed, traits: work.traits, kills, status: report?.status ?? "", isBroken, breaches }
  return lied
}, Effect.scoped)
