import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert, describe } from "@effect/vitest"
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { temporaryName } from "../../../src/services/files/AtomicWrite.ts"
import { textHash } from "../../../src/services/files/Hash.ts"
import { ProjectWriteLock, takeProject } from "../../../src/services/files/ProjectWriteLock.ts"
import { makeFolder } from "../../support/Project.ts"
import { waitFor } from "../../support/waitFor.ts"
import { liveTest } from "../../support/liveTest.ts"

const makeWorld = Effect.gen(function* () {
  const place = { locks: yield* makeFolder, project: yield* makeFolder }
  const said: Array<string> = []
  const claim = ({ claim: take }: ProjectWriteLock["Service"]) =>
    take((text) => Effect.sync(() => void said.push(text)))
  return {
    said,
    claim,
    place,
    /** Works with the lock of a run in this folder of the project until it ends. */
    work: <A>(runId: string, use: (lock: ProjectWriteLock["Service"]) => Effect.Effect<A>, folder = "") => {
      const project = join(place.project, folder)
      mkdirSync(project, { recursive: true })
      return Effect.flatMap(ProjectWriteLock, use).pipe(
        Effect.provide(ProjectWriteLock.layer({ ...place, project, runId }))
      )
    },
    other: takeProject({ ...place, runId: "another" })
  }
})

describe("the lock on a project", () => {
  liveTest("is taken once, and given back as often as one likes", function* () {
    const { claim, other, work } = yield* makeWorld
    yield* work("one", (lock) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* Effect.all([claim(lock), claim(lock)]), [undefined, undefined])
        assert.match((yield* Effect.flip(Effect.scoped(other))).message, /is in use by run one \(pid \d+, since /)
        yield* lock.release
        yield* lock.release
        yield* Effect.scoped(other)
      }).pipe(Effect.orDie, Effect.provide(NodeServices.layer))
    )
  })

  liveTest("comes with the removal of what writes of a killed process left, and of nothing else", function* () {
    const { claim, place, work } = yield* makeWorld
    const { project } = place
    const left = temporaryName({ path: join(project, "src/a.txt"), after: "x" }, "1a2b")
    const names = [
      left,
      `src/${left}`,
      `node_modules/${left}`,
      "src/.task-conductor-notes.tmp",
      ".task-conductor/x.tmp"
    ]
    for (const name of names) {
      mkdirSync(join(project, dirname(name)), { recursive: true })
      writeFileSync(join(project, name), "half")
    }
    const stays = () => names.filter((name) => existsSync(join(project, name)))
    yield* work("one", claim)
    assert.deepStrictEqual(stays(), names)
    /* So lists a process that is killed what it changes. */
    const list = join(place.locks, "projects")
    writeFileSync(join(list, textHash(realpathSync(project))), realpathSync(project))
    yield* work("two", claim)
    assert.deepStrictEqual(stays(), names.slice(2))
  })

  liveTest("is waited for, says once who has it, and ends with what it belongs to", function* () {
    const { claim, other, said, work } = yield* makeWorld
    const waiting = yield* Effect.scoped(
      Effect.gen(function* () {
        yield* other
        const fiber = yield* Effect.forkDetach(work("one", claim))
        yield* waitFor("the line", () => said.length > 0)
        assert.isUndefined(fiber.pollUnsafe())
        return fiber
      })
    )
    assert.isUndefined(yield* Fiber.join(waiting))
    assert.strictEqual(said.length, 1)
    assert.match(
      said[0] ?? "",
      /^The project \S+ is being changed by run another \(pid \d+, since [^)]+\)\. Waiting until that has ended\.$/
    )
    yield* Effect.scoped(other)
  })

  liveTest("can be waited for in vain, and is free all the same", function* () {
    const { claim, other, work } = yield* makeWorld
    yield* Effect.scoped(Effect.andThen(other, Effect.timeoutOption(work("one", claim), "400 millis")))
    yield* Effect.scoped(other)
  })

  liveTest("keeps those out that work in a folder above or below, and nobody beside", function* () {
    const { claim, said, work } = yield* makeWorld
    const isTaken = Effect.fnUntraced(function* (folder: string) {
      const before = said.length
      const fiber = yield* Effect.forkChild(work("two", claim, folder))
      yield* waitFor("an answer", () => fiber.pollUnsafe() !== undefined || said.length > before)
      yield* Fiber.interrupt(fiber)
      return said.length > before
    })
    yield* work(
      "one",
      (lock) =>
        Effect.gen(function* () {
          yield* claim(lock)
          const taken = yield* Effect.forEach(["", "packages", "packages/a", "packages/a/src", "packages/ab"], isTaken)
          assert.deepStrictEqual(taken, [true, true, true, true, false])
          assert.isTrue(said.every((text) => text.includes("is being changed by run one (pid")))
          yield* lock.release
          assert.deepStrictEqual(yield* Effect.forEach(["", "packages/a/src"], isTaken), [false, false])
        }).pipe(Effect.provide(NodeServices.layer)),
      "packages/a"
    )
  })
})
