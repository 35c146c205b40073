/**
 * Holds a conversation open once flags are read. Loaded when it is needed, like the work of `run`.
 */
import * as Effect from "effect/Effect"
import { holdConversation } from "../../app/conversation.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import type { AskOrder, AskSession } from "../../services/conversation/Asker.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import { readSetup, type Setup } from "../../app/setup.ts"
import type { EventSink } from "../terminal/EventSink.ts"
import { tellWarnings } from "../terminal/warnings.ts"

/** A conversation as the flags ask for it; `use` holds it open. */
export interface AskWork<E, R> {
  readonly project: string
  readonly flags: Configuration
  readonly order: Omit<AskOrder, "runId">
  readonly sink: EventSink
  readonly use: (session: AskSession, setup: Setup) => Effect.Effect<void, E, R>
}

/** Holds a conversation to its report. */
export const converse = Effect.fn("converse")(function* <E, R>({ flags, order, project, sink, use }: AskWork<E, R>) {
  const setup = yield* readSetup(project, flags)
  return yield* holdConversation(
    setup,
    { runId: yield* makeRunId, ...order },
    {
      listen: sink.listen,
      approveSteps: false,
      before: () => tellWarnings(setup, flags),
      use: (session) => use(session, setup)
    }
  )
})
