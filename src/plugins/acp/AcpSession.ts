/**
 * One session of an editor. Its mode decides whether a prompt continues a conversation, or orders a plan or a run.
 * Messages are saved among the conversations of the project.
 */
import type {
  ContentBlock,
  PermissionOption,
  RequestPermissionOutcome,
  SessionUpdate,
  StopReason,
  ToolCallUpdate
} from "@agentclientprotocol/sdk"
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { isAbsolute, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import {
  beginRun,
  type Configuration,
  conversationPlace,
  holdConversation,
  type NewConversation,
  planRun,
  readSetup,
  type RunContext
} from "../../kit/program.ts"
import {
  type AskReport,
  conversationMarkdown,
  type ConversationMessage,
  factLines,
  hostAnswer,
  makeMessageQueue,
  makeRunId,
  outcomeText,
  type RunReport,
  saveConversation
} from "../../kit/runs.ts"
import {
  type CommandFailure,
  type EventSink,
  failureOf,
  type Output,
  runContextOf,
  usageFailure
} from "../../kit/terminal.ts"
import { fenced } from "../../kit/text.ts"
import { type Approve, layerCallback } from "../../kit/tools.ts"
import { makeChoices, type ModeId, type ModelChoice } from "./SessionChoices.ts"
import {
  askedCall,
  permissionAnswer,
  permissionOptions,
  makeUpdates,
  messageChunk,
  thought,
  toolCallId
} from "./SessionUpdates.ts"

/** The path of a file, relative to the project if the file is in it. Other addresses stay unchanged. */
const nameOf = (uri: string, project: string): string => {
  if (!uri.startsWith("file:") || URL.parse(uri) === null) return uri
  const path = fileURLToPath(uri)
  const within = relative(project, path)
  return within === "" || within === ".." || within.startsWith(`..${sep}`) || isAbsolute(within) ? path : within
}

interface PromptText {
  /** What the user typed, with the paths of linked files. */
  readonly prompt: string
  /** Texts that the editor embedded. */
  readonly material: string
}

/**
 * Separates the typed text from the content of embedded files. The typed text contains the paths of linked and embedded
 * files. Undefined if a part is not supported, such as an image.
 */
const promptText = (blocks: ReadonlyArray<ContentBlock>, project: string): PromptText | undefined => {
  let prompt = ""
  const material: Array<string> = []
  for (const block of blocks) {
    if (block.type === "text") prompt += block.text
    else if (block.type === "resource_link") prompt += `\`${nameOf(block.uri, project)}\``
    else if (block.type === "resource" && "text" in block.resource) {
      const name = nameOf(block.resource.uri, project)
      prompt += `\`${name}\``
      material.push(`\`${name}\` in the editor:\n\n${fenced(block.resource.text, "")}`)
    } else return undefined
  }
  return { prompt, material: material.join("\n\n") }
}

export interface Editor {
  readonly update: (update: SessionUpdate) => void
  readonly ask: (call: ToolCallUpdate, options: Array<PermissionOption>) => Promise<RequestPermissionOutcome>
}

export interface SessionOptions extends Pick<RunContext, "approveSteps" | "yes"> {
  readonly id: string
  /** The absolute path of the project. */
  readonly project: string
  readonly configuration: Configuration
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly editor: Editor
  readonly choice: ModelChoice
}

type Services = NodeServices.NodeServices | Output | Scope.Scope

const paragraphs = (...parts: ReadonlyArray<string>): string =>
  parts
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n")

const factText = ({ facts }: Pick<AskReport, "facts">): string =>
  facts === undefined ? "" : factLines(facts).join("\n")

/** Why the work ended. Empty if the answer or the facts already say so. */
const reasonText = ({
  answer,
  facts,
  reason,
  status
}: Pick<AskReport, "answer" | "facts" | "reason" | "status">): string =>
  reason === "" || [answer, factText({ facts })].some((text) => text.includes(reason)) ? "" : `${status}: ${reason}`

/** The text about a finished run. Checked facts stand before the model's answer. */
const reportText = (report: RunReport): string => {
  const { answer, facts, runId } = report
  const undo = (facts?.files.length ?? 0) > 0 ? `Undo it: task-conductor undo ${runId}` : ""
  return paragraphs(outcomeText(report), answer, undo)
}

interface TalkListener {
  /** Receives an answer's text as it arrives. */
  readonly wrote: (text: string) => void
  /** Receives all messages after each answer. */
  readonly answered: (messages: ReadonlyArray<ConversationMessage>) => void
  readonly closed: () => void
}

/** Opens a conversation that accepts messages until the scope closes. */
const openTalk = Effect.fnUntraced(function* (
  conversation: NewConversation,
  context: RunContext,
  { answered, closed, wrote }: TalkListener
) {
  const { answerAll, send, stop } = yield* makeMessageQueue
  const fiber = yield* holdConversation(conversation, context, (session) => {
    const noteMessages = Effect.map(session.messages, answered)
    return answerAll({ send: (text, hear) => Effect.ensuring(session.send(text, hear), noteMessages) })
  }).pipe(Effect.mapError(failureOf), Effect.ensuring(Effect.sync(closed)), Effect.forkScoped)
  const closedFailure = Effect.andThen(Fiber.join(fiber), usageFailure("The conversation is closed."))
  return {
    fiber,
    /** Sends a message and waits for its answer. An interruption stops the answer. */
    send: Effect.fnUntraced(
      function* (text: string) {
        let streamed = ""
        const hear = (piece: string): void => {
          streamed += piece
          wrote(piece)
        }
        const report = yield* Effect.raceFirst(Effect.mapError(send(text, hear), failureOf), closedFailure)
        if (!streamed.includes(report.answer.trim())) wrote(report.answer)
        return report
      },
      Effect.onInterrupt(() => Effect.flatMap(stop, (stopped) => (stopped ? Effect.void : Fiber.interrupt(fiber))))
    )
  }
})

type Talk = Effect.Success<ReturnType<typeof openTalk>>

/**
 * Sends the gate's questions to the editor. `current` returns the current prompt's number and the sender of its
 * updates.
 */
const approveIn = (
  { editor, project }: Pick<SessionOptions, "editor" | "project">,
  current: () => { readonly prompt: number; readonly updates: ReturnType<typeof makeUpdates> }
): Approve => {
  let questions = 0
  return async (request) => {
    const { prompt, updates } = current()
    const [first] = request.items
    const isCall = request.items.length === 1 && first?.call !== undefined
    const call = isCall ? toolCallId(prompt, first.task, first.call.uid) : `${prompt}/question ${++questions}`
    const options = permissionOptions(request)
    const toolCall = askedCall(request, call, project)
    editor.update({ ...toolCall, sessionUpdate: "tool_call", title: toolCall.title ?? "" } as SessionUpdate)
    updates.know(call)
    const answer = permissionAnswer(await editor.ask(toolCall, options), options)
    const status = answer === false ? "failed" : isCall ? "pending" : "completed"
    editor.update({ sessionUpdate: "tool_call_update", toolCallId: call, status })
    return answer
  }
}

/**
 * A prompt, with the mode and the configuration at the time of its arrival. Later choices affect only later prompts.
 */
interface PromptOrder {
  readonly text: PromptText
  readonly mode: ModeId
  readonly configuration: Configuration
}

/** The request for a run or a plan, with the earlier messages of the session. */
const newRun = Effect.fnUntraced(function* (
  { configuration, messages, project }: Pick<SessionOptions, "configuration" | "messages" | "project">,
  { material, prompt }: PromptText
) {
  const before = messages.length === 0 ? "" : conversationMarkdown(messages, { model: "the model", project })
  const text = paragraphs(before, material)
  const attachment = text === "" ? {} : { attachment: { name: "the editor", text } }
  return { project, configuration, order: { runId: yield* makeRunId, prompt, ...attachment } }
})

/** Saves the messages, unless the configuration forbids it. */
const keep = Effect.fnUntraced(function* ({
  configuration,
  id,
  messages,
  project
}: Pick<SessionOptions, "configuration" | "id" | "messages" | "project">) {
  const setup = yield* readSetup(project, configuration)
  if (setup.configuration.saveConversations === false) return
  const saved = { runId: id, model: setup.settings.model, messages }
  yield* Effect.ignore(saveConversation(conversationPlace(setup), saved))
})

/** Opens a session, which answers one prompt at a time. */
export const makeSession = (options: SessionOptions) => {
  const { approveSteps, editor, id, project, yes } = options
  const choices = makeChoices(options)
  let { messages } = options
  let talk: Talk | undefined
  /** The configuration of the open conversation. */
  let talkConfiguration = options.configuration
  let prompts = 0
  let updates = makeUpdates(0, project)
  let running: Fiber.Fiber<string, CommandFailure> | undefined

  const write = (text: string): void => editor.update(messageChunk(text))
  const sink: EventSink = {
    listen: (recorded) => Effect.sync(() => updates.of(recorded).forEach(editor.update)),
    abort: () => Effect.void
  }
  const approver = layerCallback({ approve: approveIn(options, () => ({ prompt: prompts, updates })) })
  const context = Effect.map(runContextOf({ sink, approveSteps, yes, approver }), (made): RunContext => ({
    ...made,
    warn: ({ notes = [], warnings }) =>
      Effect.sync(() => [...warnings, ...notes].forEach((text) => editor.update(thought(text))))
  }))

  /** A run or a plan closes the conversation, and a later message opens it again. */
  const closeTalk = Effect.suspend(() => (talk === undefined ? Effect.void : Fiber.interrupt(talk.fiber)))

  const answerMessage = Effect.fnUntraced(function* ({ configuration, text }: PromptOrder) {
    if (talkConfiguration !== configuration) yield* closeTalk
    talkConfiguration = configuration
    const conversation = { project, configuration, order: { runId: id, prompt: "", messages }, keep: true }
    talk ??= yield* openTalk(conversation, yield* context, {
      wrote: write,
      answered: (all) => void (messages = all),
      closed: () => void (talk = undefined)
    })
    const report = yield* talk.send(paragraphs(text.prompt, text.material))
    const end = paragraphs(factText(report), reasonText(report))
    return end === "" ? "" : `\n\n${end}`
  })

  const carryOut = Effect.fnUntraced(function* ({ configuration, mode, text }: PromptOrder) {
    yield* closeTalk
    const run = yield* newRun({ configuration, messages, project }, text)
    const resumable = Effect.sync(() => write(`Stopped. Resume it: task-conductor resume ${run.order.runId}`))
    const answer =
      mode === "plan"
        ? (yield* planRun(run, yield* context)).markdown
        : reportText(yield* Effect.onInterrupt(beginRun(run, yield* context), () => resumable))
    messages = [...messages, { role: "user", content: text.prompt }, hostAnswer(answer)]
    yield* keep({ configuration, id, messages, project })
    return answer
  })

  /** Answers a prompt. Fails if another prompt is being answered, or if a part of this one is not supported. */
  const prompt = Effect.fnUntraced(function* (
    blocks: ReadonlyArray<ContentBlock>
  ): Effect.fn.Return<StopReason, CommandFailure, Services> {
    const [mode, configuration] = [choices.mode(), choices.configuration()]
    yield* choices.needModel
    if (running !== undefined) return yield* usageFailure("This session is still answering a prompt.")
    const text = promptText(blocks, project)
    if (text === undefined) return yield* usageFailure("A prompt may contain text, links and contents of files.")
    if (text.prompt.trim() === "") return yield* usageFailure("The prompt is empty. Say what should be done.")
    prompts += 1
    updates = makeUpdates(prompts, project)
    const work = (mode === "ask" ? answerMessage : carryOut)({ text, mode, configuration })
    running = yield* Effect.forkScoped(Effect.mapError(work, failureOf))
    const exit = yield* Effect.ensuring(
      Fiber.await(running),
      Effect.sync(() => void (running = undefined))
    )
    if (Exit.isFailure(exit)) {
      return Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : yield* Effect.failCause(exit.cause)
    }
    if (exit.value !== "") write(exit.value)
    return "end_turn"
  })

  const cancel = Effect.suspend(() => (running === undefined ? Effect.void : Fiber.interrupt(running)))
  return {
    choices,
    prompt,
    cancel,
    close: Effect.andThen(cancel, closeTalk)
  }
}

export type AcpSession = ReturnType<typeof makeSession>
