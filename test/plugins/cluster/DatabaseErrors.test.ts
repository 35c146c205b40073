import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ConnectionError, SqlError, SqlSyntaxError, UnknownError } from "effect/sql/SqlError"
import { isPassing, retryTransient, withNotices } from "../../../src/plugins/cluster/DatabaseErrors.ts"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { nodeTest } from "../../support/nodeTest.ts"

/** What a server says with a code. */
const said = (code: string) =>
  new SqlError({ reason: new UnknownError({ cause: Object.assign(new Error(`code ${code}`), { code }) }) })

const isTried = (code: string) => isPassing(said(code))

const faultOf = (code: string) =>
  Effect.map(Effect.flip(retryTransient(Effect.fail(said(code)))), (error) => error.isFault)

nodeTest("what is a fault of this program ends its work; a wrong password ends the worker", function* () {
  const faults = yield* Effect.forEach(["22P05", "42703", "28P01"], faultOf)
  assert.deepStrictEqual(faults, [true, true, undefined])
})

/** Tries the query again in the background, and notes what the user is told. */
const trying = Effect.fnUntraced(function* <A, E>(query: Effect.Effect<A, E>) {
  const reported: Array<string> = []
  const fiber = yield* query.pipe(
    withNotices((what) => Effect.sync(() => void reported.push(what))),
    Effect.forkChild
  )
  return { reported, end: Fiber.join(fiber) }
})

describe("a query to a database that is away", () => {
  it("is tried again when the server says what passes, and not otherwise", () => {
    const passing =
      "57P01 57P02 57P03 57P05 53300 53100 53200 25006 57014 40001 40P01 55P03 58030 08006 25P03 42P01 3F000 42501"
    const lasting = "25P02 22P05 23505 28P01 42703 XX000"
    assert.deepStrictEqual(`${passing} ${lasting}`.split(" ").filter(isTried).join(" "), passing)
    const cause = new Error("refused")
    assert.isTrue(isPassing(new SqlError({ reason: new ConnectionError({ cause }) })))
    assert.isFalse(isPassing(new SqlError({ reason: new SqlSyntaxError({ cause }) })))
  })

  nodeTest("is said to wait for a table after five seconds, and is given up after ten minutes", function* () {
    const { end, reported } = yield* trying(Effect.flip(retryTransient(Effect.never)))
    yield* TestClock.adjust("4 seconds")
    assert.deepStrictEqual(reported, [])
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(reported, [
      "The database does not answer (no answer for 5 seconds; a table may be locked). It is tried again for ten minutes."
    ])
    yield* TestClock.adjust("10 minutes")
    assert.include((yield* end).message, "it has not answered for 10 minutes")
  })

  for (const [code, lacks] of [
    ["42P01", 'relation "task_conductor_records" does not exist'],
    ["42501", "permission denied for table task_conductor_records"]
  ] as const) {
    nodeTest(`is no fault of the run when the server says ${code}: an operator learns what is missing`, function* () {
      const cause = Object.assign(new Error(lacks), { code })
      const refused = Effect.fail(new SqlError({ reason: new UnknownError({ cause }) }))
      const { end, reported } = yield* trying(Effect.flip(retryTransient(refused)))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(reported, [
        `The database refuses a statement (${lacks}). Restore what is missing, or grant it: see docs/reference/operating-workers.md. It is tried again for ten minutes.`
      ])
      yield* TestClock.adjust("11 minutes")
      assert.isUndefined((yield* end).isFault)
    })
  }

  nodeTest("succeeds after a minute, and the user learns once that it is away and once that it is back", function* () {
    let isAway = true
    const query = Effect.suspend(() => (isAway ? Effect.fail(said("57P03")) : Effect.succeed("rows")))
    const both = Effect.all([retryTransient(query), retryTransient(query)], { concurrency: 2 })
    const { end, reported } = yield* trying(both)
    yield* TestClock.adjust("1 minute")
    assert.lengthOf(reported, 1)
    isAway = false
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(yield* end, ["rows", "rows"])
    assert.deepStrictEqual(reported, [
      "The database does not answer (code 57P03). It is tried again for ten minutes.",
      "The database answers again."
    ])
  })
})
