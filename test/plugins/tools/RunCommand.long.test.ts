/** Commands that are stopped: after their time, by an interruption, or because they write too much. */
import { assert, describe } from "@effect/vitest"
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { liveTest } from "../../support/liveTest.ts"
import { needs } from "../../support/needs.ts"
import { waitForProcesses } from "../../support/ProcessTable.ts"
import { waitFor } from "../../support/waitFor.ts"
import { background, canary, open, testInPlaces } from "../../support/CommandPlaces.ts"

const untilGone = (mark: string) => waitForProcesses(mark, (count) => count === 0)

describe("what a command of run_command has begun", () => {
  testInPlaces("leaves nothing running after a timeout", (given) =>
    Effect.gen(function* () {
      const mark = canary("timeout")
      const { command } = yield* open(given)
      const argv = background(mark, "trap '' TERM; echo begun; wait")
      const { error_message, error_type } = yield* command(argv, { timeout_seconds: 1 })
      const why = "The command was stopped after 1 s (the time of this call). The end of its output:\nbegun\n"
      assert.deepStrictEqual([error_type, error_message], ["timeout", why])
      yield* untilGone(mark)
    })
  )

  testInPlaces("leaves nothing running after an interruption", (given) =>
    Effect.gen(function* () {
      const mark = canary("interrupt")
      const { command } = yield* open(given)
      const running = yield* Effect.forkChild(command(background(mark, "wait")))
      yield* waitForProcesses(mark, (count) => count > 1)
      yield* Fiber.interrupt(running)
      yield* untilGone(mark)
    })
  )

  testInPlaces("stops a command that writes too much and keeps beginning and end", (given) =>
    Effect.gen(function* () {
      const mark = canary("flood")
      const { command } = yield* open(given)
      const { data, success } = yield* command(["sh", "-c", "echo first; yes 0123456789", mark])
      const { exit_code, output, stopped } = data as { exit_code: null; output: string; stopped: string }
      assert.deepStrictEqual([success, exit_code, stopped], [true, null, "It wrote more than 10 MB and was stopped."])
      assert.match(output, /^first\n0123456789\n[^]*\n\(Lines \d+ to \d+ of \d+ are left out\.\)\n[^]*0123456789\n/)
      assert.isBelow(output.length, 66_000)
      yield* untilGone(mark)
    })
  )

  testInPlaces("lets a command clean up before it is killed", (given) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { command, root } = yield* open(given)
      const script = "trap 'echo cleaned > state; exit 0' TERM; touch ready; while :; do sleep 0.1; done"
      const running = yield* Effect.forkChild(command(["sh", "-c", script, canary("cleanup")]))
      yield* waitFor("the trap", () => existsSync(`${root}/ready`))
      yield* Fiber.interrupt(running)
      assert.strictEqual(yield* fs.readFileString(`${root}/state`), "cleaned\n")
    })
  )

  liveTest(
    "stops what moved to a session of its own, in the sandbox",
    function* () {
      const mark = canary("setsid")
      const { command } = yield* open()
      const script = `setsid sh -c 'while :; do sleep 0.2; done' ${mark} & wait`
      const running = yield* Effect.forkChild(command(["sh", "-c", script]))
      yield* waitForProcesses(mark, (count) => count > 0)
      yield* Fiber.interrupt(running)
      yield* untilGone(mark)
    },
    needs("bwrap", "setsid")
  )
})
