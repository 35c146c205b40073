/**
 * The work of an agent on a message of a conversation: the assignment, the texts that the program sends, and how an
 * answer is read and judged.
 */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { compactedMessages } from "../../domain/conversation/Conversation.ts"
import { readMessageTurn } from "../../domain/conversation/MessageTurn.ts"
import { makeShownAnswer, type ShownAnswer } from "../../domain/conversation/ShownAnswer.ts"
import { type Briefing, projectTextOf } from "../../domain/models/Briefing.ts"
import { type ConversationMessage, isFromUser, messageText } from "../../domain/models/ConversationMessage.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import { askTask, seenKey } from "../../domain/runs/ActivityKey.ts"
import { type CallOutcome, mayChangeFiles } from "../../domain/tools/ToolCall.ts"
import { makeAboutProject } from "../pipeline/AboutProject.ts"
import { makeEvidenceReaders } from "../pipeline/CheckedEvidence.ts"
import { besideShown, makeInstructions } from "../pipeline/Instructions.ts"
import { makeWorkingCopy } from "../files/WorkingCopy.ts"
import type { AgentPrompt, AgentWork, Assignment, Session } from "../agent/Session.ts"
import { RunSettings } from "../runs/RunSettings.ts"

/** The state that a conversation keeps between messages. */
export interface Memory {
  readonly messages: ReadonlyArray<ConversationMessage>
  /** The outcomes of the calls for all earlier messages. */
  readonly outcomes: ReadonlyArray<CallOutcome>
  /** True if a summary has replaced some outputs in the messages. */
  readonly isCompacted: boolean
}

export interface MessageOrder {
  /** The number of the message, from 1. */
  readonly number: number
  readonly system: string
  /** The message of the user, with the material that the program adds before it. */
  readonly content: ReadonlyArray<ConversationMessage>
  readonly briefing: Briefing
  readonly memory: Ref.Ref<Memory>
  /** The project's instruction files that the conversation already contains. */
  readonly instructionFiles: Ref.Ref<ReadonlyArray<string>>
  /** The names of the tools that the model may call. */
  readonly tools: ReadonlyArray<string>
  /** Receives the text of the answer while the model writes it. */
  readonly listen: (delta: string) => void
  /** True if the answer may end as `done` although a check failed or proves nothing. */
  readonly acceptUnverified?: boolean | undefined
  /** True if the user cannot send another message. The program then asks the user the model's questions. */
  readonly asksBack: boolean
  /** What the work has done so far. The report of an interrupted answer contains it. */
  readonly progress: { iterations: number; toolCalls: number; partial: string }
}

/** A message while the agent works on it. */
export interface OpenedMessage {
  readonly message: MessageOrder
  readonly shownAnswer: ShownAnswer
  readonly work: AgentWork<string>
  /** The session of the agent. */
  readonly session: Ref.Ref<Session>
}

/** True if the conversation already contains material about the project. */
const hasMaterial = ({ briefing, content }: MessageOrder, { isCompacted: wasCompacted, messages }: Memory): boolean =>
  wasCompacted ||
  content.length > 1 ||
  content.some((message) => message.role === "user" && message.pictures !== undefined) ||
  briefing.attachment !== undefined ||
  briefing.currentFile !== undefined ||
  messages.some(
    (message) =>
      message.role === "tool" ||
      (message.role === "user" && !isFromUser(message) && !message.content.startsWith("## Reply"))
  )

const makeMessagePrompt = Effect.gen(function* () {
  const instructions = yield* makeInstructions
  const { contextWindow } = yield* RunSettings

  return ({ briefing, number, system, instructionFiles }: MessageOrder, mayChange: boolean): AgentPrompt => ({
    system,
    instruction: (answersLeft) =>
      answersLeft === 1
        ? "This is the last answer: answer the user now, without calls and changes, and say what is still open."
        : `Go on: ${mayChange ? "look further, change, or" : "look further, or"} answer the user.`,
    compact: (messages, summary) => compactedMessages(messages, summary, Math.floor(charactersIn(contextWindow) / 4)),
    correction: "Write the whole answer again with this corrected.",
    continuation: () => "Go on from here, or answer the user.",
    folderInstructions: (turn, files, budget) => {
      const key = seenKey.instructions(askTask, `message-${number}/turn-${turn}`)
      return besideShown(instructions, key, files, instructionFiles, { briefing, budget })
    }
  })
})

export const makeMessageWork = Effect.gen(function* () {
  const aboutProject = yield* makeAboutProject
  const promptOf = yield* makeMessagePrompt
  const { readMessage } = yield* makeEvidenceReaders
  const { limits } = yield* RunSettings

  return Effect.fnUntraced(function* (message: MessageOrder, before: Memory, begun: Session) {
    const { briefing, listen, number, progress, system, tools } = message
    const mayChange = mayChangeFiles(tools)
    const offered = { mayChange, tools: new Set(tools) }
    const shownAnswer = makeShownAnswer(listen)
    const session = yield* Ref.make(begun)
    const assignment: Assignment = {
      kind: "message",
      id: { stage: "ask", round: number },
      task: askTask,
      request: briefing.prompt,
      step: 0,
      tools,
      copy: makeWorkingCopy(),
      mostTurns: limits.iterationsPerMessage,
      earlierOutcomes: before.outcomes
    }
    const work: AgentWork<string> = {
      assignment,
      prompt: promptOf(message, mayChange),
      isUnfounded: aboutProject(assignment, {
        key: seenKey.about(number, askTask),
        request: briefing.prompt,
        projectText: projectTextOf(briefing),
        hasMaterial: hasMaterial(message, before)
      }),
      read: (answer, paths) => Effect.succeed(readMessageTurn(answer, { ...offered, paths })),
      // The gate asks about each call that needs approval.
      approve: () => Effect.void,
      // Compares links with texts that the model was shown, but not with texts that the model wrote.
      judge: (report, { messages, outcomes }) =>
        readMessage(report, {
          briefing,
          finished: [],
          calls: [...before.outcomes, ...outcomes],
          material: [
            system,
            ...messages.flatMap((shownBefore) => (shownBefore.role === "assistant" ? [] : [messageText(shownBefore)]))
          ]
        }),
      saveSession: (now) =>
        Effect.andThen(
          Ref.set(session, now),
          Effect.sync(() => {
            progress.partial = ""
            progress.iterations = now.turn
            progress.toolCalls = now.outcomes.length
          })
        ),
      announce: () => Effect.sync(shownAnswer.acted),
      isFinal: ({ reason }) =>
        reason._tag === "CutOff" && readMessageTurn(reason.partial, offered).report !== undefined,
      listen: () => {
        const take = shownAnswer.begin()
        progress.partial = ""
        return (delta) => {
          progress.partial += delta
          take(delta)
        }
      }
    }
    return { message, shownAnswer: shownAnswer, work, session } satisfies OpenedMessage
  })
})
