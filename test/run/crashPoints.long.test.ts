/**
 * Points of most kinds at which bench/crash-points.ts kills a run, and kills one after the other as bench/random-kills.ts
 * has them: nothing that was acknowledged is lost or done again, and the run comes to the end that it would have come to.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveTest } from "../support/liveTest.ts"
import { askCrashKinds, crashAskAt } from "../support/CrashAsk.ts"
import { copyWork } from "../support/CopyWork.ts"
import { crashAgain, crashAt, crashKinds, makeReference, makeReferenceOf } from "../support/CrashPoints.ts"
import { needs } from "../support/needs.ts"

const reference = await Effect.runPromise(makeReference)

/** Call numbers by system calls; a run has about 70 writes, 90 flushes, and 7 to 13 of the others. The bench kills at all of them. */
const points: Readonly<Record<string, number>> = { write: 15, "fsync,fdatasync": 20, mkdir: 7 }

const traced = needs("strace")

describe.concurrent("a run that is killed", () => {
  for (const kind of crashKinds) {
    const when = points[kind.calls]
    if (when === undefined) continue
    liveTest(
      `goes on to the same end when it is killed at number ${when} of the ${kind.what}`,
      function* () {
        const { breaches, kills } = yield* crashAt(reference, kind, when)
        expect([kills, breaches]).toEqual([1, []])
      },
      traced
    )
  }

  liveTest(
    "goes on to the same end when what goes on with it is killed in the middle of a write as well",
    function* () {
      const [, , kind] = crashKinds
      const { breaches, kills } = yield* crashAt(reference, kind!, 2, 2)
      expect([kind?.calls, kills, breaches]).toEqual(["pwrite64", 2, []])
    },
    traced
  )

  liveTest(
    "goes on to the same end when it is killed again and again, with eight calls of the model at a time",
    function* () {
      const sessions = [{ killAt: 4 }, { killAt: 11 }, { killAt: 6 }]
      const { breaches, kills } = yield* crashAgain(reference, sessions, { parallel: 8, latency: 5 })
      expect([kills, breaches]).toEqual([3, []])
    }
  )
})

describe("a run with working copies that is killed", needs("bwrap"), () => {
  liveTest("applies the changes of each section whole and once, and leaves no mount or folder behind", function* () {
    const copies = yield* makeReferenceOf(copyWork)
    const sessions = [{ killAt: 4 }, { killAt: 3 }, { killAfter: 1500 }]
    const { breaches, kills } = yield* crashAgain(copies, sessions, { latency: 5 })
    expect([kills > 0, breaches]).toEqual([true, []])
  })

  liveTest(
    "runs a command of a copy again that was cut off, asks nobody about it, and makes its change once",
    function* () {
      const copies = yield* makeReferenceOf(copyWork)
      const begun = { killOn: '"uid":"turn-2/call-1","name":"run_command"' }
      const sessions = [begun, begun, { killOn: '"name":"run_command","result":' }]
      const { breaches, kills } = yield* crashAgain(copies, sessions, { latency: 5 })
      expect([kills, breaches]).toEqual([3, []])
    }
  )
})

describe.concurrent("a conversation that is killed", () => {
  for (const [index, when] of [3, 2, 2].entries()) {
    const kind = askCrashKinds[index]
    liveTest(
      `leaves files whole and the project free when it is killed at number ${when} of the ${kind?.what}`,
      function* () {
        const { breaches, kills } = yield* crashAskAt(kind!, when)
        expect([kills, breaches]).toEqual([1, []])
      },
      traced
    )
  }
})
