/** Processes that read the list of projects slowly. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { assert, describe } from "@effect/vitest"
import { join } from "node:path"
import { takeLock } from "../../../src/services/files/ProcessLock.ts"
import { listLock, takeProject } from "../../../src/services/files/ProjectWriteLock.ts"
import { makeFolder } from "../../support/Project.ts"
import { liveTest } from "../../support/liveTest.ts"

/** Another process reads the list of projects in this folder until the scope closes. */
const readList = (locks: string) => {
  const { name, what } = listLock(join(locks, "projects"))
  return takeLock(name, { folder: locks, runId: "other", what })
}

describe("taking a project", () => {
  liveTest("waits for the process that reads the list, also when it is slow", function* () {
    const locks = yield* makeFolder
    const project = yield* makeFolder
    const reads = yield* Scope.make()
    yield* Scope.provide(readList(locks), reads)
    yield* Effect.forkScoped(Effect.andThen(Effect.sleep("4 seconds"), Scope.close(reads, Exit.void)))
    const begun = Date.now()
    yield* takeProject({ locks, project, runId: "mine" })
    assert.isAtLeast(Date.now() - begun, 3500)
  })

  liveTest("does not wait for a process that reads the list of another folder", function* () {
    yield* readList(yield* makeFolder)
    yield* takeProject({ locks: yield* makeFolder, project: yield* makeFolder, runId: "mine" })
  })
})
