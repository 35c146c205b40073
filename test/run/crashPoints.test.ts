/**
 * Some of the points at which bench/crash-points.ts kills a run, and some of the kills of bench/random-kills.ts: nothing
 * that was acknowledged is lost or done again, and the run comes to the end that it would have come to.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { crashAt, crashAtRandom, crashKinds, makeReference } from "../support/CrashPoints.ts"
import { needs } from "../support/needs.ts"
import { makeRandom } from "../support/randomDocuments.ts"

const reference = await Effect.runPromise(makeReference)

/** Call numbers by system calls; a run has about 70 writes, 90 flushes, and 7 to 13 of the others. */
const points: Readonly<Record<string, ReadonlyArray<number>>> = {
  write: [1, 15, 40],
  "fsync,fdatasync": [4, 20, 50],
  pwrite64: [2],
  rename: [1, 5],
  mkdir: [7]
}

describe.concurrent("a run that is killed", () => {
  for (const kind of crashKinds) {
    for (const when of points[kind.calls] ?? []) {
      it.live(
        `goes on to the same end when it is killed at number ${when} of the ${kind.what}`,
        () =>
          Effect.gen(function* () {
            const { breaches, kills } = yield* crashAt(reference, kind, when)
            expect([kills, breaches]).toEqual([1, []])
          }),
        { timeout: 180_000, ...needs("strace") }
      )
    }
  }

  it.live(
    "goes on to the same end when what goes on with it is killed in the middle of a write as well",
    () =>
      Effect.gen(function* () {
        const [, , kind] = crashKinds
        const { breaches, kills } = yield* crashAt(reference, kind!, 2, 2)
        expect([kind?.calls, kills, breaches]).toEqual(["pwrite64", 2, []])
      }),
    { timeout: 180_000, ...needs("strace") }
  )

  for (const seed of [1, 2, 3, 4]) {
    it.live(
      `goes on to the same end when it is killed again and again, seed ${seed}`,
      () =>
        Effect.gen(function* () {
          const random = makeRandom(seed * 7919)
          const { breaches, kills } = yield* crashAtRandom(reference, {
            most: 5,
            random,
            within: 700,
            parallel: 8,
            latency: 5
          })
          expect(breaches).toEqual([])
          expect(kills).toBeGreaterThan(0)
        }),
      180_000
    )
  }
})
