import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { assert, layer } from "@effect/vitest"
import { ProjectWriteLock } from "../../../src/services/permissions/Gate.ts"
import { layerConversationLock } from "../../../src/app/conversation.ts"
import { takeProject } from "../../../src/services/journal/ProjectLock.ts"
import { makeFolder } from "../../support/Project.ts"

const makeWorld = Effect.gen(function* () {
  const place = { locks: yield* makeFolder, project: yield* makeFolder }
  return {
    /** Works with the turns of a conversation until it ends. */
    converse: <A>(runId: string, use: (turn: ProjectWriteLock["Service"]) => Effect.Effect<A>) =>
      Effect.flatMap(ProjectWriteLock, use).pipe(Effect.provide(layerConversationLock({ ...place, runId }))),
    run: takeProject({ ...place, runId: "a-run" })
  }
})

layer(NodeServices.layer, { excludeTestServices: true })("the turn of a conversation", (it) => {
  it.effect("is taken once, and given back as often as one likes", () =>
    Effect.gen(function* () {
      const { converse, run } = yield* makeWorld
      yield* converse("one", (turn) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* Effect.all([turn.claim, turn.claim]), [undefined, undefined])
          yield* turn.release
          yield* turn.release
        })
      )
      yield* Effect.scoped(run)
    })
  )

  it.effect("says who works in the project, and comes when that one has ended", () =>
    Effect.gen(function* () {
      const { converse, run } = yield* makeWorld
      yield* converse("one", (turn) =>
        Effect.gen(function* () {
          const refused = yield* Effect.scoped(Effect.andThen(Effect.orDie(run), turn.claim))
          assert.match(
            refused ?? "",
            new RegExp(
              `^would change something, and run a-run \\(pid ${process.pid}, since [^)]+Z\\) works in the project: wait for it, or end it$`
            )
          )
          assert.strictEqual(yield* turn.claim, undefined)
        }).pipe(Effect.provide(NodeServices.layer))
      )
    })
  )

  it.effect("keeps runs and other conversations out until it is given back, or until the conversation ends", () =>
    Effect.gen(function* () {
      const { converse, run } = yield* makeWorld
      yield* converse("one", (turn) =>
        Effect.gen(function* () {
          yield* turn.claim
          const taken = yield* Effect.flip(Effect.scoped(run))
          assert.match(
            taken.message,
            /is in use by conversation one \(pid \d+, since [^)]+\)\. Wait for it, end it first/
          )
          assert.include(yield* converse("two", (other) => other.claim), "conversation one (pid")
          yield* turn.release
          assert.isUndefined(yield* converse("two", (other) => other.claim))
          yield* turn.claim
        }).pipe(Effect.orDie, Effect.provide(NodeServices.layer))
      )
      yield* Effect.scoped(run)
    })
  )
})
