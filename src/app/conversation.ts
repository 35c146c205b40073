/**
 * Holds a conversation, for the command line and the library in the same way. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { ConversationMessage } from "../domain/conversation/Conversation.ts"
import { secretValues } from "../domain/text/Redaction.ts"
import { Asker, type AskOrder, type AskSession } from "../services/conversation/Asker.ts"
import { layerConversationLock } from "../services/conversation/ConversationLock.ts"
import {
  type ConversationPlace,
  lastConversation,
  saveConversation
} from "../services/conversation/ConversationStore.ts"
import { ToolSupport } from "../services/models/ToolSupport.ts"
import { type FittedSetup, fitWindow } from "./modelWindow.ts"
import { observed } from "./observed.ts"
import { layerProject } from "./projectLayers.ts"
import { layerAskModel } from "./runLayers.ts"
import type { RunContext } from "./RunContext.ts"
import { readSetup, type Setup } from "./setup.ts"
import { tellStartup } from "./startup.ts"

/** A conversation about a project. `given` are the flags or options that override its configuration. */
export interface NewConversation {
  readonly project: string
  readonly given: Configuration
  readonly order: AskOrder
  /** It is kept, unless the configuration says otherwise, so that it can be continued. */
  readonly keep?: boolean
  /** It goes on with what was said in the last conversation about the project. */
  readonly continues?: boolean
}

/** Where conversations of this setup are kept. */
export const conversationPlace = ({ folders, project }: Setup): ConversationPlace => ({
  state: folders.state,
  project,
  secrets: secretValues(process.env)
})

/** A model that can go on with the conversation, with the setup for it. */
export interface NextModel {
  readonly fitted: FittedSetup
}

/** What a conversation can do beside answering. */
export interface ConversationWorld {
  readonly setup: Setup
  /** Checks that a model can go on with the conversation. */
  readonly prepareModel: (name: string) => Effect.Effect<NextModel, { readonly message: string }>
}

/** What is kept of the session after each message; a failure is told once, and stops nothing. */
const keeping = Effect.fnUntraced(function* (setup: Setup, runId: string, { warn }: RunContext) {
  let isTold = false
  const place = conversationPlace(setup)
  const save = Effect.fnUntraced(function* (messages: ReadonlyArray<ConversationMessage>) {
    if (messages.length === 0) return
    yield* saveConversation(place, { runId, model: setup.settings.model, messages }).pipe(
      Effect.catchTag("PlatformError", ({ message }) => {
        if (isTold) return Effect.void
        isTold = true
        const text = `This conversation cannot be kept in ${place.state} (${message}). It goes on; --continue will not find it.`
        return warn?.({ setup: { ...setup, usesDefaultModel: false }, warnings: [text], isTorn: false }) ?? Effect.void
      })
    )
  })
  const provided = yield* Effect.context<Effect.Services<ReturnType<typeof save>>>()
  const saveNow = (messages: ReadonlyArray<ConversationMessage>) => Effect.provideContext(save(messages), provided)
  return (session: AskSession): AskSession => ({
    ...session,
    send: (text, listen) => Effect.ensuring(session.send(text, listen), Effect.flatMap(session.messages, saveNow))
  })
})

/**
 * Holds a conversation as long as `use` does, to its report. While it answers a message with calls that change something,
 * no run may begin. When `use` gives another model, the conversation goes on with it, and so does `use`.
 */
export const holdConversation = Effect.fn("holdConversation")(function* <E, R>(
  { continues = false, given, keep = false, order, project }: NewConversation,
  { warn, ...ports }: RunContext,
  use: (session: AskSession, world: ConversationWorld) => Effect.Effect<NextModel | void, E, R>
) {
  const first = yield* fitWindow(yield* readSetup(project, given), { ...ports, warn })
  const { setup } = first
  const before = continues ? (yield* lastConversation(conversationPlace(setup))).messages : (order.messages ?? [])
  const isKept = keep && setup.configuration.saveConversations !== false
  const lock = layerConversationLock({ locks: setup.folders.locks, runId: order.runId, project: setup.project })

  const prepareModel = Effect.fnUntraced(function* (name: string) {
    const fitted = yield* fitWindow(yield* readSetup(project, { ...given, model: name }), ports)
    yield* ToolSupport.use((support) => support.require).pipe(Effect.provide(layerAskModel(fitted.setup, ports)))
    return { fitted } satisfies NextModel
  })

  /** The conversation with one model, and then with the next one. */
  const converse = (
    fitted: FittedSetup,
    messages: ReadonlyArray<ConversationMessage>,
    tools: AskOrder["tools"],
    isLater = false
  ): ReturnType<typeof converseOnce> =>
    Effect.flatMap(converseOnce(fitted, messages, tools, isLater), (ended) =>
      ended.next === undefined ? Effect.succeed(ended) : converse(ended.next.fitted, ended.messages, ended.tools, true)
    )

  const converseOnce = Effect.fnUntraced(function* (
    { setup }: FittedSetup,
    messages: ReadonlyArray<ConversationMessage>,
    tools: AskOrder["tools"],
    isLater: boolean
  ) {
    const provided = yield* Effect.context<Effect.Services<ReturnType<typeof prepareModel>>>()
    const world = { setup, prepareModel: (name: string) => Effect.provideContext(prepareModel(name), provided) }
    const kept = isKept ? yield* keeping(setup, order.runId, { warn, ...ports }) : (session: AskSession) => session
    let next: NextModel | undefined
    let left = messages
    let chosen = tools
    const { attachment: _attachment, currentFile: _file, openFiles: _files, ...later } = order
    /* The files of the order were shown with the first message. */
    const begin = { ...(isLater ? later : order), messages, ...(tools === undefined ? {} : { tools }) }
    const report = yield* Asker.use((asker) =>
      asker.converse(begin, (session) =>
        Effect.gen(function* () {
          next = (yield* use(kept(session), world)) ?? undefined
          left = yield* session.messages
          if (next !== undefined) chosen = (yield* session.tools).map(({ name }) => name)
        })
      )
    ).pipe(Effect.provide(layerAskModel(setup, ports)))
    return { report, next, messages: left, tools: chosen }
  })

  return yield* observed(setup, ports.listen, (listen, noted) =>
    tellStartup({ ...first, setup: noted }, given, warn).pipe(
      Effect.andThen(converse(first, before, order.tools)),
      Effect.map(({ report }) => report),
      Effect.provide(layerProject(setup, { ...ports, listen }, lock))
    )
  )
})
