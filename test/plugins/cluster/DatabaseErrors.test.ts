import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError, SqlSyntaxError, UnknownError } from "effect/sql/SqlError"
import { isPassing, retryTransient, withNotices } from "../../../src/plugins/cluster/DatabaseErrors.ts"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"

/** What a server says with a code. */
const said = (code: string) =>
  new SqlError({ reason: new UnknownError({ cause: Object.assign(new Error(`code ${code}`), { code }) }) })

const faultOf = (code: string) =>
  Effect.map(Effect.flip(retryTransient(Effect.fail(said(code)))), (error) => error.isFault)

describe("a query with a value that no database takes", () => {
  it.effect("is a fault of this program, which ends its work; a password that is wrong ends the worker", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        [yield* faultOf("22P05"), yield* faultOf("42703"), yield* faultOf("28P01")],
        [true, true, undefined]
      )
    })
  )
})

describe("a query to a database that is away", () => {
  for (const [code, what, passes] of [
    ["57P01", "shuts down", true],
    ["57P02", "crashed", true],
    ["57P03", "is starting", true],
    ["57P05", "ended an idle session", true],
    ["53300", "has no connection left", true],
    ["53100", "has no disk left", true],
    ["53200", "has no memory left", true],
    ["25006", "is a replica that is not promoted", true],
    ["57014", "cancels a query", true],
    ["40001", "finds a conflict", true],
    ["40P01", "ends a deadlock", true],
    ["55P03", "cannot have a lock", true],
    ["58030", "cannot read its disk", true],
    ["08006", "broke off the connection", true],
    ["25P03", "ended a transaction whose client was silent", true],
    ["25P02", "has given up a transaction", false],
    ["22P05", "cannot hold a character", false],
    ["23505", "has the row already", false],
    ["28P01", "does not know the password", false],
    ["42P01", "lacks a table that a restore brings back", true],
    ["3F000", "lacks a schema that a restore brings back", true],
    ["42501", "lacks a grant", true],
    ["42703", "has no such column", false],
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

  it.effect("is said to wait for a table after five seconds, and is given up after ten minutes", () =>
    Effect.gen(function* () {
      const reported: Array<string> = []
      const waiting = yield* retryTransient(Effect.never).pipe(
        Effect.flip,
        withNotices((what) => Effect.sync(() => void reported.push(what))),
        Effect.forkChild
      )
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(reported, [])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(reported, [
        "The database does not answer (no answer for 5 seconds; a table may be locked). It is tried again for ten minutes."
      ])
      yield* TestClock.adjust("10 minutes")
      assert.include((yield* Fiber.join(waiting)).message, "it has not answered for 10 minutes")
    })
  )

  for (const [code, lacks] of [
    ["42P01", 'relation "task_conductor_records" does not exist'],
    ["42501", "permission denied for table task_conductor_records"]
  ] as const) {
    it.effect(`is no fault of the run when the server says ${code}: an operator learns what is missing`, () =>
      Effect.gen(function* () {
        const reported: Array<string> = []
        const cause = Object.assign(new Error(lacks), { code })
        const refused = Effect.fail(new SqlError({ reason: new UnknownError({ cause }) }))
        const waiting = yield* retryTransient(refused).pipe(
          Effect.flip,
          withNotices((what) => Effect.sync(() => void reported.push(what))),
          Effect.forkChild
        )
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(reported, [
          `The database refuses a statement (${lacks}). Restore what is missing, or grant it: see docs/reference/operating-workers.md. It is tried again for ten minutes.`
        ])
        yield* TestClock.adjust("11 minutes")
        assert.isUndefined((yield* Fiber.join(waiting)).isFault)
      })
    )
  }

  it.effect("succeeds after a minute, and the user learns once that it is away and once that it is back", () =>
    Effect.gen(function* () {
      const reported: Array<string> = []
      let isAway = true
      const query = Effect.suspend(() => (isAway ? Effect.fail(said("57P03")) : Effect.succeed("rows")))
      const waiting = yield* Effect.all([retryTransient(query), retryTransient(query)], { concurrency: 2 }).pipe(
        withNotices((what) => Effect.sync(() => void reported.push(what))),
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
