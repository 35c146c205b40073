/**
 * `task-conductor ask [PROMPT]`: answers one message, or starts a conversation at the terminal.
 */
import { lastLines } from "../../domain/conversation/Conversation.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Attachment } from "../../domain/models/Briefing.ts"
import { isFromUser } from "../../domain/models/ConversationMessage.ts"
import { exitCodeOf } from "../../domain/runs/RunReport.ts"
import { type ConversationContext, conversationPlace, holdConversation } from "../../app/conversation.ts"
import type { FittedSetup } from "../../app/modelChoice.ts"
import { environmentVariable } from "../../services/configuration/UserFolders.ts"
import type { AskSession } from "../../services/conversation/AskSession.ts"
import { addToHistory, readMessageHistory } from "../../services/conversation/ConversationStore.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import {
  answerFlags,
  flagConfiguration,
  orderFiles,
  runFlags,
  approvalFlags,
  checkFlags,
  endFlags,
  outcomeFlags,
  plainFlag
} from "../run/runFlags.ts"
import { readAttachment, readOutputSchema, readPrompt } from "../run/promptInput.ts"
import { makeAnswerPrinter, askLine } from "./AnswerPrinter.ts"
import { type EventSink, jsonSink, lineSink, quietSink } from "../terminal/EventSink.ts"
import { quietFailure, usageFailure } from "../terminal/Failure.ts"
import { switchFlag, textFlag } from "../terminal/Flags.ts"
import { Output } from "../terminal/Output.ts"
import { Signals } from "../terminal/Signals.ts"
import { runContextOf } from "../terminal/runContext.ts"
import { editText } from "./Editor.ts"
import type { Typed } from "./LineEditor.ts"
import {
  makeLineReader,
  makePlainReader,
  makeTypedAhead,
  type MessageReader,
  type TypedAhead
} from "./MessageReader.ts"
import { completeLine, type Completions, noCompletions } from "./LineCompletion.ts"
import { runCommand, runTyped, slashCommandIn, toolNames } from "./slashCommands.ts"
import { installedModels } from "../../app/serverModels.ts"
import { withServerToChooseFrom } from "../../app/setup.ts"
import { keptConversations } from "../../services/conversation/ConversationStore.ts"
import { Workspace } from "../../services/files/Workspace.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { takingKeys } from "../terminal/Keys.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import { counted } from "../../domain/text/Format.ts"

const allFlags = {
  ...runFlags,
  ...answerFlags,
  askFirst: checkFlags.askFirst,
  ...endFlags,
  yes: approvalFlags.yes,
  tools: Flag.String("tools").pipe(
    Flag.withMetavar("NAMES"),
    Flag.withDescription("The only tools that the model may call: --tools read_file,search_files"),
    Flag.optional
  ),
  continues: switchFlag("continue", "Go on with the last conversation about the project"),
  session: textFlag("session", "NUMBER", 'Go on with this conversation; "task-conductor sessions" lists them').pipe(
    Flag.optional
  ),
  image: textFlag(
    "image",
    "FILE",
    "A picture, for a model that can see: --image shot.png; in a message, @shot.png; repeatable"
  ).pipe(Flag.atLeast(0)),
  save: Flag.Boolean("save").pipe(
    Flag.withDescription("Keep the conversation in your state folder, for --continue; --no-save keeps nothing"),
    Flag.optional
  ),
  json: outcomeFlags.json,
  plain: plainFlag
}

type AskFlags = Command.Command.Config.Infer<typeof allFlags>

/** Opens the conversation that the flags describe and passes it to `use`. */
const holdRequested = Effect.fn("holdRequested")(function* <E, R>(
  requested: AskFlags,
  { attachment, isQuiet, prompt }: { attachment?: Attachment | undefined; isQuiet: boolean; prompt: string },
  sink: EventSink,
  use: (session: AskSession, conversation: ConversationContext) => Effect.Effect<FittedSetup | void, E, R>
) {
  const { acceptUnverified, askFirst, continues, image, project, save, session, tools, yes } = requested
  const order = {
    runId: yield* makeRunId,
    prompt,
    attachment,
    ...orderFiles(requested),
    ...(yield* readOutputSchema(requested)),
    images: image,
    ...(acceptUnverified ? { acceptUnverified } : {}),
    tools: Option.getOrUndefined(Option.map(tools, toolNames))
  }
  const saveConversations = Option.getOrUndefined(save)
  const flags = {
    ...flagConfiguration(requested),
    ...(askFirst ? { askFirst } : {}),
    ...(saveConversations === undefined ? {} : { saveConversations })
  }
  const context = yield* runContextOf({ sink, approveSteps: false, isQuiet, yes })
  const conversation = {
    project,
    configuration: flags,
    order,
    continues: Option.getOrElse(session, () => continues),
    keep: true
  }
  return yield* holdConversation(conversation, context, use)
})

/** Answers one message. On a terminal, the text appears as it arrives. */
const askOnce = Effect.fnUntraced(function* (flags: AskFlags) {
  const { answer, isWatched } = yield* Output
  const { json, plain, quiet } = flags
  const prompt = yield* readPrompt(flags)
  const { attachment } = yield* readAttachment(flags)
  const follows = isWatched && !json && !quiet && Option.isNone(flags.outputSchema)
  const printer = follows ? yield* makeAnswerPrinter(plain) : undefined
  const lines = lineSink(askLine, { isPlain: plain })
  const sink = json ? yield* jsonSink : quiet ? yield* quietSink : (printer?.sink ?? (yield* lines))
  const report = yield* holdRequested(flags, { attachment, isQuiet: quiet, prompt }, sink, ({ send }) =>
    Effect.asVoid(send(prompt, printer?.listen))
  )
  if (!flags.json && printer === undefined && report.answer.trim() !== "") yield* answer(report.answer.trimEnd())
  return report
})

/** Collects words for completion. Words that take long to find come last. */
const readCompletions = Effect.fnUntraced(function* (
  { setup }: ConversationContext,
  add: (some: Partial<Completions>) => void
) {
  add({ tools: (yield* ToolRegistry).tools.map(({ name }) => name) })
  add({ files: yield* Effect.orElseSucceed((yield* Workspace).tree, () => []) })
  add({ sessions: (yield* keptConversations(conversationPlace(setup))).map((_, index) => String(index + 1)) })
  const models = yield* Effect.orElseSucceed(installedModels(yield* withServerToChooseFrom(setup)), () => [])
  add({ models: models.map(({ name }) => name) })
})

const makeReader = Effect.fnUntraced(function* (
  conversation: ConversationContext,
  ahead: TypedAhead,
  handOver: Effect.Effect<void>
) {
  const { setup } = conversation
  if ((yield* environmentVariable("TERM")) === "dumb") return yield* makePlainReader
  const place = conversationPlace(setup)
  const isKept = setup.configuration.saveConversations !== false
  const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Output | Path.Path>())
  let completions: Completions = { ...noCompletions, commands: conversation.commands.map(({ name }) => name) }
  const look = readCompletions(conversation, (found) => {
    completions = { ...completions, ...found }
  })
  const history = {
    messages: isKept ? yield* readMessageHistory(place) : [],
    add: (message: string) => (isKept ? provide(addToHistory(place, message)) : Effect.void)
  }
  const reader = yield* makeLineReader(history, {
    ahead,
    handOver,
    complete: (line) => completeLine(line, completions),
    editText: (text) => provide(editText(text))
  })
  /*
   * Looks for files before each message, because files change. Works in the background, because the search must not
   * delay keys.
   */
  const looking = Effect.provideContext(Effect.ignore(look), yield* Effect.context<Effect.Services<typeof look>>())
  return { ...reader, read: Effect.andThen(Effect.forkDetach(looking), reader.read) }
})

/**
 * The terminal sends Ctrl-C to npx and to this program, and npx sends it on to this program. So a second Ctrl-C within
 * this time is ignored.
 */
const sameInterruptMs = 150

const interruptQueue = Effect.gen(function* () {
  const interrupts = yield* Queue.unbounded<"interrupt">()
  const clock = yield* Clock.Clock
  let last = -sameInterruptMs
  yield* (yield* Signals).onInterrupt(() => {
    const now = clock.currentTimeMillisUnsafe()
    if (now - last >= sameInterruptMs) Queue.offerUnsafe(interrupts, "interrupt")
    last = now
  })
  return interrupts
})

/**
 * Answers messages until the user leaves or chooses another model. Returns the setup with this model. Ctrl-C stops an
 * answer. Between answers, a second Ctrl-C ends the conversation.
 */
export const answerMessages = Effect.fn("answerMessages")(function* (
  session: AskSession,
  conversation: ConversationContext,
  reader: MessageReader,
  listen: (piece: string) => void,
  ahead: TypedAhead = makeTypedAhead()
) {
  const { emit } = yield* Output
  const interrupts = yield* interruptQueue
  const context = { session, conversation, keys: reader.keys }

  /** Reads a message. Undefined if the user leaves the conversation. */
  const readTyped = (asksToLeave: boolean): Effect.Effect<string | undefined> =>
    Effect.gen(function* () {
      const typed = yield* Effect.raceFirst(
        reader.read,
        Effect.map(Queue.take(interrupts), (): Typed => ({ _tag: "Interrupt" }))
      )
      if (typed._tag === "Message") return typed.text
      yield* emit("")
      if (typed._tag === "End" || asksToLeave) return undefined
      yield* emit("Press Ctrl-C again, or Ctrl-D, to leave.")
      return yield* readTyped(true)
    })

  /**
   * Sends a message. If the user stops the answer, the queued messages return to the message that the user is typing.
   */
  const send = (message: string) =>
    Effect.raceFirst(Effect.asVoid(session.send(message, listen)), Effect.map(Queue.take(interrupts), ahead.hold))

  for (;;) {
    const queued: string | undefined = ahead.next()
    if (queued !== undefined) yield* emit(`> ${printable(queued)}`)
    const message: string | undefined = queued ?? (yield* readTyped(false))
    if (message === undefined) return undefined
    const command = slashCommandIn(message, conversation.commands)
    if (command?._tag === "Exit") return undefined
    if (command?._tag === "Unknown") yield* emit(command.text)
    else if (command?._tag === "Command") {
      const { next, text } = yield* runCommand(command, context)
      if (text !== "") yield* emit(text)
      if (next !== undefined) return next
    } else if (command?._tag === "Edit") {
      const text = yield* editText(command.text)
      if (text.trim() === "") yield* emit("The message is empty, so nothing is sent.")
      else {
        yield* emit(`> ${printableLines(text)}`)
        yield* send(text)
      }
    } else if (message.startsWith("!")) {
      const output = yield* Effect.raceFirst(
        runTyped(message.slice(1), session),
        Effect.as(Queue.take(interrupts), "Stopped.")
      )
      yield* emit(output)
    } else if (message.trim() !== "") {
      yield* send(message)
    }
  }
}, Effect.scoped)

/** Runs a conversation at the terminal until the user leaves. */
const askTogether = Effect.fnUntraced(function* (flags: AskFlags) {
  const { emit } = yield* Output
  const ahead = makeTypedAhead()
  const { listen, sink: answerSink } = yield* makeAnswerPrinter(flags.plain, ahead.lines)
  const { handOver, sink } = flags.plain
    ? { handOver: Effect.void, sink: answerSink }
    : yield* takingKeys(answerSink, { begin: "ask.started", take: ahead.take })
  let isFirst = true
  return yield* holdRequested(flags, { isQuiet: false, prompt: "" }, sink, (session, conversation) =>
    Effect.gen(function* () {
      const reader = yield* makeReader(conversation, ahead, handOver)
      const before = yield* session.messages
      const earlier = before.filter(isFromUser).length
      if (isFirst && earlier > 0) {
        yield* emit(lastLines(before))
        yield* emit(`Continuing the conversation: ${counted(earlier, "message")} of yours so far.`)
      }
      if (isFirst) yield* emit("Write a message and press Enter; /help lists the commands.")
      isFirst = false
      return yield* answerMessages(session, conversation, reader, listen, ahead)
    })
  )
}, Effect.scoped)

export const ask = Command.make(
  "ask",
  allFlags,
  Effect.fn("ask")(function* (flags) {
    const { canAsk } = yield* Output
    const { continues, json, outputSchema, prompt, promptFile, quiet, session } = flags
    if (continues && Option.isSome(session)) {
      return yield* usageFailure(
        "--continue and --session exclude each other: both name a conversation. Leave one out."
      )
    }
    const isAlone = json || quiet || !canAsk || [prompt, promptFile, outputSchema].some((one) => Option.isSome(one))
    const report = yield* isAlone ? askOnce(flags) : askTogether(flags)
    if (report.status !== "done") return yield* quietFailure(exitCodeOf(report.status))
  })
).pipe(
  Command.withDescription(
    "Ask a question about the project. The model calls tools until it can answer. Without a prompt, start a conversation at the terminal"
  ),
  Command.withShortDescription("Ask a question; the model uses tools, without a plan"),
  Command.withExamples([
    {
      command: 'task-conductor ask "Where is the exit code of a run decided?"',
      description: "Ask the model of your configuration; without one, choose from a list"
    },
    {
      command: "task-conductor ask --model qwen3:8b",
      description: "Start a conversation with a model of the Ollama server; /help lists its commands"
    },
    { command: 'task-conductor ask --json "What changed?"', description: "Print events as JSON Lines" }
  ])
)
