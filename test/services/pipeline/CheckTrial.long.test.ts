/** Checks that are slow when they are tried, and their replay. */
import { describe, expect } from "@effect/vitest"
import { needs } from "../../support/needs.ts"
import { liveTest } from "../../support/liveTest.ts"
import { allow } from "../../support/OpenGate.ts"
import { node, start, tried } from "../../support/CheckTrialRun.ts"

describe("the checks of a run", () => {
  liveTest("hold nothing up: a trial that takes longer ends when changes are checked", function* () {
    const slow = 'if (limit === "100") await new Promise((resolve) => setTimeout(resolve, 60_000))\n'
    const { made, runs } = yield* start({}, slow)
    expect([tried(made.events), made.report?.status, runs()]).toEqual([[], "done", 2])
  })

  liveTest(
    "are not tried by a replay, which finds the same",
    function* () {
      const checks = [[node, "check.mjs"] as const]
      const rules = [allow("run_command", `${node} check.mjs`)]
      for (const check of ['import "not-installed"\n', 'console.log("It is bad: " + limit); process.exit(1)\n']) {
        const { made, run } = yield* start({}, check, { settings: { checks, namesChecks: true }, rules })
        expect([tried(made.events).length, made.report?.status]).toEqual([1, "unverified"])
        const { before, now } = yield* run.toldTwice
        expect(tried(now)).toEqual(tried(before))
        const { differences, isWhole } = yield* run.replay()
        expect([differences, isWhole]).toEqual([[], true])
      }
    },
    needs("bwrap")
  )
})
