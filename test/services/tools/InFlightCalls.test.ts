import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { makeInFlightCalls } from "../../../src/services/tools/InFlightCalls.ts"
import { PermissionDenied } from "../../../src/services/permissions/GateQuestion.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const why = new PermissionDenied({ tool: "send", targets: [], by: "nobody", reason: "was begun before" })

describe("a run that is to stop", () => {
  nodeTest("begins no call any more, and stops when those that were begun have ended", function* () {
    const { begin, end, mayBegin, stop, stopped } = yield* makeInFlightCalls
    const waits = yield* Effect.forkChild(stopped, { startImmediately: true })
    for (const key of ["a", "b"]) yield* Effect.andThen(mayBegin("send"), begin(key))
    yield* end("a")
    yield* stop(why)
    expect((yield* Effect.flip(mayBegin("build"))).message).toBe(
      "Permission denied: build is not started, because the run stops."
    )
    yield* end("doubted")
    yield* untilQuiet
    expect(waits.pollUnsafe()).toBe(undefined)
    yield* end("b")
    expect(yield* Fiber.join(waits)).toBe("Permission denied: send was begun before.")
  })
})
