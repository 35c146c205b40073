import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { layerDatabase } from "../../../src/plugins/cluster/ClusterDatabase.ts"
import { WorkQueues } from "../../../src/plugins/cluster/WorkQueues.ts"
import { liveTest } from "../../support/liveTest.ts"
import { makePostgres, needsPostgres } from "../../support/Postgres.ts"

describe("the queues of a new database", needsPostgres, () => {
  liveTest("are made by many that come at once, each with connections of its own", function* () {
    const url = yield* makePostgres
    const starts = Effect.gen(function* () {
      yield* (yield* WorkQueues).ensure("1.0.0+test")
      return true
    }).pipe(Effect.provide(WorkQueues.layer.pipe(Layer.provide(layerDatabase(Redacted.make(url))), Layer.fresh)))
    const started = yield* Effect.all(
      Array.from({ length: 8 }, () => starts),
      { concurrency: "unbounded" }
    )
    expect(started).toEqual(Array.from({ length: 8 }, () => true))
  })
})
