/** The body of a test: an effect, or a generator of effects. */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

type TestEffect<A = unknown, E = unknown> = Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>

export type TestBody<A, E> = () => TestEffect<A, E> | Generator<TestEffect, unknown, never>

export const effectOf = <A, E>(body: TestBody<A, E>): TestEffect =>
  Effect.suspend(() => {
    const made = body()
    return Effect.isEffect(made) ? made : Effect.gen(() => made)
  })
