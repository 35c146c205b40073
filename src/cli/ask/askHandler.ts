/**
 * Holds a conversation open once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { conversationPlace, type ConversationWorld, holdConversation, type NextModel } from "../../app/conversation.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { environmentVariable } from "../../services/configuration/UserFolders.ts"
import type { AskOrder, AskSession } from "../../services/conversation/Asker.ts"
import { addToHistory, readMessageHistory } from "../../services/conversation/MessageHistory.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import type { EventSink } from "../terminal/EventSink.ts"
import { Output } from "../terminal/Output.ts"
import { startPorts } from "../terminal/ports.ts"
import { makeLineReader } from "./LineReader.ts"
import { makePlainReader } from "./MessageReader.ts"
import { talk } from "./repl.ts"

/** A conversation as the flags ask for it. */
export interface AskRequest {
  readonly project: string
  readonly flags: Configuration
  readonly order: Omit<AskOrder, "runId">
  readonly continues: boolean
  readonly isQuiet: boolean
  /** What it asks is approved beforehand. */
  readonly yes: boolean
}

/** Holds a conversation as long as `use` does, to its report. */
export const converse = Effect.fn("converse")(function* <E, R>(
  { continues, flags, isQuiet, order, project, yes }: AskRequest,
  sink: EventSink,
  use: (session: AskSession, world: ConversationWorld) => Effect.Effect<NextModel | void, E, R>
) {
  const conversation = { project, given: flags, order: { runId: yield* makeRunId, ...order }, continues, keep: true }
  const ports = yield* startPorts({ sink, approveSteps: false, isQuiet, yes })
  return yield* holdConversation(conversation, ports, use)
})

/** What reads messages: the input line, or plain lines on a terminal that cannot move its cursor. */
const makeReader = Effect.fnUntraced(function* ({ setup }: ConversationWorld) {
  if ((yield* environmentVariable("TERM")) === "dumb") return yield* makePlainReader
  const place = conversationPlace(setup)
  const isKept = setup.configuration.saveConversations !== false
  const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
  return yield* makeLineReader({
    messages: isKept ? yield* readMessageHistory(place) : [],
    add: (message) => (isKept ? provide(addToHistory(place, message)) : Effect.void)
  })
})

const count = (some: number): string => (some === 1 ? "1 message" : `${some} messages`)

/** Holds a conversation at the terminal until the person leaves. */
export const converseAtTerminal = Effect.fn("converseAtTerminal")(function* (
  request: AskRequest,
  sink: EventSink,
  listen: (piece: string) => void
) {
  const { tell } = yield* Output
  let isFirst = true
  return yield* converse(request, sink, (session, world) =>
    Effect.gen(function* () {
      const reader = yield* makeReader(world)
      const said = (yield* session.messages).filter(({ role }) => role === "user").length
      if (isFirst && said > 0) yield* tell(`The conversation goes on after ${count(said)} of yours.`)
      if (isFirst) yield* tell("Write a message and press Enter; /help lists the commands.")
      isFirst = false
      return yield* talk(session, world, { reader, listen })
    })
  )
})
