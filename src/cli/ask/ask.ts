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
import { jsonSink } from "../terminal/EventSink.ts"
import { lineSink } from "../terminal/LineSink.ts"
import { plainFlag } from "../terminal/outcome.ts"
import { quietFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { flagConfiguration, orderFiles, readPrompt, type RunFlags, runFlags } from "../run/runFlags.ts"

const allFlags = {
  ...runFlags,
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print events as JSON Lines on stdout instead of the answer"),
    Flag.withDefault(false)
  ),
  plain: plainFlag
}

/** A conversation as the flags ask for it. */
const readRequest = Effect.fnUntraced(function* (given: RunFlags, prompt: string) {
  const order = { prompt, ...orderFiles(given) }
  return { project: given.project, flags: yield* flagConfiguration(given), order }
})

/** Answers one message. On a terminal the text appears as it arrives, else when it is complete. */
const askOnce = Effect.fnUntraced(function* (given: RunFlags & { readonly json: boolean; readonly plain: boolean }) {
  const { answer, isWatched } = yield* Output
  const prompt = yield* readPrompt(given)
  const request = yield* readRequest(given, prompt)
  const printer = isWatched && !given.json ? yield* makeAnswerPrinter(given.plain) : undefined
  const sink = given.json ? yield* jsonSink : (printer?.sink ?? (yield* lineSink(askLine, { isPlain: given.plain })))
  const { converse } = yield* Effect.promise(() => import("./askHandler.ts"))
  const report = yield* converse(request, sink, ({ send }) => Effect.asVoid(send(prompt, printer?.listen)))
  if (!given.json && printer === undefined && report.answer.trim() !== "") yield* answer(report.answer.trimEnd())
  return report
})

/** Holds a conversation at the terminal until the person leaves. */
const askTogether = Effect.fnUntraced(function* (given: RunFlags & { readonly plain: boolean }) {
  const request = yield* readRequest(given, "")
  const { listen, sink } = yield* makeAnswerPrinter(given.plain)
  const { converse } = yield* Effect.promise(() => import("./askHandler.ts"))
  const { talk } = yield* Effect.promise(() => import("./repl.ts"))
  return yield* converse(request, sink, (session, { rules }) => talk(session, rules, listen))
})

/** The command. */
export const ask = Command.make(
  "ask",
  allFlags,
  Effect.fn("ask")(function* (given) {
    const { canAsk } = yield* Output
    const isAlone = Option.isSome(given.prompt) || Option.isSome(given.promptFile) || given.json || !canAsk
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
