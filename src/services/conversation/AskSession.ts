/**
 * A conversation from its first event to its last: messages are answered one after another, and every way to end is a report.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import { hasFacts, runFacts } from "../../domain/checks/Facts.ts"
import {
  commandMessage,
  conversationEnding,
  emptyMessage,
  foldedMessages
} from "../../domain/conversation/Conversation.ts"
import { type AnswerSchema, formOf } from "../../domain/documents/AnswerFormat.ts"
import { withoutMarks } from "../../domain/conversation/Mentions.ts"
import { type Briefing, briefingBlocks, requestDocument } from "../../domain/models/Briefing.ts"
import {
  type ConversationMessage,
  fromHost,
  isFromPerson,
  messageCharacters
} from "../../domain/models/ConversationMessage.ts"
import { stageModel, toolCallsFor } from "../../domain/models/Generation.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import { deniedOf } from "../../domain/plan/TaskResult.ts"
import { askTask, seenKey } from "../../domain/runs/ActivityKey.ts"
import { pathsNamed } from "../../domain/files/PathList.ts"
import { type AskEnding, type AskReport, exitCodeOf, type RunReport } from "../../domain/runs/RunReport.ts"
import { decidingDenials } from "../../domain/runs/RunOutcome.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import type { CommandLine } from "../../domain/commands/CommandText.ts"
import type { Arguments, ToolInfo } from "../../domain/tools/ToolCall.ts"
import { Workspace } from "../files/Workspace.ts"
import { Prompts } from "../models/Prompts.ts"
import { ToolSupport } from "../models/ToolSupport.ts"
import { RunAnswers } from "../permissions/RunAnswers.ts"
import { ProjectWriteLock } from "../files/ProjectLock.ts"
import { deniedFact } from "../permissions/GateQuestion.ts"
import { noteMessages, ReadTexts } from "../permissions/ReadTexts.ts"
import { Briefer, type Surroundings } from "../pipeline/Briefer.ts"
import { besideShown, makeInstructions } from "../pipeline/Instructions.ts"
import { makeOverflow, requireFit } from "../pipeline/FirstPrompts.ts"
import { answerBlocks } from "../pipeline/TaskPrompts.ts"
import { causeText } from "../tools/ForeignCode.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { makeAnswerMessage, type Memory } from "./AskMessage.ts"
import { Asker, type AskOrder, type AskSession, UnknownTool } from "./Asker.ts"
import { makeMessageFiles } from "./MessageFiles.ts"
import { makeShapedAnswer } from "./ShapedAnswer.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"

/** Gives the tools with these names, in the order of all tools; all when no names are given. */
const chosenTools = ({ tools }: Pick<ToolRegistry["Service"], "tools">) =>
  Effect.fnUntraced(function* (
    names: ReadonlyArray<string> | undefined
  ): Effect.fn.Return<ReadonlyArray<ToolInfo>, UnknownTool> {
    if (names === undefined) return tools
    const all = tools.map(({ name }) => name)
    const unknown = names.filter((name) => !all.includes(name))
    if (unknown.length > 0) {
      const near = [...new Set(unknown.flatMap((name) => nearestOrAll(name, all)))]
      return yield* new UnknownTool({ tools: unknown, nearest: near })
    }
    return tools.filter(({ name }) => names.includes(name))
  })

const size = (messages: ReadonlyArray<ConversationMessage>): number =>
  messages.reduce((sum, message) => sum + messageCharacters(message), 0)

const briefingOf = (surroundings: Surroundings, prompt: string): Briefing => {
  const parts = { ...surroundings, prompt }
  return { ...parts, requestDocument: requestDocument(parts) }
}

const noProgress = () => ({ iterations: 0, toolCalls: 0, partial: "" })

interface HeldConversation extends Pick<AskOrder, "acceptUnverified"> {
  readonly surroundings: Surroundings
  readonly memory: Ref.Ref<Memory>
  /** The files with instructions of the project that it holds. */
  readonly told: Ref.Ref<ReadonlyArray<string>>
  /** Pictures that belong to the first message. */
  readonly images: Ref.Ref<ReadonlyArray<string>>
  readonly tools: Ref.Ref<ReadonlyArray<ToolInfo>>
  readonly reports: Ref.Ref<ReadonlyArray<AskReport>>
  readonly form: AnswerSchema | undefined
  readonly asksBack: boolean
}

/** Fills the system prompt, and the first message with the text before it. */
const makeAskPrompt = Effect.gen(function* () {
  const prompts = yield* Prompts
  const registry = yield* ToolRegistry
  const callForm = toolCallsFor(yield* RunSettings, "ask")

  return (briefing: Briefing, tools: ReadonlyArray<string>) =>
    prompts.fill("ask", {
      ...briefingBlocks(briefing, false),
      ...answerBlocks(tools, callForm, registry, "the answer to the person"),
      user_prompt: briefing.prompt
    })
})

/** Reports on the messages of conversations. */
const makeReporting = Effect.gen(function* () {
  const answers = yield* RunAnswers
  const events = yield* RunEvents
  const workspace = yield* Workspace

  const finish = Effect.fnUntraced(function* (
    { reports }: HeldConversation,
    number: number,
    startedAt: number,
    { iterations, toolCalls }: ReturnType<typeof noProgress>,
    ending: AskEnding
  ) {
    const durationMs = (yield* Clock.currentTimeMillis) - startedAt
    const report: AskReport = { message: number, ...ending, iterations, toolCalls, durationMs }
    yield* Ref.update(reports, (before) => [...before, report])
    /* What a person chose is no error, and the answer says what they declined. */
    const level = ending.status === "interrupted" ? "info" : "error"
    if (ending.reason !== "" && ending.status !== "declined")
      yield* events.publish({ type: "message", level, text: ending.reason })
    yield* events.publish({ type: "ask.finished", report })
    return report
  })

  /** What was denied since then stands among the facts; the answer is not done when it is more than a read it did without. */
  const withDenials = Effect.fnUntraced(function* (
    { memory }: HeldConversation,
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

/** Reads a message with its files, and has it answered. */
const makeAnswerTo = Effect.gen(function* () {
  const answerMessage = yield* makeAnswerMessage
  const fill = yield* makeAskPrompt
  const instructions = yield* makeInstructions
  const readFiles = yield* makeMessageFiles
  const { contextWindow } = yield* RunSettings
  const support = yield* ToolSupport

  return Effect.fnUntraced(function* (
    held: HeldConversation,
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
    const { acceptUnverified, asksBack, images, memory, surroundings, told } = held
    const { number, tools } = message
    const { messages } = yield* Ref.get(memory)
    const files = yield* readFiles(typed, yield* Ref.getAndSet(images, []), briefingOf(surroundings, text), number)
    if (messages.some((before) => before.role === "user" && before.pictures !== undefined)) yield* support.see
    const plain = withoutMarks(text, files.names)
    const briefing = briefingOf(surroundings, plain)
    const own = {
      role: "user" as const,
      content: messages.some(isFromPerson) ? plain : fill(briefing, tools).user,
      said: typed,
      ...(files.pictures.length === 0 ? {} : { pictures: files.pictures })
    }
    const rules = yield* besideShown(
      instructions,
      seenKey.instructions(askTask, `message-${number}`),
      [...files.names, ...pathsNamed(plain)],
      told,
      { briefing, budget: charactersIn(contextWindow / 8) }
    )
    const shown = `${files.text}${rules}`
    const content = shown === "" ? [own] : [fromHost(shown), own]
    const { system } = fill(briefingOf(surroundings, text), tools)
    return yield* answerMessage({ ...message, system, content, briefing, memory, told, acceptUnverified, asksBack })
  })
})

/** Answers the messages of a conversation, from their first event to their report. */
const makeSend = Effect.gen(function* () {
  const answerTo = yield* makeAnswerTo
  const answers = yield* RunAnswers
  const events = yield* RunEvents
  const fill = yield* makeAskPrompt
  const { finish, withDenials } = yield* makeReporting
  const lock = yield* ProjectWriteLock
  const readTexts = yield* ReadTexts
  const shaped = yield* makeShapedAnswer

  return (held: HeldConversation): AskSession["send"] =>
    Effect.fn("Asker.send")(function* (text, listen = () => undefined, typed = text) {
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

/** Makes the conversation that its user holds. */
const makeOpenSession = Effect.gen(function* () {
  const lock = yield* ProjectWriteLock
  const readTexts = yield* ReadTexts
  const sendTo = yield* makeSend
  const { contextWindow } = yield* RunSettings
  const toolRunner = yield* ToolRunner
  const chosen = chosenTools(yield* ToolRegistry)

  return (held: HeldConversation): AskSession => {
    const { memory, tools } = held
    let typedCalls = 0

    const call = Effect.fn("Asker.call")(function* (name: string, args: Arguments) {
      typedCalls += 1
      const uid = `typed-${typedCalls}`
      return yield* toolRunner.run({ round: 0, task: askTask, uid }, { uid, name, arguments: args }, "project").pipe(
        Effect.catchTag("TooManyDenials", (denied) => Effect.succeed(denied.result)),
        Effect.ensuring(lock.release)
      )
    })

    const command = Effect.fn("Asker.command")(function* (argv: CommandLine, typed: string) {
      const result = yield* call("run_command", { argv })
      yield* Ref.update(memory, (now) => ({ ...now, messages: [...now.messages, commandMessage(typed, result)] }))
      return result
    })

    const compact = Effect.gen(function* () {
      const before = yield* Ref.get(memory)
      const folded = foldedMessages(before.messages, "", Math.floor(charactersIn(contextWindow) / 4))
      /* The last answer is kept, as what the person goes on from. */
      const last = before.messages.at(-1)
      const kept = last?.role === "assistant" ? [...folded, last] : folded
      yield* Ref.set(memory, { ...before, messages: kept, hasFolded: true })
      return { before: size(before.messages), after: size(kept) }
    })

    return {
      send: sendTo(held),
      messages: Effect.map(Ref.get(memory), ({ messages }) => messages),
      call,
      command,
      compact,
      restore: Effect.fnUntraced(function* (messages) {
        yield* noteMessages(readTexts, messages)
        yield* Ref.set(memory, { messages, outcomes: [], hasFolded: messages.length > 0 })
      }),
      tools: Ref.get(tools),
      offer: (names) => Effect.flatMap(chosen(names), (offered) => Ref.set(tools, offered))
    }
  }
})

/** Makes the report of a conversation that has ended. */
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

/** Opens conversations over models, tools and project. */
export const layerAsker = Layer.effect(
  Asker,
  Effect.gen(function* () {
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
      Effect.map(answers.denials, (denials) =>
        conversationEnding(reports, decidingDenials({ deniedTasks: [], denials }))
      )

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
        memory: yield* Ref.make<Memory>({ messages, outcomes: [], hasFolded: false }),
        reports,
        surroundings,
        told: yield* Ref.make<ReadonlyArray<string>>(surroundings.descriptionFiles ?? []),
        tools: yield* Ref.make(offered)
      })
      const end = (ending: AskEnding) => Effect.flatMap(Ref.get(reports), (all) => finishRun(runId, all, ending))
      return yield* use(session).pipe(
        Effect.andThen(Ref.get(reports)),
        Effect.flatMap(endingOf),
        Effect.flatMap(end),
        Effect.onInterrupt(() =>
          end({ status: "interrupted", answer: "", reason: "The conversation was interrupted." })
        ),
        Effect.onError((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.void
            : end({ status: "failed", answer: "", reason: `The conversation broke off: ${causeText(cause)}` })
        )
      )
    })

    return Asker.of({ hold })
  })
)
