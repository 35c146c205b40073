/**
 * `it.live` with the real file system, processes and clock, for what real processes do in real time. The body is an effect, or a
 * generator as for `Effect.gen`.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { NeedOptions } from "./needs.ts"
import { effectOf, type TestBody } from "./testBody.ts"

export const liveTest = <A, E>(name: string, body: TestBody<A, E>, options: NeedOptions = {}): void =>
  it.live(name, () => Effect.scoped(Effect.provide(effectOf(body), NodeServices.layer)), options)

/** A test for each row. */
liveTest.each =
  <Row>(rows: ReadonlyArray<Row>) =>
  (name: string, body: (row: Row) => ReturnType<TestBody<unknown, unknown>>): void =>
    it.live.each([...rows])(name, (row) =>
      Effect.scoped(
        Effect.provide(
          effectOf(() => body(row)),
          NodeServices.layer
        )
      )
    )
