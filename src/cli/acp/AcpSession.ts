/**
 * One session of an editor: a conversation about a project, in which a prompt is a message, the order of a run, or the order
 * of a plan, as the mode says. What was said is kept with the conversations of the project.
 */
import type {
  ContentBlock,
  PermissionOption,
  RequestPermissionOutcome,
  SessionMode,
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
import { conversationPlace, holdConversation } from "../../app/conversation.ts"
import type { RunContext } from "../../app/RunContext.ts"
import { beginRun, planRun } from "../../app/runs.ts"
import { readSetup, type Setup } from "../../app/setup.ts"
import { factLines } from "../../domain/checks/Facts.ts"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { conversationMarkdown, hostAnswer } from "../../domain/conversation/Conversation.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import { outcomeText } from "../../domain/runs/OutcomeText.ts"
import type { RecordedEvent } from "../../domain/runs/RunEvent.ts"
import type { AskReport, RunReport } from "../../domain/runs/RunReport.ts"
import { type Approve, layerCallback } from "../../services/approvals/CallbackApprover.ts"
import { saveConversation } from "../../services/conversation/ConversationStore.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import { type CommandFailure, failureOf, usageFailure } from "../terminal/Failure.ts"
import type { Output } from "../terminal/Output.ts"
import { runContextOf } from "../terminal/runContext.ts"
import {
  askedCall,
  permissionAnswer,
  permissionOptions,
  makeUpdates,
  messageChunk,
  thought,
  toolCallId
} from "./SessionUpdates.ts"
import { fenced } from "../../domain/markdown/PromptBlock.ts"

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

export const modes = [
  { id: "ask", name: "Ask", description: "A conversation. Asks before it changes anything or runs a command" },
  { id: "plan", name: "Plan only", description: "Makes a checked plan for the prompt, and does nothing of it" },
  {
    id: "run",
    name: "Run",
    description: "Plans the work, carries it out, checks it. Asks about the changes of each step"
  }
] as const satisfies ReadonlyArray<SessionMode>

export type ModeId = (typeof modes)[number]["id"]

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
}

type Services = NodeServices.NodeServices | Output | Scope.Scope

interface Sent {
  readonly text: string
  readonly reply: Deferred.Deferred<AskReport>
}

/** An open conversation. */
interface Talk {
  readonly queue: Queue.Queue<Sent>
  readonly fiber: Fiber.Fiber<unknown, CommandFailure>
  answering?: Fiber.Fiber<AskReport>
}

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

/** Opens a session. One prompt is answered at a time. */
export const makeSession = ({ editor, given, id, messages: before, project, ...approved }: SessionOptions) => {
  let mode: ModeId = "ask"
  let messages = before
  let talk: Talk | undefined
  let prompts = 0
  let questions = 0
  let updates = makeUpdates(0, project)
  let running: Fiber.Fiber<string, CommandFailure> | undefined

  const listen = (recorded: RecordedEvent) => Effect.sync(() => updates.of(recorded).forEach(editor.update))

  const approve: Approve = async (request) => {
    const [first] = request.items
    const isCall = request.items.length === 1 && first?.call !== undefined
    const call = isCall ? toolCallId(prompts, first.task, first.call.uid) : `${prompts}/question ${++questions}`
    const options = permissionOptions(request)
    const asked = askedCall(request, call, project)
    editor.update({ ...asked, sessionUpdate: "tool_call", title: asked.title ?? "" } as SessionUpdate)
    updates.know(call)
    const answer = permissionAnswer(await editor.ask(asked, options), options)
    const status = answer === false ? "failed" : isCall ? "pending" : "completed"
    editor.update({ sessionUpdate: "tool_call_update", toolCallId: call, status })
    return answer
  }

  const context = Effect.map(
    runContextOf({
      sink: { listen, abort: () => Effect.void },
      ...approved,
      approver: layerCallback({ approve }),
      isQuiet: true
    }),
    (made): RunContext => ({
      ...made,
      warn: ({ notes = [], warnings }) =>
        Effect.sync(() => [...warnings, ...notes].forEach((text) => editor.update(thought(text))))
    })
  )

  const openTalk = Effect.gen(function* () {
    const queue = yield* Queue.unbounded<Sent>()
    const run = yield* context
    const order = { runId: id, prompt: "", messages }
    const fiber = yield* holdConversation({ project, given, order, keep: true }, run, (session) =>
      Effect.gen(function* () {
        for (;;) {
          const { reply, text } = yield* Queue.take(queue)
          let written = ""
          const answering = yield* Effect.forkChild(
            session.send(text, (piece) => {
              written += piece
              editor.update(messageChunk(piece))
            })
          )
          opened.answering = answering
          const exit = yield* Fiber.await(answering)
          delete opened.answering
          messages = yield* session.messages
          if (exit._tag === "Success") {
            const { answer } = exit.value
            if (!written.includes(answer.trim())) editor.update(messageChunk(answer))
          }
          yield* Deferred.done(reply, exit)
        }
      })
    ).pipe(Effect.mapError(failureOf), Effect.ensuring(Effect.sync(() => void (talk = undefined))), Effect.forkScoped)
    const opened: Talk = { queue, fiber }
    talk = opened
    return opened
  })

  /** A conversation ends where a run or a plan begins, and goes on after it. */
  const closeTalk = Effect.suspend(() => (talk === undefined ? Effect.void : Fiber.interrupt(talk.fiber)))

  const answerMessage = Effect.fnUntraced(function* (text: string) {
    const current = talk ?? (yield* openTalk)
    const reply = yield* Deferred.make<AskReport>()
    yield* Queue.offer(current.queue, { text, reply })
    const stop = Effect.suspend(() => Effect.asVoid(Fiber.interrupt(current.answering ?? current.fiber)))
    const report = yield* Effect.raceFirst(
      Deferred.await(reply),
      Effect.andThen(Fiber.join(current.fiber), Effect.fail(usageFailure("The conversation is closed.")))
    ).pipe(Effect.onInterrupt(() => stop))
    const end = paragraphs(factText(report), reasonText(report))
    return end === "" ? "" : `\n\n${end}`
  })

  /** What was said before belongs to the order of a run. */
  const newRun = Effect.fnUntraced(function* (prompt: string, material: string) {
    const said = messages.length === 0 ? "" : conversationMarkdown(messages, { model: "the model", project })
    const text = paragraphs(said, material)
    const attachment = text === "" ? {} : { attachment: { name: "the editor", text } }
    return { project, given, order: { runId: yield* makeRunId, prompt, ...attachment } }
  })

  const keep = Effect.fnUntraced(function* (prompt: string, answer: string) {
    messages = [...messages, { role: "user", content: prompt }, hostAnswer(answer)]
    const setup: Setup = yield* readSetup(project, given)
    if (setup.configuration.saveConversations === false) return
    const saved = { runId: id, model: setup.settings.model, messages }
    yield* Effect.ignore(saveConversation(conversationPlace(setup), saved))
  })

  const carryOut = Effect.fnUntraced(function* (prompt: string, material: string) {
    yield* closeTalk
    const order = yield* newRun(prompt, material)
    const run = yield* context
    const resumable = Effect.sync(() =>
      editor.update(messageChunk(`Stopped. Resume it: task-conductor resume ${order.order.runId}`))
    )
    const answer =
      mode === "plan"
        ? (yield* planRun(order, run)).markdown
        : reportText(yield* Effect.onInterrupt(beginRun(order, run), () => resumable))
    yield* keep(prompt, answer)
    return answer
  })

  return {
    setMode: (next: ModeId): void => void (mode = next),
    /** Answers a prompt. Fails for one that comes beside another, or has parts that are not taken. */
    prompt: Effect.fnUntraced(function* (
      blocks: ReadonlyArray<ContentBlock>
    ): Effect.fn.Return<StopReason, CommandFailure, Services> {
      if (running !== undefined) return yield* usageFailure("A prompt of this session is being answered already.")
      const read = promptText(blocks, project)
      if (read === undefined) return yield* usageFailure("A prompt may hold text, links and texts of files.")
      const { material, prompt } = read
      if (prompt.trim() === "") return yield* usageFailure("The prompt is empty. Say what should be done.")
      prompts += 1
      updates = makeUpdates(prompts, project)
      const work = mode === "ask" ? answerMessage(paragraphs(prompt, material)) : carryOut(prompt, material)
      running = yield* Effect.forkScoped(Effect.mapError(work, failureOf))
      const exit = yield* Effect.ensuring(
        Fiber.await(running),
        Effect.sync(() => void (running = undefined))
      )
      if (Exit.isFailure(exit)) {
        return Cause.hasInterruptsOnly(exit.cause) ? "cancelled" : yield* Effect.failCause(exit.cause)
      }
      if (exit.value !== "") editor.update(messageChunk(exit.value))
      return "end_turn"
    }),
    cancel: Effect.suspend(() => (running === undefined ? Effect.void : Fiber.interrupt(running))),
    close: Effect.suspend(() =>
      Effect.andThen(running === undefined ? Effect.void : Fiber.interrupt(running), closeTalk)
    )
  }
}

export type AcpSession = ReturnType<typeof makeSession>
