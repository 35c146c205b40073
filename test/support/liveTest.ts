/**
 * `it.live` with the real file system, processes and clock, for what real processes do in real time.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { NeedOptions } from "./needs.ts"

export const liveTest = <A, E>(
  name: string,
  body: () => Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>,
  options: NeedOptions = {}
): void => it.live(name, () => Effect.scoped(Effect.provide(body(), NodeServices.layer)), options)
