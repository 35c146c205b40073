/**
 * `task-conductor ask [PROMPT]`: one message, or a conversation at the terminal.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { exitCodeOf } from "../../domain/runs/RunReport.ts"
import { makeAnswerPrinter } from "../terminal/AnswerPrinter.ts"
import { askLine } from "./AskProgress.ts"
import {
  approvalFlags,
  plainFlag,
  flagConfiguration,
  orderFiles,
  readPrompt,
  type RunFlags,
  runFlags
} from "../run/runFlags.ts"
import { jsonSink } from "../terminal/EventSink.ts"
import { lineSink, quietSink } from "../terminal/LineSink.ts"
import { quietFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { toolNames } from "./toolChoice.ts"
import { type AnswerFlags, answerFlags, readAttachment, readOutputSchema } from "../run/answerFlags.ts"

const allFlags = {
  ...runFlags,
  ...answerFlags,
  yes: approvalFlags.yes,
  tools: Flag.String("tools").pipe(
    Flag.withMetavar("NAMES"),
    Flag.withDescription("The only tools that the model may call: --tools read_file,search_files"),
    Flag.optional
  ),
  continues: Flag.Boolean("continue").pipe(
    Flag.withDescription("Go on with the last conversation about the project"),
    Flag.withDefault(false)
  ),
  save: Flag.Boolean("save").pipe(
    Flag.withDescription("Keep the conversation in your state folder, for --continue; --no-save keeps nothing"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print events as JSON Lines on stdout instead of the answer"),
    Flag.withDefault(false)
  ),
  plain: plainFlag
}

interface AskFlags extends RunFlags, AnswerFlags {
  readonly quiet: boolean
  readonly yes: boolean
  readonly tools: Option.Option<string>
  readonly continues: boolean
  readonly save: Option.Option<boolean>
  readonly json: boolean
  readonly plain: boolean
}

/** A conversation as the flags ask for it. */
const readRequest = Effect.fnUntraced(function* (given: AskFlags, prompt: string) {
  const { continues, project, save, tools, yes } = given
  const flags = {
    ...flagConfiguration(given),
    ...Option.match(save, { onNone: () => ({}), onSome: (saveConversations) => ({ saveConversations }) })
  }
  const order = {
    prompt,
    ...orderFiles(given),
    ...(yield* readOutputSchema(given)),
    ...Option.match(tools, { onNone: () => ({}), onSome: (names) => ({ tools: toolNames(names) }) })
  }
  return { project, flags, order, continues, isQuiet: false, yes }
})

/** Answers one message. On a terminal the text appears as it arrives, else when it is complete. */
const askOnce = Effect.fnUntraced(function* (given: AskFlags) {
  const { answer, isWatched } = yield* Output
  const { json, plain, quiet } = given
  const prompt = yield* readPrompt(given)
  const asked = yield* readRequest(given, prompt)
  const request = { ...asked, order: { ...asked.order, ...(yield* readAttachment(given)) }, isQuiet: quiet }
  const follows = isWatched && !json && !quiet && Option.isNone(given.outputSchema)
  const printer = follows ? yield* makeAnswerPrinter(plain) : undefined
  const lines = lineSink(askLine, { isPlain: plain })
  const sink = json ? yield* jsonSink : quiet ? yield* quietSink : (printer?.sink ?? (yield* lines))
  const { converse } = yield* Effect.promise(() => import("./askHandler.ts"))
  const report = yield* converse(request, sink, ({ send }) => Effect.asVoid(send(prompt, printer?.listen)))
  if (!given.json && printer === undefined && report.answer.trim() !== "") yield* answer(report.answer.trimEnd())
  return report
})

/** Holds a conversation at the terminal until the person leaves. */
const askTogether = Effect.fnUntraced(function* (given: AskFlags) {
  const request = yield* readRequest(given, "")
  const { listen, sink } = yield* makeAnswerPrinter(given.plain)
  const { converseAtTerminal } = yield* Effect.promise(() => import("./askHandler.ts"))
  return yield* converseAtTerminal(request, sink, listen)
})

/** The command. */
export const ask = Command.make(
  "ask",
  allFlags,
  Effect.fn("ask")(function* (given) {
    const { canAsk } = yield* Output
    const { json, outputSchema, prompt, promptFile, quiet } = given
    const isAlone = json || quiet || !canAsk || [prompt, promptFile, outputSchema].some((one) => Option.isSome(one))
    const report = yield* isAlone ? askOnce(given) : askTogether(given)
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
