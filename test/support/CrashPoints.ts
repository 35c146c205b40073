/**
 * Kills the run of CrashRun at every system call of a kind, or at random times, lets it go on, and tells what was broken.
 */
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import type { Ended } from "./binary.ts"
import { afterKill, breachesOf, newHistory, outcomeOf } from "./CrashHistory.ts"
import { type CrashOptions, type CrashWork, makeCrashRun, type Session } from "./CrashRun.ts"
import { processesAfter, remainsOf } from "./CrashRemains.ts"
import { twelveTasks } from "./CrashWork.ts"

/** What an uninterrupted run comes to, with the first line of its journal. */
export const makeReferenceOf = Effect.fnUntraced(function* (work: CrashWork) {
  const run = yield* makeCrashRun({}, work)
  const outcome = outcomeOf(run, yield* run.session({}))
  if (outcome.status !== "done") return yield* Effect.die(new Error(JSON.stringify(outcome)))
  return { work, outcome, firstLine: run.firstLine() }
}, Effect.scoped)

export type Reference = Effect.Success<ReturnType<typeof makeReferenceOf>>

/** What the twelve tasks come to. */
export const makeReference = makeReferenceOf(twelveTasks)

/** System calls of one kind. `isSeeded` begins behind the first record, so that the name of the journal is known. */
export interface CrashKind {
  readonly what: string
  readonly calls: string
  readonly isSeeded: boolean
}

/** Files of a project are written with pwrite64, the journal with write. */
export const crashKinds: ReadonlyArray<CrashKind> = [
  { what: "writes of the journal", calls: "write", isSeeded: true },
  { what: "flushes of all files and folders", calls: "fsync,fdatasync", isSeeded: false },
  { what: "writes of project files", calls: "pwrite64", isSeeded: false },
  { what: "renames", calls: "rename", isSeeded: false },
  { what: "new folders", calls: "mkdir", isSeeded: false }
]

export interface Crashed {
  /** How often it was killed. */
  readonly kills: number
  readonly breaches: ReadonlyArray<string>
}

export interface CrashedAgain extends Crashed {
  /** How many sessions left processes behind that lived on. */
  readonly outlived: number
}

export const wasKilled = ({ code }: Ended): boolean => code === "SIGKILL"

/** The words that start a program in which something happens at these calls: `signal=SIGKILL:when=3`. */
export const strace = (calls: string, fault: string, file: string | undefined): ReadonlyArray<string> => [
  "strace",
  "-qq",
  "-f",
  /* Stops at these calls only, which costs less; but no signal is sent at such a stop. */
  ...(fault.startsWith("signal=") ? [] : ["--seccomp-bpf"]),
  "-o",
  "/dev/null",
  ...(file === undefined ? [] : ["-P", file]),
  "-e",
  `trace=${calls}`,
  "-e",
  `inject=${calls}:${fault}`
]

/**
 * Kills a run at the call with this number, counted from 1, and what goes on with it at the same number of its own, as often
 * as `times` says; then lets it go on to its end.
 */
export const crashAt = Effect.fnUntraced(function* (reference: Reference, kind: CrashKind, when: number, times = 1) {
  const run = yield* makeCrashRun({}, reference.work)
  const file = kind.isSeeded ? run.seed(reference.firstLine) : undefined
  const history = newHistory()
  const breaches: Array<string> = []
  const under = strace(kind.calls, `signal=SIGKILL:when=${when}`, file)
  let ended = yield* run.session({ under })
  while (wasKilled(ended)) {
    breaches.push(...afterKill(run, history, ended.stdout))
    ended = yield* run.session(history.kills < times ? { under } : {})
  }
  breaches.push(...breachesOf(run, history, ended, reference.outcome))
  const crashed: Crashed = { kills: history.kills, breaches }
  return crashed
}, Effect.scoped)

/** How long processes of a run that was killed may live on, in seconds. */
const grace = 5

/** Kills a run as each of the sessions says, one after the other, then lets it go on to its end. */
export const crashAgain = Effect.fnUntraced(function* (
  reference: Reference,
  sessions: ReadonlyArray<Session>,
  options: CrashOptions
) {
  const run = yield* makeCrashRun(options, reference.work)
  const history = newHistory()
  const breaches: Array<string> = []
  let outlived = 0
  for (const session of [...sessions, {}]) {
    const ended = yield* run.session(session)
    if ((yield* processesAfter(run, grace)) > 0) outlived += 1
    if (!wasKilled(ended)) {
      breaches.push(...breachesOf(run, history, ended, reference.outcome), ...remainsOf(run))
      break
    }
    breaches.push(...afterKill(run, history, ended.stdout))
  }
  const crashed: CrashedAgain = { kills: history.kills, breaches, outlived }
  return crashed
}, Effect.scoped)

/** Kills a run at a random time and undoes it: the project is then as it was before. */
export const undoAfterKill = Effect.fnUntraced(function* (
  reference: Reference,
  { random, within, ...options }: CrashOptions & { random: (below: number) => number; within: number }
) {
  const run = yield* makeCrashRun(options, reference.work)
  const before = run.files()
  const ended = yield* run.session({ killAfter: random(within) })
  const undone = yield* Effect.promise(() => run.sandbox.run(["undo", "last", "--json"]))
  const after = run.files()
  const isSame = JSON.stringify(after) === JSON.stringify(before)
  /* A run that was killed before its first record is not saved. */
  const isUnknown = !existsSync(run.state) || run.journal().length === 0
  const breaches = [
    ...(isSame ? [] : [`the project is not as before: ${JSON.stringify(after).slice(0, 300)}`]),
    ...(undone.code === 0 || isUnknown ? [] : [`undo ended with ${undone.code}: ${undone.stderr.slice(0, 300)}`])
  ]
  const crashed: Crashed = { kills: wasKilled(ended) ? 1 : 0, breaches }
  return crashed
}, Effect.scoped)

/** Kills a run at random times, at most `most` times, then lets it go on to its end. `random` gives whole numbers from 0. */
export const crashAtRandom = (
  reference: Reference,
  {
    most,
    random,
    within,
    ...options
  }: CrashOptions & { most: number; random: (below: number) => number; within: number }
) => {
  const sessions = Array.from({ length: 1 + random(most) }, () => ({ killAfter: random(within) }))
  return crashAgain(reference, sessions, options)
}
