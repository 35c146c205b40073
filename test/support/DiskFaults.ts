/**
 * A disk that fails under the journal of the run of CrashRun, and what must hold then: the run ends and says what is safe, no
 * tool has started that the journal does not know, and once there is room the run goes on to the same end.
 */
import * as Effect from "effect/Effect"
import { afterKill, breachesOf, isKeyOf, newHistory } from "./CrashHistory.ts"
import { type Reference, strace } from "./CrashPoints.ts"
import { makeCrashRun } from "./CrashRun.ts"

interface Line {
  readonly type: string
  readonly key?: string
  readonly id?: { readonly task: string; readonly uid: string }
  readonly call?: { readonly name: string }
}

/** System calls that fail: from the `when`th on when a plus follows, else only that one. */
export interface DiskFault {
  readonly what: string
  readonly calls: string
  readonly code: string
  readonly when: string
}

export const diskFaults: ReadonlyArray<DiskFault> = [
  { what: "the disk is full at the first record", calls: "write", code: "ENOSPC", when: "1+" },
  { what: "the disk is full at the second record", calls: "write", code: "ENOSPC", when: "2+" },
  { what: "the disk is full once in the middle", calls: "write", code: "ENOSPC", when: "25" },
  { what: "the disk is full in the middle and stays so", calls: "write,ftruncate", code: "ENOSPC", when: "25+" },
  { what: "a write fails", calls: "write", code: "EIO", when: "12" },
  { what: "the disk becomes read-only", calls: "write,fsync,ftruncate", code: "EROFS", when: "20+" },
  { what: "a flush fails once", calls: "fsync,fdatasync", code: "EIO", when: "15" },
  { what: "flushes fail from then on", calls: "fsync,fdatasync", code: "EIO", when: "5+" }
]

/** Calls that change something and were told to have started, without a record of what they were about to do. */
const startedUnknown = (stdout: string, journal: ReadonlyArray<string>): ReadonlyArray<string> => {
  const intents = journal
    .map((line) => (JSON.parse(line) as { record: Line }).record)
    .flatMap(({ key = "", type }) => (type === "intent" ? [key] : []))
  return stdout
    .split("\n")
    .filter((line) => line.includes('"type":"tool.started"'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ call }) => call?.name === "write_file" || call?.name === "edit_file")
    .flatMap(({ id }) => (id === undefined || intents.some((key) => isKeyOf(key, id)) ? [] : [`${id.task} ${id.uid}`]))
}

/** Carries out a run on a disk with this fault, then lets it go on without; gives what was broken. */
export const breachesUnder = Effect.fnUntraced(function* (reference: Reference, { calls, code, when }: DiskFault) {
  const run = yield* makeCrashRun()
  const file = run.seed(reference.firstLine)
  const failed = yield* run.session({ under: strace(calls, `error=${code}:when=${when}`, file) })
  const said = `${failed.stdout}${failed.stderr}`
  const expected = `journal\\.jsonl cannot be written: the system says ${code}\\. \\d+ records are safe, nothing after them`
  const history = newHistory()
  const breaches = [
    ...(failed.code === 1 ? [] : [`ended with ${failed.code}`]),
    ...(failed.stderr.includes("internal error") ? ["ended with an internal error"] : []),
    ...(new RegExp(expected).test(said) ? [] : [`did not say what is safe: ${said.slice(-2000)}`]),
    ...startedUnknown(failed.stdout, run.journal()).map((call) => `${call} started before it was recorded`),
    ...afterKill(run, history, failed.stdout)
  ]
  const ended = yield* run.session({})
  return [...breaches, ...breachesOf(run, history, ended, reference.outcome)]
}, Effect.scoped)
