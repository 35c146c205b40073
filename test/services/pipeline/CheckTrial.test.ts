/**
 * Checks are tried on the unchanged project while the plan is made. The commands are real ones.
 */
import { describe, expect } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { makeKeptRun, type Session } from "../../support/KeptRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { allow } from "../../support/OpenGate.ts"
import { putFiles } from "../../support/Project.ts"
import { willingApprover } from "../../support/ScriptedApprover.ts"
import { stageName } from "../../support/stageName.ts"
import { node, modelWith, start, tried } from "../../support/CheckTrialRun.ts"

const indexOf = (events: ReadonlyArray<RunEvent>, type: RunEvent["type"]) =>
  events.findIndex((event) => event.type === type)

describe("the checks of a run", () => {
  liveTest("are tried before the first task begins, and one that cannot work is said with what helps", function* () {
    const { made } = yield* start({}, 'import "not-installed"\n')
    const { events, report } = made
    expect(tried(events)).toMatchObject([
      { command: `${node} check.mjs`, status: "not checked", cause: "modules missing" }
    ])
    expect(tried(events)[0]?.reason).toContain("Install what the project needs, or name another check with --check.")
    expect(indexOf(events, "check.tried")).toBeLessThan(indexOf(events, "task.turn"))
    expect([report?.status, report?.facts?.checks[0]?.status]).toEqual(["unverified", "not checked"])
  })

  liveTest("are run once without the changes, however often a task is checked", function* () {
    const { made, runs } = yield* start({}, 'console.log("not ok 1 - " + limit); process.exit(1)\n')
    expect(tried(made.events)).toMatchObject([{ status: "failed", failures: ["100"] }])
    expect(made.report?.facts?.checks).toMatchObject([{ passedBefore: false }])
    /* Tried, run with the changes, and run again to see whether the failure is flaky. */
    expect(runs()).toBe(3)
  })

  liveTest("are not tried by a run that changes nothing", function* () {
    const passing = "process.exit(0)\n"
    const talking = { answer: modelWith("talk") }
    const readOnly = yield* start({ readOnly: true }, passing, { readOnly: true })
    const question = yield* start({ prompt: "What is the limit?" }, passing, talking)
    const explaining = yield* start({ prompt: "Why is the limit 100? Explain it." }, passing, talking)
    for (const { made, runs } of [readOnly, question, explaining]) {
      expect([tried(made.events), runs()]).toEqual([[], 0])
    }
    const answered = yield* start({ prompt: "Is the limit 150?" }, passing)
    expect(tried(answered.made.events)).toMatchObject([{ status: "passed" }])
  })

  liveTest("are not tried where that would be asked about", function* () {
    const { made, runs } = yield* start({}, "process.exit(0)\n", { rules: [] })
    expect([tried(made.events), runs()]).toEqual([[], 1])
  })

  liveTest("are not tried again by a resumed run", function* () {
    const begun = yield* Deferred.make<void>()
    const answer = modelWith("edit-files")
    const session: Session = {
      answer: (prompt) => {
        if (stageName(prompt) === "refinement") Deferred.doneUnsafe(begun, Effect.void)
        return answer(prompt)
      },
      approver: willingApprover(),
      settings: { checks: [[node, "check.mjs"]], sandbox: { mode: "off" }, namesChecks: true },
      rules: [allow("run_command", `(no sandbox) ${node} check.mjs`)]
    }
    const run = yield* makeKeptRun({ prompt: "Set the limit to 150." })
    yield* putFiles(run.project, { "limit.txt": "100\n", "check.mjs": "process.exit(0)\n" })
    const first = yield* run.session({ ...session, until: Deferred.await(begun) })
    const again = yield* run.session(session)
    expect([tried(first.events).length, tried(again.events), again.report?.status]).toEqual([1, [], "done"])
  })
})
