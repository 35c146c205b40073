/**
 * `it.effect` with the real file system and a test clock of its own.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NeedOptions } from "./needs.ts"

export const nodeTest = <A, E>(
  name: string,
  body: () => Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>,
  options: NeedOptions = {}
): void => it.effect(name, () => Effect.provide(body(), NodeServices.layer), options)
