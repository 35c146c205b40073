/**
 * `it.effect` with the real file system and a test clock of its own. The body is an effect, or a generator as for `Effect.gen`.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { NeedOptions } from "./needs.ts"
import { effectOf, type TestBody } from "./testBody.ts"

export const nodeTest = <A, E>(name: string, body: TestBody<A, E>, options: NeedOptions = {}): void =>
  it.effect(name, () => Effect.provide(effectOf(body), NodeServices.layer), options)

/** A test for each row. */
nodeTest.each =
  <Row>(rows: ReadonlyArray<Row>) =>
  (name: string, body: (row: Row) => ReturnType<TestBody<unknown, unknown>>): void =>
    it.effect.each([...rows])(name, (row) =>
      Effect.provide(
        effectOf(() => body(row)),
        NodeServices.layer
      )
    )
