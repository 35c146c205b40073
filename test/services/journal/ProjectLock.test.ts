/**
 * Taking a project while another process looks which ones are taken.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { takeLock } from "../../../src/services/files/Lock.ts"
import { takeProject } from "../../../src/services/journal/ProjectLock.ts"
import { makeFolder } from "../../support/Project.ts"

layer(NodeServices.layer, { excludeTestServices: true })("taking a project", (it) => {
  it.effect("waits for the process that looks, also when it is slow", () =>
    Effect.gen(function* () {
      const locks = yield* makeFolder
      const project = yield* makeFolder
      const looks = yield* Scope.make()
      const other = { folder: locks, runId: "other", what: "The list of projects" }
      yield* Effect.retry(Scope.provide(takeLock("projects", other), looks), { times: 1000 })
      yield* Effect.forkScoped(Effect.andThen(Effect.sleep("4 seconds"), Scope.close(looks, Exit.void)))
      const begun = Date.now()
      yield* takeProject({ locks, project, runId: "mine" })
      assert.isAtLeast(Date.now() - begun, 3500)
    }).pipe(Effect.scoped)
  )
})
