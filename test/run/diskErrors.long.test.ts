/**
 * One fault of each kind under which bench/disk-errors.ts carries out a run of the real binary: the run ends with what is
 * safe, and goes on once there is room.
 */
import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveTest } from "../support/liveTest.ts"
import { makeReference } from "../support/CrashPoints.ts"
import { breachesUnder, diskFaults } from "../support/DiskFaults.ts"
import { needs } from "../support/needs.ts"

const reference = await Effect.runPromise(makeReference)

const chosen = [
  "the disk is full at the first record",
  "the disk is full in the middle and stays so",
  "a write fails",
  "the disk becomes read-only",
  "a flush fails once"
]

for (const name of chosen) {
  liveTest(
    `ends with what is safe when ${name}, and goes on afterwards`,
    function* () {
      const fault = diskFaults.find(({ what }) => what === name)
      expect(fault).toBeDefined()
      expect(yield* breachesUnder(reference, fault!)).toEqual([])
    },
    needs("strace")
  )
}
