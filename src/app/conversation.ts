/**
 * Holds a conversation, for the command line and the library in the same way. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { Asker, type AskOrder, type AskSession } from "../services/conversation/Asker.ts"
import { layerConversationLock } from "../services/conversation/ConversationLock.ts"
import { observed } from "./observed.ts"
import { fitWindow } from "./modelWindow.ts"
import { layerAsk } from "./runLayers.ts"
import type { StartPorts } from "./runs.ts"
import { readSetup, type Setup } from "./setup.ts"
import { tellStartup } from "./startup.ts"

/** A conversation about a project. `given` are the flags or options that override its configuration. */
export interface NewConversation {
  readonly project: string
  readonly given: Configuration
  readonly order: AskOrder
}

/**
 * Holds a conversation as long as `use` does, to its report. While it answers a message with calls that change something,
 * no run may begin.
 */
export const holdConversation = Effect.fn("holdConversation")(function* <E, R>(
  { given, order, project }: NewConversation,
  { warn, ...ports }: StartPorts,
  use: (session: AskSession, setup: Setup) => Effect.Effect<void, E, R>
) {
  const fitted = yield* fitWindow(yield* readSetup(project, given), ports)
  const { setup } = fitted
  const lock = layerConversationLock({ locks: setup.folders.locks, runId: order.runId, project: setup.project })
  return yield* observed(setup, ports.listen, (listen, noted) =>
    tellStartup({ ...fitted, setup: noted }, given, warn).pipe(
      Effect.andThen(Asker.use((asker) => asker.converse(order, (session) => use(session, setup)))),
      Effect.provide(layerAsk(setup, { ...ports, listen }, lock))
    )
  )
})
