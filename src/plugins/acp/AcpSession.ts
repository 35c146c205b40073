/**
 * One session of an editor: a conversation about a project, in which a prompt is a message, the order of a run, or the order
 * of a plan, as the mode says. What was said is kept with the conversations of the project.
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
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
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
  type AskSession,
  conversationMarkdown,
  type ConversationMessage,
  factLines,
  hostAnswer,
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

/** A path below the project; another address as it is. */
const nameOf = (uri: string, project: string): string => {
  if (!uri.startsWith("file:") || URL.parse(uri) === null) return uri
  const path = fileURLToPath(uri)
  const within = relative(project, path)
  return within === "" || within === ".." || within.startsWith(`..${sep}`) || isAbsolute(within) ? path : within
}

interface PromptText {
  /** What was typed, with the paths. */
  readonly prompt: string
  /** The texts that were brought along. */
  readonly material: string
}

/**
 * The prompt of an editor as text: what was typed, with the paths of files that it names, and the text of those that it brings
 * along. Nothing for a prompt with a part that was never offered, such as an image.
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

/** The editor, as a session sees it. */
export interface Editor {
  readonly update: (update: SessionUpdate) => void
  readonly ask: (call: ToolCallUpdate, options: Array<PermissionOption>) => Promise<RequestPermissionOutcome>
}

export interface SessionOptions extends Pick<RunContext, "approveSteps" | "yes"> {
  readonly id: string
  /** Absolute. */
  readonly project: string
  readonly given: Configuration
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

/** Why an answer ended, unless the answer or the facts say so. */
const reasonText = ({
  answer,
  facts,
  reason,
  status
}: Pick<AskReport, "answer" | "facts" | "reason" | "status">): string =>
  reason === "" || [answer, factText({ facts })].some((text) => text.includes(reason)) ? "" : `${status}: ${reason}`

/** The facts of the host stand above what the model says. */
const reportText = (report: RunReport): string => {
  const { answer, facts, runId } = report
  const undo = (facts?.files.length ?? 0) > 0 ? `Undo it: task-conductor undo ${runId}` : ""
  return paragraphs(outcomeText(report), answer, undo)
}

interface Sent {
  readonly text: string
  readonly reply: Deferred.Deferred<AskReport>
}

/** An open conversation. */
interface Talk {
  readonly fiber: Fiber.Fiber<unknown, CommandFailure>
  /** Sends a message, and waits for its answer; interrupting it stops the answer. */
  readonly send: (text: string) => Effect.Effect<AskReport, CommandFailure>
}

interface TalkListener {
  /** Receives the text of answers as it arrives. */
  readonly wrote: (text: string) => void
  /** Receives all messages after each answer. */
  readonly answered: (messages: ReadonlyArray<ConversationMessage>) => void
  readonly closed: () => void
}

/** Opens a conversation, which takes messages until the scope closes. */
const openTalk = Effect.fnUntraced(function* (
  conversation: NewConversation,
  context: RunContext,
  { answered, closed, wrote }: TalkListener
) {
  const queue = yield* Queue.unbounded<Sent>()
  let answering: Fiber.Fiber<AskReport> | undefined
  const answerNext = Effect.fnUntraced(function* (session: AskSession) {
    const { reply, text } = yield* Queue.take(queue)
    let written = ""
    answering = yield* Effect.forkChild(
      session.send(text, (piece) => {
        written += piece
        wrote(piece)
      })
    )
    const exit = yield* Fiber.await(answering)
    answering = undefined
    answered(yield* session.messages)
    if (Exit.isSuccess(exit) && !written.includes(exit.value.answer.trim())) wrote(exit.value.answer)
    yield* Deferred.done(reply, exit)
  })
  const fiber = yield* holdConversation(conversation, context, (session) => Effect.forever(answerNext(session))).pipe(
    Effect.mapError(failureOf),
    Effect.ensuring(Effect.sync(closed)),
    Effect.forkScoped
  )
  const stop = Effect.suspend(() => (answering === undefined ? Fiber.interrupt(fiber) : Fiber.interrupt(answering)))
  const send = Effect.fnUntraced(function* (text: string) {
    const reply = yield* Deferred.make<AskReport>()
    yield* Queue.offer(queue, { text, reply })
    return yield* Effect.raceFirst(
      Deferred.await(reply),
      Effect.andThen(Fiber.join(fiber), Effect.fail(usageFailure("The conversation is closed.")))
    ).pipe(Effect.onInterrupt(() => stop))
  })
  const talk: Talk = { fiber, send }
  return talk
})

/** Asks the editor what the gate asks. `current` is the number of the prompt that is answered, with its updates. */
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
    const asked = askedCall(request, call, project)
    editor.update({ ...asked, sessionUpdate: "tool_call", title: asked.title ?? "" } as SessionUpdate)
    updates.know(call)
    const answer = permissionAnswer(await editor.ask(asked, options), options)
    const status = answer === false ? "failed" : isCall ? "pending" : "completed"
    editor.update({ sessionUpdate: "tool_call_update", toolCallId: call, status })
    return answer
  }
}

/** A prompt with the mode and the configuration that the session had when it came: later choices are for later prompts. */
interface PromptOrder {
  readonly text: PromptText
  readonly mode: ModeId
  readonly given: Configuration
}

/** The order of a run or a plan; what was said before belongs to it. */
const newRun = Effect.fnUntraced(function* (
  { given, messages, project }: Pick<SessionOptions, "given" | "messages" | "project">,
  { material, prompt }: PromptText
) {
  const before = messages.length === 0 ? "" : conversationMarkdown(messages, { model: "the model", project })
  const text = paragraphs(before, material)
  const attachment = text === "" ? {} : { attachment: { name: "the editor", text } }
  return { project, given, order: { runId: yield* makeRunId, prompt, ...attachment } }
})

/** Keeps what was said, unless the configuration says otherwise. */
const keep = Effect.fnUntraced(function* ({
  given,
  id,
  messages,
  project
}: Pick<SessionOptions, "given" | "id" | "messages" | "project">) {
  const setup = yield* readSetup(project, given)
  if (setup.configuration.saveConversations === false) return
  const saved = { runId: id, model: setup.settings.model, messages }
  yield* Effect.ignore(saveConversation(conversationPlace(setup), saved))
})

/** Opens a session. One prompt is answered at a time. */
export const makeSession = (options: SessionOptions) => {
  const { approveSteps, editor, id, project, yes } = options
  const choices = makeChoices(options)
  let { messages } = options
  let talk: Talk | undefined
  /** What the open conversation was opened with. */
  let talkGiven = options.given
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

  /** A conversation ends where a run or a plan begins, and goes on after it. */
  const closeTalk = Effect.suspend(() => (talk === undefined ? Effect.void : Fiber.interrupt(talk.fiber)))

  const answerMessage = Effect.fnUntraced(function* ({ given, text }: PromptOrder) {
    if (talkGiven !== given) yield* closeTalk
    talkGiven = given
    const conversation = { project, given, order: { runId: id, prompt: "", messages }, keep: true }
    talk ??= yield* openTalk(conversation, yield* context, {
      wrote: write,
      answered: (all) => void (messages = all),
      closed: () => void (talk = undefined)
    })
    const report = yield* talk.send(paragraphs(text.prompt, text.material))
    const end = paragraphs(factText(report), reasonText(report))
    return end === "" ? "" : `\n\n${end}`
  })

  const carryOut = Effect.fnUntraced(function* ({ given, mode, text }: PromptOrder) {
    yield* closeTalk
    const run = yield* newRun({ given, messages, project }, text)
    const resumable = Effect.sync(() => write(`Stopped. Resume it: task-conductor resume ${run.order.runId}`))
    const answer =
      mode === "plan"
        ? (yield* planRun(run, yield* context)).markdown
        : reportText(yield* Effect.onInterrupt(beginRun(run, yield* context), () => resumable))
    messages = [...messages, { role: "user", content: text.prompt }, hostAnswer(answer)]
    yield* keep({ given, id, messages, project })
    return answer
  })

  /** Answers a prompt. Fails for one that comes beside another, or has parts that are not taken. */
  const prompt = Effect.fnUntraced(function* (
    blocks: ReadonlyArray<ContentBlock>
  ): Effect.fn.Return<StopReason, CommandFailure, Services> {
    const [mode, given] = [choices.mode(), choices.configuration()]
    yield* choices.needModel
    if (running !== undefined) return yield* usageFailure("This session is still answering a prompt.")
    const text = promptText(blocks, project)
    if (text === undefined) return yield* usageFailure("A prompt may contain text, links and contents of files.")
    if (text.prompt.trim() === "") return yield* usageFailure("The prompt is empty. Say what should be done.")
    prompts += 1
    updates = makeUpdates(prompts, project)
    const work = (mode === "ask" ? answerMessage : carryOut)({ text, mode, given })
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
