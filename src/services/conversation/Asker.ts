/** Opens conversations, and publishes their events from the first to the last, however a conversation ends. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { hasFacts, runFacts } from "../../domain/checks/Facts.ts"
import { conversationEnding } from "../../domain/conversation/Conversation.ts"
import { formOf } from "../../domain/documents/AnswerFormat.ts"
import type { Attachment } from "../../domain/models/Briefing.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import { stageModel } from "../../domain/models/Generation.ts"
import { type AskEnding, type AskReport, exitCodeOf, type RunReport } from "../../domain/runs/RunReport.ts"
import { decidingDenials } from "../../domain/runs/RunOutcome.ts"
import { Workspace } from "../files/Workspace.ts"
import { ToolSupport, type NoToolSupport } from "../models/ToolSupport.ts"
import { RunAnswers } from "../permissions/RunAnswers.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { noteMessages } from "./EarlierMessages.ts"
import { Briefer, type BriefingError } from "../pipeline/Briefer.ts"
import { makeOverflow, requireFit } from "../pipeline/FirstPrompts.ts"
import { causeText } from "../tools/ForeignCode.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { Memory } from "./MessageWork.ts"
import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import { briefingOf, makeAskPrompt } from "./SendMessage.ts"
import { type AskSession, chosenTools, makeOpenSession, type UnknownTool } from "./AskSession.ts"

export interface AskOrder {
  readonly runId: string
  /** The first message. Empty if it is not known yet. */
  readonly prompt: string
  /** The file that the user looks at. The model sees it with the first message. */
  readonly currentFile?: string
  /** Files that are open in the user's editor. The model sees their paths with the first message. */
  readonly openFiles?: ReadonlyArray<string>
  /** Text that belongs to the first message. */
  readonly attachment?: Attachment
  /** Paths of pictures that belong to the first message. */
  readonly images?: ReadonlyArray<string>
  /** The JSON schema that each answer must fit. */
  readonly outputSchema?: Schema.Json
  /** The names of the tools that the model may call; all if absent. */
  readonly tools?: ReadonlyArray<string>
  /** True if an answer may end as `done` although a check failed or proves nothing. */
  readonly acceptUnverified?: boolean | undefined
  /** The earlier messages of a continued conversation. */
  readonly messages?: ReadonlyArray<ConversationMessage>
}

const makeFinishRun = Effect.gen(function* () {
  const events = yield* RunEvents
  const meter = yield* UsageMeter

  return Effect.fnUntraced(function* (
    runId: string,
    reports: ReadonlyArray<AskReport>,
    ending: Omit<AskEnding, "facts">
  ) {
    const { answer, reason: message, status } = ending
    const usage = yield* meter.total
    const nothing = { issues: [], goals: "", results: [], failures: [] }
    const reported = reports.flatMap(({ facts }) => facts ?? [])
    const facts = runFacts(
      reported.flatMap(({ files }) => files),
      reported.findLast(({ files }) => files.length > 0)?.checks ?? [],
      {
        denied: reported.flatMap(({ denied = [] }) => denied),
        unfounded: [...new Set(reported.flatMap(({ unfounded = [] }) => unfounded))]
      }
    )
    const report: RunReport = {
      runId,
      status,
      answer,
      message,
      ...nothing,
      rounds: reports.length,
      ...(hasFacts(facts) ? { facts } : {}),
      usage
    }
    yield* events.publish({ type: "run.finished", exitCode: exitCodeOf(status), report })
    return report
  })
})

const makeAsker = Effect.gen(function* () {
  const answers = yield* RunAnswers
  const briefer = yield* Briefer
  const events = yield* RunEvents
  const fill = yield* makeAskPrompt
  const finishRun = yield* makeFinishRun
  const openSession = yield* makeOpenSession
  const overflow = yield* makeOverflow
  const readTexts = yield* ReadTexts
  const settings = yield* RunSettings
  const support = yield* ToolSupport
  const workspace = yield* Workspace
  const chosen = chosenTools(yield* ToolRegistry)

  const endingOf = (reports: ReadonlyArray<AskReport>) =>
    Effect.map(answers.denials, (denials) => conversationEnding(reports, decidingDenials({ deniedTasks: [], denials })))

  const hold = Effect.fn("Asker.hold")(function* <E, R>(
    { acceptUnverified, images = [], messages = [], outputSchema, prompt, runId, tools, ...files }: AskOrder,
    use: (session: AskSession) => Effect.Effect<void, E, R>
  ) {
    const surroundings = yield* briefer.surroundings(files)
    const offered = yield* chosen(tools)
    const names = offered.map(({ name }) => name)
    yield* requireFit((briefing) => overflow(fill(briefing, names)), briefingOf(surroundings, prompt))
    const form = yield* formOf(outputSchema)
    const supported = yield* Effect.result(support.require)
    if (Result.isFailure(supported) && supported.failure._tag === "NoToolSupport") return yield* supported.failure
    yield* events.publish({
      type: "run.started",
      version: 2,
      runId,
      project: workspace.root,
      model: settings.model === "embedded" ? settings.model : (stageModel(settings, "ask") ?? settings.model),
      prompt
    })
    yield* Effect.forEach(surroundings.notes ?? [], (text) =>
      events.publish({ type: "message", level: "warning", text })
    )
    if (Result.isFailure(supported)) {
      const { message: reason } = supported.failure
      yield* events.publish({ type: "message", level: "error", text: reason })
      return yield* finishRun(runId, [], { status: "unavailable", answer: "", reason })
    }
    yield* noteMessages(readTexts, messages)
    const reports = yield* Ref.make<ReadonlyArray<AskReport>>([])
    const session = openSession({
      acceptUnverified,
      asksBack: prompt !== "",
      form,
      images: yield* Ref.make(images),
      memory: yield* Ref.make<Memory>({ messages, outcomes: [], isCompacted: false }),
      reports,
      surroundings,
      instructionFiles: yield* Ref.make<ReadonlyArray<string>>(surroundings.descriptionFiles ?? []),
      tools: yield* Ref.make(offered)
    })
    const end = (ending: AskEnding) => Effect.flatMap(Ref.get(reports), (all) => finishRun(runId, all, ending))
    return yield* use(session).pipe(
      Effect.andThen(Ref.get(reports)),
      Effect.flatMap(endingOf),
      Effect.flatMap(end),
      Effect.onInterrupt(() => end({ status: "interrupted", answer: "", reason: "The conversation was interrupted." })),
      Effect.onError((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : end({ status: "failed", answer: "", reason: `The conversation broke off: ${causeText(cause)}` })
      )
    )
  })

  return { hold }
})

export class Asker extends Context.Service<
  Asker,
  {
    /**
     * Opens a conversation for `use`, and publishes and returns its report with the status and answer of the last
     * message. After a denial, the status is `not_permitted`. A denied read does not count if the answer did not need
     * it.
     *
     * Fails before the first event if the model cannot call tools, a tool does not exist, or the current file is
     * unreadable.
     */
    hold<E, R>(
      order: AskOrder,
      use: (session: AskSession) => Effect.Effect<void, E, R>
    ): Effect.Effect<RunReport, BriefingError | NoToolSupport | UnknownTool | E, R>
  }
>()("task-conductor/services/conversation/Asker") {
  static readonly layer = Layer.effect(Asker, makeAsker)
}
