/**
 * Holds a conversation open once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import { holdConversation } from "../../app/conversation.ts"
import type { Setup } from "../../app/setup.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import type { AskOrder, AskSession } from "../../services/conversation/Asker.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import type { EventSink } from "../terminal/EventSink.ts"
import { startPorts } from "../terminal/ports.ts"
import { asUsage } from "../terminal/warnings.ts"

/** A conversation as the flags ask for it. */
export interface AskRequest {
  readonly project: string
  readonly flags: Configuration
  readonly order: Omit<AskOrder, "runId">
}

/** Holds a conversation as long as `use` does, to its report. */
export const converse = Effect.fn("converse")(function* <E, R>(
  { flags, order, project }: AskRequest,
  sink: EventSink,
  use: (session: AskSession, setup: Setup) => Effect.Effect<void, E, R>
) {
  const conversation = { project, given: flags, order: { runId: yield* makeRunId, ...order } }
  return yield* holdConversation(conversation, yield* startPorts({ sink, approveSteps: false }), use).pipe(
    Effect.mapError(asUsage)
  )
})
