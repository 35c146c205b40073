/**
 * Locks between real processes: one holder, freed however it dies, and nobody who connects can disturb it.
 */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { lockHolder, takeLock } from "../../../src/services/files/ProcessLock.ts"
import { makeFolder } from "../../support/Project.ts"
import { liveTest } from "../../support/liveTest.ts"

const script = fileURLToPath(new URL("../../support/lockProcess.ts", import.meta.url))

/** Starts the process and waits for its first word. */
const start = (args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"] })
      await once(child.stdout, "data")
      return child
    }),
    (child) => Effect.promise(() => end(child, "SIGKILL"))
  )

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill(signal)
  await ended
}

const take = (name: string, folder: string) => takeLock(name, { folder, runId: "mine", what: "The project" })

/** How taking the lock is refused. */
const refusal = (folder: string) =>
  Effect.scoped(take(folder, folder)).pipe(Effect.catchTag("LockUnavailable", Effect.die), Effect.flip)

describe("a lock", () => {
  liveTest("is refused with who holds it and since when", function* () {
    const folder = yield* makeFolder
    const before = Date.now()
    const holder = yield* start(["hold", folder, folder])
    const taken = yield* refusal(folder)
    expect([taken.what, taken.holder?.pid, taken.holder?.runId]).toEqual(["The project", holder.pid, "held"])
    expect(Date.parse(taken.holder!.since)).toBeGreaterThanOrEqual(before)
    expect(taken.message).toMatch(
      /^The project is in use by run held \(pid \d+, since \d+ \w+, \d\d:\d\d\)\. Wait for it, or end it first\.$/
    )
    expect(Option.getOrThrow(yield* lockHolder(folder, { folder })).pid).toBe(holder.pid)
  })

  liveTest("is free as soon as its holder is killed", function* () {
    const folder = yield* makeFolder
    const holder = yield* start(["hold", folder, folder])
    yield* Effect.promise(() => end(holder, "SIGKILL"))
    expect(yield* lockHolder(folder, { folder })).toEqual(Option.none())
    yield* Effect.scoped(take(folder, folder))
  })

  liveTest("is free when its scope has closed, and another name is free all the time", function* () {
    const folder = yield* makeFolder
    yield* Effect.scoped(Effect.andThen(take(folder, folder), take(`${folder}-other`, folder)))
    yield* Effect.scoped(take(folder, folder))
  })

  liveTest("is refused when its holder hangs", function* () {
    const folder = yield* makeFolder
    const holder = yield* start(["hold", folder, folder])
    holder.kill("SIGSTOP")
    const taken = yield* refusal(folder)
    expect(taken.message).toBe("The project is in use by another process. Wait for it, or end it first.")
  })

  liveTest("is held on, and let go at its end, whatever 200 connections that stay open send", function* () {
    const folder = yield* makeFolder
    const holder = yield* start(["hold", folder, folder])
    yield* start(["flood", folder])
    expect(Option.getOrThrow(yield* lockHolder(folder, { folder })).pid).toBe(holder.pid)
    const ended = once(holder, "exit")
    holder.stdin!.end()
    yield* Effect.promise(() => ended)
    yield* Effect.scoped(take(folder, folder))
  })
})
