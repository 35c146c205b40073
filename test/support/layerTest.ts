/** `it.effect` whose body is a generator of effects that use the services of a layer, made anew for each test. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

type Usual = NodeServices.NodeServices | Scope.Scope

export const layerTest = <R, E>(
  layer: Layer.Layer<R, E, NodeServices.NodeServices>,
  name: string,
  body: () => Generator<Effect.Effect<unknown, unknown, R | Usual>, unknown, never>
): void =>
  it.effect(name, () =>
    Effect.provide(Effect.gen(body), Layer.provideMerge(layer, NodeServices.layer) as Layer.Layer<R | Usual, E>)
  )
