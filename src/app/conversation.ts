/**
 * Holds a conversation, for every door in the same way. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerAsk } from "./runLayers.ts"
import { Asker, type AskOrder, type AskSession } from "../services/conversation/Asker.ts"
import type { RunPorts } from "./projectLayers.ts"
import { layerConversationLock } from "../services/conversation/ConversationLock.ts"
import type { Setup } from "./setup.ts"

/** What a door brings to a conversation: `before` is done, with the layers, before it begins; `use` holds it open. */
export interface AskPorts<E, R, E2, R2> extends Pick<
  RunPorts,
  "approver" | "approveSteps" | "listen" | "model" | "plugins"
> {
  readonly before: (ready: { readonly setup: Setup }) => Effect.Effect<void, E, R>
  readonly use: (session: AskSession) => Effect.Effect<void, E2, R2>
}

/** Holds a conversation to its report. While it answers a message with calls that change something, no run may begin. */
export const holdConversation = <E, R, E2, R2>(
  setup: Setup,
  order: AskOrder,
  { before, use, ...doors }: AskPorts<E, R, E2, R2>
) => {
  const turns = layerConversationLock({ locks: setup.folders.locks, runId: order.runId, project: setup.project })
  return before({ setup }).pipe(
    Effect.andThen(Asker.use((asker) => asker.converse(order, use))),
    Effect.provide(layerAsk(setup, doors).pipe(Layer.provide(turns)))
  )
}
