/**
 * Runs twelve tasks while the disk under the journal fails in every way of test/support/DiskFaults.ts. Then resumes the
 * run without the fault, and counts the damage: `node bench/disk-errors.ts`.
 */
import * as Effect from "effect/Effect"
import { makeReference } from "../test/support/CrashPoints.ts"
import { breachesUnder, diskFaults } from "../test/support/DiskFaults.ts"

const reference = await Effect.runPromise(makeReference)
let count = 0
for (const fault of diskFaults) {
  const breaches = await Effect.runPromise(breachesUnder(reference, fault))
  count += breaches.length
  console.log(`${fault.what.padEnd(45)}${breaches.length} breaches`)
  for (const breach of breaches) console.error(`${fault.what}: ${breach}`)
}
if (count > 0) process.exitCode = 1
