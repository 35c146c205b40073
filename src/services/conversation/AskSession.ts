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
import { ProjectWriteLock } from "../permissions/ProjectWriteLock.ts"
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

const size = (all: ReadonlyArray<ConversationMessage>): number =>
  all.reduce((sum, one) => sum + messageCharacters(one), 0)

const briefingOf = (known: Surroundings, prompt: string): Briefing => {
  const parts = { ...known, prompt }
  return { ...parts, requestDocument: requestDocument(parts) }
}

const noProgress = () => ({ iterations: 0, toolCalls: 0, partial: "" })

/** Opens conversations over models, tools and project. */
export const layerAsker = Layer.effect(
  Asker,
  Effect.gen(function* () {
    const answerMessage = yield* makeAnswerMessage
    const readFiles = yield* makeMessageFiles
    const toolRunner = yield* ToolRunner
    const briefer = yield* Briefer
    const overflow = yield* makeOverflow
    const answers = yield* RunAnswers
    const readTexts = yield* ReadTexts
    const prompts = yield* Prompts
    const events = yield* RunEvents
    const settings = yield* RunSettings
    const support = yield* ToolSupport
    const meter = yield* UsageMeter
    const workspace = yield* Workspace
    const instructions = yield* makeInstructions
    const lock = yield* ProjectWriteLock
    const shaped = yield* makeShapedAnswer
    const registry = yield* ToolRegistry
    const chosen = chosenTools(registry)
    const callForm = toolCallsFor(settings, "ask")

    /** The system prompt, and the first message with the text before it. */
    const fill = (briefing: Briefing, tools: ReadonlyArray<string>) =>
      prompts.fill("ask", {
        ...briefingBlocks(briefing, false),
        ...answerBlocks(tools, callForm, registry, "the answer to the person"),
        user_prompt: briefing.prompt
      })

    const openSession = Effect.fnUntraced(function* (
      known: Surroundings,
      begin: ReadonlyArray<ConversationMessage>,
      images: ReadonlyArray<string>,
      offered: ReadonlyArray<ToolInfo>,
      form: AnswerSchema | undefined,
      { acceptUnverified, asksBack }: Pick<AskOrder, "acceptUnverified"> & { readonly asksBack: boolean }
    ) {
      yield* noteMessages(readTexts, begin)
      const memory = yield* Ref.make<Memory>({ messages: begin, outcomes: [], hasFolded: false })
      const told = yield* Ref.make<ReadonlyArray<string>>(known.descriptionFiles ?? [])
      const given = yield* Ref.make(images)
      let typedCalls = 0
      const messages = Effect.map(Ref.get(memory), (now) => now.messages)
      const tools = yield* Ref.make(offered)
      const reports = yield* Ref.make<ReadonlyArray<AskReport>>([])

      const finish = Effect.fnUntraced(function* (
        number: number,
        startedAt: number,
        done: ReturnType<typeof noProgress>,
        ending: AskEnding
      ) {
        const { iterations, toolCalls } = done
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
        ending: AskEnding,
        since: { readonly denials: number; readonly outcomes: number }
      ) {
        const denials = (yield* answers.denials).slice(since.denials)
        if (denials.length === 0) return ending
        const { outcomes } = yield* Ref.get(memory)
        const deniedTasks = deniedOf(outcomes.slice(since.outcomes)) === "all" ? [askTask] : []
        const deciding = new Set(decidingDenials({ deniedTasks, denials }).map(({ message }) => message))
        const { facts = runFacts([], []) } = ending
        const known = { ...ending, facts: { ...facts, denied: denials.map((one) => deniedFact(one, workspace.root)) } }
        return ending.status === "done" && deciding.size > 0
          ? { ...known, status: "not_permitted" as const, reason: [...deciding].join("\n") }
          : known
      })

      const send = Effect.fn("Asker.send")(function* (
        text: string,
        listen: (delta: string) => void = () => undefined,
        typed = text
      ) {
        const number = (yield* Ref.get(reports)).length + 1
        yield* readTexts.noteSaid(text)
        const startedAt = yield* Clock.currentTimeMillis
        const since = {
          denials: (yield* answers.denials).length,
          outcomes: (yield* Ref.get(memory)).outcomes.length
        }
        const isFirst = !(yield* messages).some(isFromPerson)
        const names = (yield* Ref.get(tools)).map(({ name }) => name)
        const { system } = fill(briefingOf(known, text), names)
        const progress = noProgress()
        yield* events.publish({ type: "ask.started", message: number, text })
        const answer = Effect.gen(function* () {
          const files = yield* readFiles(typed, yield* Ref.getAndSet(given, []), briefingOf(known, text), number)
          const hadPictures = (yield* messages).some((one) => one.role === "user" && one.pictures !== undefined)
          if (hadPictures) yield* support.see
          const plain = withoutMarks(text, files.names)
          const briefing = briefingOf(known, plain)
          const own = {
            role: "user" as const,
            content: isFirst ? fill(briefing, names).user : plain,
            said: typed,
            ...(files.pictures.length === 0 ? {} : { pictures: files.pictures })
          }
          const rules = yield* besideShown(
            instructions,
            seenKey.instructions(askTask, `message-${number}`),
            [...files.names, ...pathsNamed(plain)],
            told,
            { briefing, budget: charactersIn(settings.contextWindow / 8) }
          )
          const shown = `${files.text}${rules}`
          const content = shown === "" ? [own] : [fromHost(shown), own]
          return yield* answerMessage({
            number,
            system,
            content,
            briefing,
            memory,
            told,
            tools: names,
            listen,
            acceptUnverified,
            asksBack,
            progress
          })
        }).pipe(
          Effect.catch(({ message: reason }) => Effect.succeed<AskEnding>({ status: "failed", answer: "", reason }))
        )
        const answering = text.trim() === "" ? Effect.succeed(emptyMessage) : answer
        const inForm = Effect.fnUntraced(function* (ending: AskEnding) {
          return yield* shaped({ number, system, messages: yield* messages, form, progress }, ending)
        })
        return yield* Effect.flatMap(answering, inForm).pipe(
          Effect.ensuring(Effect.andThen(answers.endSteps, lock.release)),
          Effect.flatMap((ending) => withDenials(ending, since)),
          Effect.flatMap((ending) => finish(number, startedAt, progress, ending)),
          Effect.onInterrupt(() => {
            const reason = "Stopped."
            return finish(number, startedAt, progress, { status: "interrupted", answer: progress.partial, reason })
          })
        )
      })

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
        const folded = foldedMessages(before.messages, "", Math.floor(charactersIn(settings.contextWindow) / 4))
        /* The last answer is kept, as what the person goes on from. */
        const last = before.messages.at(-1)
        const kept = last?.role === "assistant" ? [...folded, last] : folded
        yield* Ref.set(memory, { ...before, messages: kept, hasFolded: true })
        return { before: size(before.messages), after: size(kept) }
      })

      const session: AskSession = {
        send,
        messages,
        call,
        command,
        compact,
        restore: Effect.fnUntraced(function* (some) {
          yield* noteMessages(readTexts, some)
          yield* Ref.set(memory, { messages: some, outcomes: [], hasFolded: some.length > 0 })
        }),
        tools: Ref.get(tools),
        offer: (names) => Effect.flatMap(chosen(names), (some) => Ref.set(tools, some))
      }
      return { session, reports: Ref.get(reports) }
    })

    const endingOf = (reports: ReadonlyArray<AskReport>) =>
      Effect.map(answers.denials, (denials) =>
        conversationEnding(reports, decidingDenials({ deniedTasks: [], denials }))
      )

    const finishRun = Effect.fnUntraced(function* (
      runId: string,
      reports: ReadonlyArray<AskReport>,
      ending: Omit<AskEnding, "facts">
    ) {
      const { answer, reason: message, status } = ending
      const usage = yield* meter.total
      const nothing = { issues: [], goals: "", results: [], failures: [] }
      const known = reports.flatMap(({ facts }) => facts ?? [])
      const facts = runFacts(
        known.flatMap(({ files }) => files),
        known.findLast(({ files }) => files.length > 0)?.checks ?? [],
        {
          denied: known.flatMap(({ denied = [] }) => denied),
          unfounded: [...new Set(known.flatMap(({ unfounded = [] }) => unfounded))]
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

    const hold = Effect.fn("Asker.hold")(function* <E, R>(
      { acceptUnverified, images = [], messages = [], outputSchema, prompt, runId, tools, ...files }: AskOrder,
      use: (session: AskSession) => Effect.Effect<void, E, R>
    ) {
      const known = yield* briefer.surroundings(files)
      const offered = yield* chosen(tools)
      const names = offered.map(({ name }) => name)
      yield* requireFit((briefing) => overflow(fill(briefing, names)), briefingOf(known, prompt))
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
      yield* Effect.forEach(known.notes ?? [], (text) => events.publish({ type: "message", level: "warning", text }))
      if (Result.isFailure(supported)) {
        const { message: reason } = supported.failure
        yield* events.publish({ type: "message", level: "error", text: reason })
        return yield* finishRun(runId, [], { status: "unavailable", answer: "", reason })
      }
      const { reports, session } = yield* openSession(known, messages, images, offered, form, {
        acceptUnverified,
        asksBack: prompt !== ""
      })
      const end = (ending: AskEnding) => Effect.flatMap(reports, (all) => finishRun(runId, all, ending))
      return yield* use(session).pipe(
        Effect.andThen(reports),
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
