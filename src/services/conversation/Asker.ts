/**
 * A conversation from its first event to its last: the messages of a person are answered one after another, with tools,
 * and every way to end is a report.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { type AskEnding, type AskReport, exitCodeOf, type RunReport } from "../../domain/runs/RunReport.ts"
import { type Attachment, briefingBlocks } from "../../domain/models/Briefing.ts"
import type { ConversationMessage } from "../../domain/conversation/Conversation.ts"
import { stageModel } from "../../domain/models/Generation.ts"
import type { ToolInfo } from "../../domain/tools/PreparedCall.ts"
import { conversationEnding, emptyMessage } from "../../domain/conversation/AskEndings.ts"
import type { AnswerSchema } from "../../domain/documents/JsonAnswer.ts"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import type { UnknownTool } from "./ChosenTools.ts"
import type { BriefingError, Surroundings } from "../pipeline/Briefer.ts"
import { causeText } from "../plugins/ForeignCode.ts"
import { ProjectWriteLock } from "../permissions/ProjectWriteLock.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { type NoToolSupport, ToolSupport } from "../models/ToolSupport.ts"

export interface AskOrder {
  readonly runId: string
  /** The first message, when it is known already. */
  readonly prompt: string
  /** The file the person is looking at; the model sees it with the first message. */
  readonly currentFile?: string
  /** Files that are open in the person's editor; the model sees their paths with the first message. */
  readonly openFiles?: ReadonlyArray<string>
  /** What belongs to the first message. */
  readonly attachment?: Attachment
  /** The JSON schema that each answer has to fit. */
  readonly outputSchema?: Schema.Json
  /** The names of the tools that the model may call; all when absent. */
  readonly tools?: ReadonlyArray<string>
  /** What was said before, in a conversation that goes on. */
  readonly messages?: ReadonlyArray<ConversationMessage>
}

export interface AskSession {
  /**
   * Answers one message; one at a time. The report says how it ended. `listen` receives the text while it is written;
   * interruption stops the answer and leaves the conversation usable.
   */
  readonly send: (text: string, listen?: (delta: string) => void) => Effect.Effect<AskReport>
  /** All messages so far, without the system prompt. */
  readonly messages: Effect.Effect<ReadonlyArray<ConversationMessage>>
  /** Deletes the messages. What was allowed for the session stays allowed. */
  readonly forget: Effect.Effect<void>
  /** The tools that the model may call. */
  readonly tools: Effect.Effect<ReadonlyArray<ToolInfo>>
  /** Offers these tools from the next message on; all when nothing is given. */
  readonly offer: (names: ReadonlyArray<string> | undefined) => Effect.Effect<void, UnknownTool>
}

const noProgress = () => ({ iterations: 0, toolCalls: 0, heard: "" })

export class Asker extends Context.Service<
  Asker,
  {
    /**
     * Opens a conversation for `use`, and ends it with the last event. Its report has the status and the answer of the last
     * message; any denial makes it `not_permitted`. Fails, before any event, when the model cannot call tools, a tool
     * does not exist, or the current file cannot be read.
     */
    converse<E, R>(
      order: AskOrder,
      use: (session: AskSession) => Effect.Effect<void, E, R>
    ): Effect.Effect<RunReport, BriefingError | NoToolSupport | UnknownTool | E, R>
  }
>()("task-conductor/services/conversation/Asker") {
  static readonly layer = Layer.effect(
    Asker,
    Effect.gen(function* () {
      const { AskTurn, Briefer, Gate, Prompts, RunSettings, ToolRegistry, UsageMeter, Workspace, ...parts } =
        yield* Effect.promise(() => import("./AskerParts.ts"))
      const { chosenTools, formOf, makeShapedAnswer } = parts
      const turn = yield* AskTurn
      const briefer = yield* Briefer
      const gate = yield* Gate
      const prompts = yield* Prompts
      const events = yield* RunEvents
      const settings = yield* RunSettings
      const support = yield* ToolSupport
      const meter = yield* UsageMeter
      const workspace = yield* Workspace
      const lock = yield* ProjectWriteLock
      const shaped = yield* makeShapedAnswer
      const chosen = chosenTools(yield* ToolRegistry)

      /** The system prompt, and the first message with the text before it. */
      const fill = (known: Surroundings, prompt: string): FilledPrompt => {
        const shared = briefingBlocks({ ...known, prompt }, false)
        return prompts.fill("ask", {
          project_description: shared.project_description,
          environment: shared.environment,
          current_file: shared.current_file,
          open_files: shared.open_files,
          user_prompt: prompt
        })
      }

      const deniedSince = (count: number) =>
        Effect.map(gate.denials, (denials) => [...new Set(denials.slice(count).map(({ message }) => message))])

      const openSession = Effect.fnUntraced(function* (
        known: Surroundings,
        begin: ReadonlyArray<ConversationMessage>,
        offered: ReadonlyArray<ToolInfo>,
        form: AnswerSchema | undefined
      ) {
        const messages = yield* Ref.make(begin)
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
          /* What a person chose is no error. */
          const level = ending.status === "interrupted" ? "info" : "error"
          if (ending.reason !== "") yield* events.publish({ type: "message", level, text: ending.reason })
          yield* events.publish({ type: "ask.finished", report })
          return report
        })

        const send = Effect.fn("Asker.send")(function* (
          text: string,
          listen: (delta: string) => void = () => undefined
        ) {
          const number = (yield* Ref.get(reports)).length + 1
          const startedAt = yield* Clock.currentTimeMillis
          const deniedBefore = (yield* gate.denials).length
          const isFirst = (yield* Ref.get(messages)).length === 0
          const { system, user } = fill(known, text)
          const progress = noProgress()
          yield* events.publish({ type: "ask.started", message: number, text })
          const content = isFirst ? user : text
          const answering =
            text.trim() === ""
              ? Effect.succeed(emptyMessage)
              : turn.answer({ number, system, content, messages, tools: yield* Ref.get(tools), listen, progress })
          const inForm = Effect.fnUntraced(function* (ending: AskEnding) {
            return yield* shaped({ number, system, messages: yield* Ref.get(messages), form, progress }, ending)
          })
          return yield* Effect.flatMap(answering, inForm).pipe(
            Effect.ensuring(lock.release),
            Effect.flatMap((ending) =>
              Effect.map(deniedSince(deniedBefore), (denied): AskEnding =>
                ending.status === "done" && denied.length > 0
                  ? { ...ending, status: "not_permitted", reason: denied.join("\n") }
                  : ending
              )
            ),
            Effect.flatMap((ending) => finish(number, startedAt, progress, ending)),
            Effect.onInterrupt(() => {
              const reason = "Stopped."
              return finish(number, startedAt, progress, { status: "interrupted", answer: progress.heard, reason })
            })
          )
        })

        const session: AskSession = {
          send,
          messages: Ref.get(messages),
          forget: Ref.set(messages, []),
          tools: Ref.get(tools),
          offer: (names) => Effect.flatMap(chosen(names), (some) => Ref.set(tools, some))
        }
        return { session, reports: Ref.get(reports) }
      })

      const endingOf = (reports: ReadonlyArray<AskReport>) =>
        Effect.map(deniedSince(0), (denied) => conversationEnding(reports, denied))

      const finishRun = Effect.fnUntraced(function* (runId: string, rounds: number, ending: AskEnding) {
        const { answer, reason: message, status } = ending
        const usage = yield* meter.total
        const nothing = { issues: [], goals: "", results: [], failures: [] }
        const report: RunReport = { runId, status, answer, message, ...nothing, rounds, usage }
        yield* events.publish({ type: "run.finished", exitCode: exitCodeOf(status), report })
        return report
      })

      const converse = Effect.fn("Asker.converse")(function* <E, R>(
        { messages = [], outputSchema, prompt, runId, tools, ...files }: AskOrder,
        use: (session: AskSession) => Effect.Effect<void, E, R>
      ) {
        const known = yield* briefer.surroundings(files)
        const offered = yield* chosen(tools)
        const form = yield* formOf(outputSchema)
        const supported = yield* Effect.result(support.require)
        if (Result.isFailure(supported) && supported.failure._tag === "NoToolSupport") return yield* supported.failure
        yield* events.publish({
          type: "run.started",
          version: 2,
          runId,
          project: workspace.root,
          model:
            settings.model === "embedded" ? settings.model : (stageModel(settings.generation, "ask") ?? settings.model),
          prompt
        })
        yield* Effect.forEach(known.notes ?? [], (text) => events.publish({ type: "message", level: "warning", text }))
        if (Result.isFailure(supported)) {
          const reason = supported.failure.message
          yield* events.publish({ type: "message", level: "error", text: reason })
          return yield* finishRun(runId, 0, { status: "unavailable", answer: "", reason })
        }
        const { reports, session } = yield* openSession(known, messages, offered, form)
        const end = (ending: AskEnding) => Effect.flatMap(reports, (all) => finishRun(runId, all.length, ending))
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

      return Asker.of({ converse })
    })
  )
}
