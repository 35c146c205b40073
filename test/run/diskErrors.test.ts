/**
 * A disk that fails under the journal of the real binary: the run ends and says what is safe, no tool has started that the
 * journal does not know, and once there is room the run goes on to the same end.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeReference, strace } from "../support/CrashPoints.ts"
import { afterKill, breachesOf, isKeyOf, newHistory } from "../support/CrashHistory.ts"
import { makeCrashRun } from "../support/CrashRun.ts"
import { needs } from "../support/needs.ts"

const reference = await Effect.runPromise(makeReference)

interface Line {
  readonly type: string
  readonly key?: string
  readonly exitCode?: number
  readonly id?: { readonly task: string; readonly uid: string }
  readonly call?: { readonly name: string }
  readonly report?: { readonly status: string; readonly message: string }
}

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

const faults: ReadonlyArray<readonly [what: string, calls: string, code: string, when: string]> = [
  ["the disk is full at the first record", "write", "ENOSPC", "1+"],
  ["the disk is full at the second record", "write", "ENOSPC", "2+"],
  ["the disk is full once in the middle", "write", "ENOSPC", "25"],
  ["the disk is full in the middle and stays so", "write,ftruncate", "ENOSPC", "25+"],
  ["a write fails", "write", "EIO", "12"],
  ["the disk becomes read-only", "write,fsync,ftruncate", "EROFS", "20+"],
  ["a flush fails once", "fsync,fdatasync", "EIO", "15"],
  ["flushes fail from then on", "fsync,fdatasync", "EIO", "5+"]
]

for (const [what, calls, code, when] of faults) {
  it.live(
    `ends with what is safe when ${what}, and goes on afterwards`,
    () =>
      Effect.gen(function* () {
        const run = yield* makeCrashRun()
        const file = run.seed(reference.firstLine)
        const failed = yield* run.session({ under: strace(calls, `error=${code}:when=${when}`, file) })
        const said = `${failed.stdout}${failed.stderr}`
        expect([failed.code, failed.stderr.includes("internal error")], said.slice(-2000)).toEqual([1, false])
        expect(said).toMatch(
          new RegExp(
            `journal.jsonl cannot be written: the system says ${code}\\. \\d+ records are safe, nothing after them`
          )
        )
        expect(startedUnknown(failed.stdout, run.journal())).toEqual([])
        const history = newHistory()
        expect(afterKill(run, history, failed.stdout)).toEqual([])
        const ended = yield* run.session({})
        expect(breachesOf(run, history, ended, reference.outcome)).toEqual([])
      }),
    { timeout: 180_000, ...needs("strace") }
  )
}
