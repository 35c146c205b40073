import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError, SqlSyntaxError, UnknownError } from "effect/sql/SqlError"
import {
  CurrentNotices,
  isPassing,
  makeNotices,
  retryTransient
} from "../../../src/services/cluster/ClusterDatabase.ts"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/** What a server says with a code. */
const said = (code: string) =>
  new SqlError({ reason: new UnknownError({ cause: Object.assign(new Error(`code ${code}`), { code }) }) })

describe("a query to a database that is away", () => {
  for (const [code, what, passes] of [
    ["57P01", "shuts down", true],
    ["57P02", "crashed", true],
    ["57P03", "is starting", true],
    ["57P05", "ended an idle session", true],
    ["53300", "has no connection left", true],
    ["53100", "has no disk left", false],
    ["42P01", "has no such table", false],
    ["XX000", "has an internal error", false]
  ] as const) {
    it(`is ${passes ? "tried again" : "not tried again"} when the server ${what}`, () => {
      assert.strictEqual(isPassing(said(code)), passes)
    })
  }

  it("is tried again when there is no connection, and not when it is wrong", () => {
    const cause = new Error("refused")
    assert.isTrue(isPassing(new SqlError({ reason: new ConnectionError({ cause }) })))
    assert.isFalse(isPassing(new SqlError({ reason: new SqlSyntaxError({ cause }) })))
  })

  it.effect("succeeds after a minute, and the person learns once that it is away and once that it is back", () =>
    Effect.gen(function* () {
      const reported: Array<string> = []
      let isAway = true
      const query = Effect.suspend(() => (isAway ? Effect.fail(said("57P03")) : Effect.succeed("rows")))
      const waiting = yield* Effect.all([retryTransient(query), retryTransient(query)], { concurrency: 2 }).pipe(
        Effect.provideService(
          CurrentNotices,
          makeNotices((what) => Effect.sync(() => void reported.push(what)))
        ),
        Effect.forkChild
      )
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(reported, 1)
      isAway = false
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* Fiber.join(waiting), ["rows", "rows"])
      assert.deepStrictEqual(reported, [
        "The database does not answer (code 57P03). It is tried again for ten minutes.",
        "The database answers again."
      ])
    })
  )
})
