/**
 * Answers the messages of a conversation, one after another. For each message, publishes all events from the beginning
 * of the work to the report.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { runFacts } from "../../domain/checks/Facts.ts"
import { emptyMessage } from "../../domain/conversation/Conversation.ts"
import type { AnswerSchema } from "../../domain/documents/AnswerFormat.ts"
import { withoutMarks } from "../../domain/conversation/Mentions.ts"
import { type Briefing, briefingBlocks, requestDocument } from "../../domain/models/Briefing.ts"
import { fromHost, isFromUser } from "../../domain/models/ConversationMessage.ts"
import { toolCallsFor } from "../../domain/models/Generation.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import { deniedOf } from "../../domain/plan/TaskResult.ts"
import { askTask, seenKey } from "../../domain/runs/ActivityKey.ts"
import type { AskEnding, AskReport } from "../../domain/runs/RunReport.ts"
import { pathsNamed } from "../../domain/files/PathList.ts"
import { decidingDenials } from "../../domain/runs/RunOutcome.ts"
import type { ToolInfo } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { Prompts } from "../models/Prompts.ts"
import { ToolSupport } from "../models/ToolSupport.ts"
import { RunAnswers } from "../permissions/RunAnswers.ts"
import { ProjectWriteLock } from "../files/ProjectWriteLock.ts"
import { deniedFact } from "../permissions/GateQuestion.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import type { Surroundings } from "../pipeline/Briefer.ts"
import { besideShown, makeInstructions } from "../pipeline/Instructions.ts"
import { answerBlocks } from "../pipeline/TaskPrompts.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { makeAnswerMessage } from "./AskMessage.ts"
import type { Memory } from "./MessageWork.ts"
import { makeMessageFiles } from "./MessageFiles.ts"
import { makeShapedAnswer } from "./ShapedAnswer.ts"

/** The state of an open conversation. */
export interface OpenConversation {
  /** See `AskOrder`. */
  readonly acceptUnverified?: boolean | undefined
  readonly surroundings: Surroundings
  readonly memory: Ref.Ref<Memory>
  /** The project's instruction files that the conversation already contains. */
  readonly instructionFiles: Ref.Ref<ReadonlyArray<string>>
  /** Pictures that belong to the first message. */
  readonly images: Ref.Ref<ReadonlyArray<string>>
  readonly tools: Ref.Ref<ReadonlyArray<ToolInfo>>
  readonly reports: Ref.Ref<ReadonlyArray<AskReport>>
  readonly form: AnswerSchema | undefined
  readonly asksBack: boolean
}

export const briefingOf = (surroundings: Surroundings, prompt: string): Briefing => {
  const parts = { ...surroundings, prompt }
  return { ...parts, requestDocument: requestDocument(parts) }
}

const noProgress = () => ({ iterations: 0, toolCalls: 0, partial: "" })

/** Returns a function that fills in the system message and the first message of a conversation. */
export const makeAskPrompt = Effect.gen(function* () {
  const prompts = yield* Prompts
  const registry = yield* ToolRegistry
  const callForm = toolCallsFor(yield* RunSettings, "ask")

  return (briefing: Briefing, tools: ReadonlyArray<string>) =>
    prompts.fill("ask", {
      ...briefingBlocks(briefing, false),
      ...answerBlocks(tools, callForm, registry, "the answer to the user"),
      user_prompt: briefing.prompt
    })
})

const makeReporting = Effect.gen(function* () {
  const answers = yield* RunAnswers
  const events = yield* RunEvents
  const workspace = yield* Workspace

  const finish = Effect.fnUntraced(function* (
    { reports }: OpenConversation,
    number: number,
    startedAt: number,
    { iterations, toolCalls }: ReturnType<typeof noProgress>,
    ending: AskEnding
  ) {
    const durationMs = (yield* Clock.currentTimeMillis) - startedAt
    const report: AskReport = { message: number, ...ending, iterations, toolCalls, durationMs }
    yield* Ref.update(reports, (before) => [...before, report])
    /** Declined changes are no error. The answer mentions them. */
    const level = ending.status === "interrupted" ? "info" : "error"
    if (ending.reason !== "" && ending.status !== "declined")
      yield* events.publish({ type: "message", level, text: ending.reason })
    yield* events.publish({ type: "ask.finished", report })
    return report
  })

  /**
   * Adds the denials of this message to its facts, and turns `done` into `not_permitted`. Denied reads do not change
   * the status if the answer did not need them.
   */
  const withDenials = Effect.fnUntraced(function* (
    { memory }: OpenConversation,
    ending: AskEnding,
    since: { readonly denials: number; readonly outcomes: number }
  ) {
    const denials = (yield* answers.denials).slice(since.denials)
    if (denials.length === 0) return ending
    const { outcomes } = yield* Ref.get(memory)
    const deniedTasks = deniedOf(outcomes.slice(since.outcomes)) === "all" ? [askTask] : []
    const deciding = new Set(decidingDenials({ deniedTasks, denials }).map(({ message }) => message))
    const { facts = runFacts([], []) } = ending
    const withFacts = {
      ...ending,
      facts: { ...facts, denied: denials.map((denial) => deniedFact(denial, workspace.root)) }
    }
    return ending.status === "done" && deciding.size > 0
      ? { ...withFacts, status: "not_permitted" as const, reason: [...deciding].join("\n") }
      : withFacts
  })

  return { finish, withDenials }
})

const makeAnswerTo = Effect.gen(function* () {
  const answerMessage = yield* makeAnswerMessage
  const fill = yield* makeAskPrompt
  const instructions = yield* makeInstructions
  const readFiles = yield* makeMessageFiles
  const { contextWindow } = yield* RunSettings
  const support = yield* ToolSupport

  return Effect.fnUntraced(function* (
    held: OpenConversation,
    {
      text,
      typed,
      ...message
    }: {
      readonly number: number
      readonly text: string
      readonly typed: string
      readonly tools: ReadonlyArray<string>
      readonly listen: (delta: string) => void
      readonly progress: ReturnType<typeof noProgress>
    }
  ) {
    const { acceptUnverified, asksBack, images, memory, surroundings, instructionFiles } = held
    const { number, tools } = message
    const { messages } = yield* Ref.get(memory)
    const files = yield* readFiles(typed, yield* Ref.getAndSet(images, []), briefingOf(surroundings, text), number)
    if (messages.some((before) => before.role === "user" && before.pictures !== undefined)) yield* support.see
    const plain = withoutMarks(text, files.names)
    const briefing = briefingOf(surroundings, plain)
    const userMessage = {
      role: "user" as const,
      content: messages.some(isFromUser) ? plain : fill(briefing, tools).user,
      said: typed,
      ...(files.pictures.length === 0 ? {} : { pictures: files.pictures })
    }
    const rules = yield* besideShown(
      instructions,
      seenKey.instructions(askTask, `message-${number}`),
      [...files.names, ...pathsNamed(plain)],
      instructionFiles,
      { briefing, budget: charactersIn(contextWindow / 8) }
    )
    const besidePrompt = `${files.text}${rules}`
    const content = besidePrompt === "" ? [userMessage] : [fromHost(besidePrompt), userMessage]
    const { system } = fill(briefingOf(surroundings, text), tools)
    return yield* answerMessage({
      ...message,
      system,
      content,
      briefing,
      memory,
      instructionFiles,
      acceptUnverified,
      asksBack
    })
  })
})

/**
 * Answers one message at a time. `listen` receives the text while the model writes it. An interruption stops the
 * answer, and the conversation stays usable.
 *
 * Files that the message names as `@path` are sent with it. If the user typed another text than the message, `typed` is
 * this text, and only files named in `typed` are sent.
 */
export type SendMessage = (text: string, listen?: (delta: string) => void, typed?: string) => Effect.Effect<AskReport>

export const makeSend = Effect.gen(function* () {
  const answerTo = yield* makeAnswerTo
  const answers = yield* RunAnswers
  const events = yield* RunEvents
  const fill = yield* makeAskPrompt
  const { finish, withDenials } = yield* makeReporting
  const lock = yield* ProjectWriteLock
  const readTexts = yield* ReadTexts
  const shaped = yield* makeShapedAnswer

  return (held: OpenConversation): SendMessage =>
    Effect.fn("AskSession.send")(function* (text, listen = () => undefined, typed = text) {
      const { form, memory, surroundings } = held
      const number = (yield* Ref.get(held.reports)).length + 1
      yield* readTexts.noteSaid(text)
      const startedAt = yield* Clock.currentTimeMillis
      const since = {
        denials: (yield* answers.denials).length,
        outcomes: (yield* Ref.get(memory)).outcomes.length
      }
      const tools = (yield* Ref.get(held.tools)).map(({ name }) => name)
      const { system } = fill(briefingOf(surroundings, text), tools)
      const progress = noProgress()
      yield* events.publish({ type: "ask.started", message: number, text })
      const answer = answerTo(held, { number, text, typed, tools, listen, progress }).pipe(
        Effect.catch(({ message: reason }) => Effect.succeed<AskEnding>({ status: "failed", answer: "", reason }))
      )
      return yield* (text.trim() === "" ? Effect.succeed(emptyMessage) : answer).pipe(
        Effect.flatMap((ending) =>
          Effect.flatMap(Ref.get(memory), ({ messages }) =>
            shaped({ number, system, messages, form, progress }, ending)
          )
        ),
        Effect.ensuring(Effect.andThen(answers.endSteps, lock.release)),
        Effect.flatMap((ending) => withDenials(held, ending, since)),
        Effect.flatMap((ending) => finish(held, number, startedAt, progress, ending)),
        Effect.onInterrupt(() => {
          const ending = { status: "interrupted", answer: progress.partial, reason: "Stopped." } as const
          return finish(held, number, startedAt, progress, ending)
        })
      )
    })
})
