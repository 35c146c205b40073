/** Runs a conversation for the command line and the library. Part of the composition root. */
import * as Effect from "effect/Effect"
import { knownSecrets } from "../services/runs/KnownSecrets.ts"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import type { ConversationMessage } from "../domain/models/ConversationMessage.ts"
import { Asker, type AskOrder } from "../services/conversation/Asker.ts"
import type { AskSession } from "../services/conversation/AskSession.ts"
import {
  type ConversationPlace,
  findConversation,
  keptConversations,
  lastConversation,
  saveConversation
} from "../services/conversation/ConversationStore.ts"
import { explanationOf } from "../services/files/FileFailure.ts"
import { filesInMemory, KeptFiles } from "../services/files/KeptFiles.ts"
import { resultFilesOf } from "../services/conversation/ConversationStore.ts"
import { FileVersions, versionsInMemory } from "../services/files/FileVersions.ts"
import { requireProject } from "../services/files/Workspace.ts"
import { ToolSupport } from "../services/models/ToolSupport.ts"
import { type FittedSetup, fitSetup } from "./modelChoice.ts"
import { ProjectWriteLock } from "../services/files/ProjectWriteLock.ts"
import { accompanied, reportStartup, reportWarnings, runEndHooks } from "./startup.ts"
import { noticing } from "./notices.ts"
import { layerAskModel, layerProject } from "./layers.ts"
import type { RunContext } from "./RunContext.ts"
import { readSetup, type Setup } from "./setup.ts"
import { makeRunId } from "../services/runs/RunId.ts"
import { summaryOf } from "../domain/conversation/Conversation.ts"
import { type CustomCommand, expandCommand } from "../domain/conversation/CustomCommand.ts"
import { customCommands } from "../services/conversation/CustomCommands.ts"

/** A request for a conversation. The flags or options in `configuration` override the project's configuration. */
export interface NewConversation {
  readonly project: string
  readonly configuration: Configuration
  readonly order: AskOrder
  /** True to save the conversation, so that it can be continued. The configuration can forbid this. */
  readonly keep?: boolean
  /**
   * The conversation to continue: true for the last one of the project. Otherwise its id, the beginning of its id, or
   * its number in the list.
   */
  readonly continues?: boolean | string
}

export const conversationPlace = ({ folders, project }: Pick<Setup, "folders" | "project">): ConversationPlace => ({
  state: folders.state,
  project,
  secrets: knownSecrets
})

/** The setup of a conversation, its custom commands, and a way to change its model. */
export interface ConversationContext {
  readonly setup: Setup
  readonly commands: ReadonlyArray<CustomCommand>
  /** Checks that a model can continue the conversation, and returns the setup for it. */
  readonly prepareModel: (name: string) => Effect.Effect<FittedSetup, { readonly message: string }>
}

const expanding = (session: AskSession, commands: ReadonlyArray<CustomCommand>): AskSession => ({
  ...session,
  send: (text, listen) => session.send(expandCommand(text, commands), listen, text)
})

/**
 * Saves a session after each message. If all its messages are replaced, the session gets a new id, so that the saved
 * messages stay. A failure to save is reported once, and the conversation continues.
 */
const saving = Effect.fnUntraced(function* (
  session: AskSession,
  setup: Setup,
  id: { current: string },
  warn: RunContext["warn"]
) {
  let isReported = false
  const place = conversationPlace(setup)
  const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const save = Effect.fnUntraced(function* (messages: ReadonlyArray<ConversationMessage>) {
    if (messages.length === 0) return
    yield* saveConversation(place, { runId: id.current, model: setup.settings.model, messages }).pipe(
      Effect.catchTag("PlatformError", (error) => {
        if (isReported) return Effect.void
        isReported = true
        const text = `This conversation cannot be saved in ${place.state}. ${explanationOf(error)} You can go on, but --continue will not find it.`
        return reportWarnings([text], warn)
      })
    )
  }, Effect.provideContext(services))
  const send: AskSession["send"] = (...given) =>
    Effect.ensuring(session.send(...given), Effect.flatMap(session.messages, save))
  const restore: AskSession["restore"] = (messages) =>
    Effect.andThen(
      session.restore(messages),
      Effect.map(makeRunId, (next) => void (id.current = next))
    )
  return { ...session, send, restore }
})

/** The saved conversations about a project, the newest first. */
export const listConversations = Effect.fn("listConversations")(function* (project: string) {
  yield* requireProject(project)
  return (yield* keptConversations(conversationPlace(yield* readSetup(project, {})))).map(summaryOf)
})

/**
 * Runs a conversation until `use` ends, and returns its report. If `use` returns a setup with another model, calls
 * `use` again for that model. While the changes of a message are made, other work in the project waits.
 */
export const holdConversation = Effect.fn("holdConversation")(function* <E, R>(
  { continues = false, configuration: flags, keep = false, order, project }: NewConversation,
  context: RunContext,
  use: (session: AskSession, context: ConversationContext) => Effect.Effect<FittedSetup | void, E, R>
) {
  const first = yield* fitSetup(yield* readSetup(project, flags), context, flags)
  const { setup } = first
  const place = conversationPlace(setup)
  const continued =
    typeof continues === "string"
      ? yield* findConversation(place, continues)
      : continues
        ? yield* lastConversation(place)
        : undefined
  const before = continued?.messages ?? order.messages ?? []
  const id = { current: order.runId }
  const commands = yield* customCommands(setup)
  const isKept = keep && setup.configuration.saveConversations !== false
  const lock = ProjectWriteLock.layer({
    locks: setup.folders.locks,
    runId: order.runId,
    project: setup.project,
    work: "conversation"
  })

  const prepareModel = Effect.fnUntraced(function* (name: string) {
    const fitted = yield* fitSetup(yield* readSetup(project, { ...flags, model: name }), context)
    yield* ToolSupport.use((support) => support.require).pipe(
      Effect.provide(layerAskModel(fitted.setup, context.model))
    )
    return fitted
  })

  /** Runs the part of the conversation that one model answers. Returns what the next part starts with. */
  const holdWith = Effect.fnUntraced(function* (
    { setup }: FittedSetup,
    messages: ReadonlyArray<ConversationMessage>,
    tools: AskOrder["tools"],
    isLater: boolean
  ) {
    const services = yield* Effect.context<Effect.Services<ReturnType<typeof prepareModel>>>()
    const provided = {
      setup,
      commands,
      prepareModel: (name: string) => Effect.provideContext(prepareModel(name), services)
    }
    let ending: { readonly next: FittedSetup | undefined } & Pick<AskOrder, "messages" | "tools"> = { next: undefined }
    const { attachment: _attachment, currentFile: _file, images: _images, openFiles: _files, ...later } = order
    /* After a change of the model, the files of the order are not shown again. */
    const report = yield* Asker.use((asker) =>
      asker.hold({ ...(isLater ? later : order), messages, tools }, (session) =>
        Effect.gen(function* () {
          const kept = isKept ? yield* saving(session, setup, id, context.warn) : session
          const next = (yield* use(expanding(kept, commands), provided)) ?? undefined
          const names = (yield* session.tools).map(({ name }) => name)
          ending = { next, messages: yield* session.messages, tools: names }
        })
      )
    ).pipe(Effect.provide(layerAskModel(setup, context.model)))
    return { report, ...ending }
  })

  const holdToTheEnd = Effect.gen(function* () {
    let part = yield* holdWith(first, before, order.tools, false)
    while (part.next !== undefined) part = yield* holdWith(part.next, part.messages ?? [], part.tools, true)
    return part.report
  })

  return yield* accompanied(
    setup,
    { ...context, listen: noticing(setup.configuration, context, true) },
    (whole, unobserved) =>
      reportStartup({ ...first, unobserved }, flags, context.warn).pipe(
        Effect.andThen(holdToTheEnd),
        Effect.tap((report) => runEndHooks(report, context.warn)),
        Effect.provide(layerProject(setup, whole, { lock })),
        Effect.provideServiceEffect(FileVersions, versionsInMemory),
        Effect.provideServiceEffect(KeptFiles, isKept ? resultFilesOf(place, order.runId) : filesInMemory)
      )
  )
})
