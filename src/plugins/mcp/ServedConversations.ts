/**
 * The conversations of the tool `ask`. Each call answers one message of a conversation. Each conversation is saved
 * under its own id. Messages are answered one after another.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import {
  type Configuration,
  conversationPlace,
  holdConversation,
  type NewConversation,
  readSetup,
  type RunContext
} from "../../kit/program.ts"
import { type AskReport, conversationOf, findConversation, makeRunId } from "../../kit/runs.ts"
import { usageFailure } from "../../kit/terminal.ts"

/** Opens a conversation for one message. */
const askOnce = Effect.fnUntraced(function* (conversation: NewConversation, context: RunContext, message: string) {
  const reports: Array<AskReport> = []
  yield* holdConversation(conversation, context, ({ send }) =>
    Effect.map(send(message), (report) => void reports.push(report))
  )
  const [report] = reports
  return report ?? (yield* usageFailure("The conversation ended before the message was answered."))
})

/** A message of a client. `conversation` is the id of the conversation to continue. */
interface ClientMessage {
  readonly order: Omit<NewConversation["order"], "runId">
  readonly conversation: string | undefined
}

export const makeServedConversations = (project: string, flags: Configuration) => {
  const turns = new Map<string, Semaphore.Semaphore>()
  const turnOf = (id: string): Semaphore.Semaphore => {
    const turn = turns.get(id) ?? Semaphore.makeUnsafe(1)
    turns.set(id, turn)
    return turn
  }

  /** Answers a message. An unsaved conversation has no `id` and cannot be continued. */
  const answer = Effect.fnUntraced(function* ({ conversation, order }: ClientMessage, context: RunContext) {
    const setup = yield* readSetup(project, flags)
    const place = conversationPlace(setup)
    const id =
      conversation === undefined ? yield* makeRunId : (yield* findConversation(place, conversation)).conversation
    const continued = conversation === undefined ? {} : { continues: id }
    const next = { project, configuration: flags, order: { runId: id, ...order }, keep: true, ...continued }
    const report = yield* turnOf(id).withPermits(1)(askOnce(next, context, order.prompt))
    const isKept = setup.configuration.saveConversations !== false && Option.isSome(yield* conversationOf(place, id))
    return { report, ...(isKept ? { id } : {}) }
  })
  return { answer }
}
