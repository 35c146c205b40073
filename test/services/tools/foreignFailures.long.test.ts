/** Tools and resources of plugins that do not end. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { openTools } from "../../support/OpenTools.ts"
import { acting } from "../../support/actingPlugin.ts"
import { liveTest } from "../../support/liveTest.ts"

/** Tools that do not end when they are stopped. */
const endless: ReadonlyArray<readonly [name: string, act: () => Effect.Effect<never>]> = [
  [
    "waits in its finalizer",
    () =>
      Effect.scoped(
        Effect.andThen(
          Effect.acquireRelease(Effect.void, () => Effect.never),
          Effect.never
        )
      )
  ],
  ["cannot be interrupted", () => Effect.uninterruptible(Effect.never)]
]

const within = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.timeout(work, "5 minutes")

/* Each waits seconds for a limit: side by side. */
describe.concurrent("a tool that", () => {
  liveTest.each(endless)("%s is left behind at its limit, and the next call is made", function* ([, act]) {
    let calls = 0
    const plugin = acting(() => (++calls === 1 ? act() : Effect.succeed("second")))
    const { run } = yield* openTools({ plugins: [plugin], limits: { toolSeconds: 1 } })
    const { error_message, error_type } = yield* within(run("act"))
    assert.strictEqual(error_type, "timeout")
    assert.match(
      error_message ?? "",
      /stopped after 1 s \(limits\.toolSeconds\).* It does not end: .*fault of the tool\.$/
    )
    assert.strictEqual((yield* within(run("act"))).data, "second")
  })

  liveTest.each(endless)("%s does not keep a run that is interrupted", function* ([, act]) {
    const { log, run } = yield* openTools({ plugins: [acting(act)] })
    const fiber = yield* Effect.forkChild(run("act"))
    while (!log.events().some(({ type }) => type === "tool.started")) yield* Effect.sleep("20 millis")
    yield* within(Fiber.interrupt(fiber))
  })
})

liveTest("resources of a plugin that are never released do not keep the end of a run", function* () {
  const scope = yield* Scope.make()
  const resources = Effect.acquireRelease(Effect.void, () => Effect.never)
  yield* Scope.provide(openTools({ plugins: [acting(() => Effect.succeed(1), { resources })] }), scope)
  yield* within(Scope.close(scope, Exit.void))
})
