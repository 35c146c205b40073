import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { expect } from "@effect/vitest"
import { lockHolder } from "../../../src/services/files/ProcessLock.ts"
import { takeSharedProject } from "../../../src/plugins/cluster/workerWork.ts"
import { makeFolder } from "../../support/Project.ts"
import { liveTest } from "../../support/liveTest.ts"

liveTest(
  "the project of a cluster run is taken over from a stopped worker of the same run, and from no other run",
  function* () {
    const project = yield* makeFolder
    const place = { project, locks: project }
    const stopped = yield* Scope.make()
    const peer = yield* Scope.make()
    yield* Scope.provide(takeSharedProject({ ...place, runId: "run-1" }), stopped)
    const other = yield* Effect.flip(Effect.scoped(takeSharedProject({ ...place, runId: "run-2" })))
    expect(other._tag).toBe("LockTaken")
    yield* Scope.provide(takeSharedProject({ ...place, runId: "run-1" }), peer)
    /* The lock goes to the one that works now, as soon as the other one has ended. */
    yield* Scope.close(stopped, Exit.void)
    const holder = lockHolder(`project ${project}`, { folder: project })
    const held = yield* Effect.forkChild(Effect.repeat(holder, { until: Option.isSome }))
    expect(Option.getOrThrow(yield* Fiber.join(held)).runId).toBe("run-1")
    yield* Scope.close(peer, Exit.void)
    yield* Effect.scoped(takeSharedProject({ ...place, runId: "run-2" }))
  }
)
