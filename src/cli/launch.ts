/**
 * Runs the command line of this process to its exit code: help and version, everything that goes wrong, its streams, its
 * signals, its exit, and what plugins may do to it.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import type { HelpDoc } from "effect/cli/HelpDoc"
import { Console as NodeConsole } from "node:console"
import { writeSync } from "node:fs"
import { hasDashedWords, readDashedWords } from "./terminal/DashedWords.ts"
import { exitCodes, failureOf, usageFailure } from "./terminal/Failure.ts"
import { nearest } from "../domain/text/Nearest.ts"
import { printable, printableLines } from "../domain/text/Printable.ts"
import { closeInherited } from "../services/commands/Descriptors.ts"
import { Output, redactText } from "./terminal/Output.ts"
import { Signals } from "./terminal/Signals.ts"
import { watchThreads } from "./terminal/ProcessEnd.ts"
import { WaitingNotice } from "../services/mcp/WaitingNotice.ts"
import { version } from "../app/version.ts"
import { commandNames, layerFlags, taskConductor } from "./taskConductor.ts"

/** Commands that list without a word for it. */
const listsItself: ReadonlySet<string> = new Set(["runs", "sessions", "models"])

/**
 * The flags that the words stand for: `help run` is `run --help`, `version` is `--version`. A command that does not exist
 * keeps no help, so that its name is what is wrong. `runs list` is `runs`: other commands that list have the word.
 */
const withPlainWords = (argv: ReadonlyArray<string>, commands: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = argv
  const [named] = rest
  if (first !== undefined && listsItself.has(first) && named === "list") return [first, ...rest.slice(1)]
  if (first === "version" && named === undefined) return ["--version"]
  if (first !== "help") return argv
  return named === undefined || named.startsWith("-") || commands.includes(named) ? [...rest, "--help"] : rest
}

type Event = CliOutput.Presenter.Event

/** Flags of every command, which the parser does not suggest. */
const globalFlags = ["--help", "--version"]

/** So many commands of a group are named when none is like the one that was given. */
const fewCommands = 6

type Invalid = Extract<Event, { readonly _tag: "InvalidInvocation" }>

const commandsOf = ({ subcommands = [] }: HelpDoc): ReadonlyArray<string> =>
  subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))

/** What was meant, also where the parser finds nothing: it knows spellings only, and not the flags of every command. */
const suggestionsOf = (error: CliError.CliError, { commandPath, helpDoc }: Invalid): ReadonlyArray<string> => {
  if (!("suggestions" in error)) return []
  if (error._tag === "UnrecognizedOption") {
    const flags = [...globalFlags, ...helpDoc.flags.map(({ name }) => `--${name}`)]
    /* A letter is never far from a word. */
    const spelt = error.suggestions.filter((one) => one.length > 2 || error.option.length === 2)
    return spelt.length > 0 ? spelt : nearest(error.option, flags).slice(0, 1)
  }
  /* What is no command may be a prompt. */
  if (commandPath.length === 1) return error.suggestions
  const commands = commandsOf(helpDoc)
  const candidates = listsItself.has(commandPath.at(-1) ?? "") ? [...commands, "list"] : commands
  return error.suggestions.length > 0 ? error.suggestions : nearest(error.subcommand, candidates).slice(0, 1)
}

/** The message of the parser, with what was meant, or what there is. */
const errorText = (error: CliError.CliError, invalid: Invalid): string => {
  if (!("suggestions" in error)) return error.message
  const [what = ""] = error.message.split("\n\n")
  const near = suggestionsOf(error, invalid)
  if (near.length > 0) return [`${what}\n\n  Did you mean this?`, ...near.map((one) => `    ${one}`)].join("\n")
  if (error._tag !== "UnknownSubcommand") return what
  const commands = commandsOf(invalid.helpDoc)
  return commands.length > fewCommands ? what : `${what}. It has: ${commands.join(", ")}.`
}

const promptCommands: ReadonlySet<string> = new Set(["run", "plan", "ask"])

/** True for words that may be a prompt without quotes, or without a command. */
const looksLikePrompt = (invalid: Invalid): boolean =>
  invalid.errors.some((error) =>
    error._tag === "UnexpectedArgument"
      ? promptCommands.has(invalid.commandPath.at(-1) ?? "")
      : error._tag === "UnknownSubcommand" &&
        suggestionsOf(error, invalid).length === 0 &&
        invalid.commandPath.length === 1
  )

/** True for a flag that there is not, where a prompt may stand. */
const hasUnknownFlag = ({ commandPath, errors }: Invalid): boolean =>
  promptCommands.has(commandPath.at(-1) ?? "") && errors.some(({ _tag }) => _tag === "UnrecognizedOption")

/** Writes help and errors about a command line through `Output`. */
const layerPresenter: Layer.Layer<never, never, Output> = Layer.unwrap(
  Output.useSync((output) => {
    const formatter = CliOutput.defaultFormatter({
      colors: output.resultPaint.bold("") !== "",
      globalFlags: "summary"
    })
    const present = (event: Event): Effect.Effect<void> => {
      switch (event._tag) {
        case "Help": {
          const print = event.reason === "Requested" ? output.result : output.emit
          return print(formatter.formatHelpDoc(event.helpDoc))
        }
        case "Version":
          return output.result(event.version)
        case "InvalidInvocation":
          return output.emit(
            [
              ...event.errors.map((error) => printableLines(errorText(error, event))),
              ...(hasUnknownFlag(event)
                ? [`Put -- before a prompt that begins with a dash: ${event.commandPath.join(" ")} -- "- fix the test"`]
                : []),
              ...(looksLikePrompt(event) ? ['Put a prompt in quotes: task-conductor run "What does this do?"'] : []),
              `Run "${event.commandPath.join(" ")} --help" for help.`
            ].join("\n")
          )
      }
    }
    return CliOutput.layerPresenter({ present })
  })
)

const internalError = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const what = (error instanceof Error ? error.message : String(error)).split("\n")[0]
  const line = `internal error: ${what}. This is a bug in task-conductor, please report it.`
  return process.env["TASK_CONDUCTOR_DEBUG"] === "1"
    ? `${line}\n${Cause.pretty(cause)}`
    : `${line} TASK_CONDUCTOR_DEBUG=1 shows details.`
}

/** Whatever an error quotes has no power over the terminal, and holds no secret. */
const say = (text: string, exitCode: number) =>
  Output.use(({ emit }) => emit(printableLines(redactText(text)))).pipe(Effect.as(exitCode))

const keptRun = ' Nothing of the run has to be done again: "task-conductor show last" prints what it found.'
/** What is saved of the work of a command, and does not have to be done again. */
const savedBy: Readonly<Record<string, string>> = {
  run: keptRun,
  resume: keptRun,
  fork: keptRun,
  ask: ' The conversation is kept: "task-conductor ask --continue" shows its end.'
}

/** A result that did not arrive is a failure, also of work that went well. */
const requireWritten = (command: string | undefined) => (exitCode: number) =>
  Output.use(({ emit, lost }) => {
    const reason = lost()
    return reason === undefined
      ? Effect.succeed(exitCode)
      : emit(`The result could not be written to stdout (${reason}).${savedBy[command ?? ""] ?? ""}`).pipe(
          Effect.as(exitCode === 0 ? exitCodes.failed : exitCode)
        )
  })

/** What a start waits for is said on stderr. */
const layerNotices = Layer.effect(
  WaitingNotice,
  Output.useSync(
    ({ emit }) =>
      (line: string) =>
        emit(printable(line))
  )
)

/** Prints what the last word of a command line may become, for the script of a shell. */
const complete = Effect.fnUntraced(function* (program: Command.Command.Any, words: ReadonlyArray<string>) {
  const { printCandidates } = yield* Effect.promise(() => import("./completion/completion.ts"))
  yield* printCandidates(program, words)
})

/** The words without those that the parser would take for flags; fails with what is wrong with one. */
const readWords = Effect.fnUntraced(function* (program: Command.Command.Any, line: ReadonlyArray<string>) {
  if (!hasDashedWords(line)) return line
  const { fromCommand } = yield* Effect.promise(() => import("effect/cli/Completions"))
  const { argv, problem } = readDashedWords(fromCommand(program), line)
  return problem === undefined ? argv : yield* usageFailure(problem)
})

/** Runs the command that `argv` names. */
export const runCommandLine = (
  argv: ReadonlyArray<string>
): Effect.Effect<number, never, NodeServices.NodeServices | Output | Signals> => {
  const line = withPlainWords(argv, commandNames)
  const run = Effect.flatMap(taskConductor(line), (program) =>
    argv[0] === "complete" && argv[1] === "--"
      ? complete(program, argv.slice(2))
      : Effect.flatMap(readWords(program, line), (words) => Command.runWith(program, { version })(words))
  )
  return run.pipe(
    Effect.as(0),
    Effect.catchTag("ShowHelp", () => Effect.succeed<number>(exitCodes.usage)),
    Effect.catch((error) => {
      const { exitCode, text } = failureOf(error)
      if (text === "") return Effect.succeed(exitCode)
      const isUsage = error._tag === "CommandFailure" && exitCode === exitCodes.usage
      const command = argv[0]?.startsWith("-") === true ? "" : ` ${argv[0]}`
      return say(isUsage ? `${text}\nRun "task-conductor${command} --help" for help.` : text, exitCode)
    }),
    Effect.catchCauseIf(Cause.hasDies, (cause) => say(internalError(cause), exitCodes.failed)),
    Effect.flatMap(requireWritten(argv.includes("--help") ? undefined : argv[0])),
    Effect.provide(Layer.mergeAll(layerPresenter, layerFlags, layerNotices))
  )
}

/** A signal that comes so soon after the first is the same one: npx passes on what the terminal has sent to both. */
const sameSignalMs = 500

const onEarlyExit = (): void => {
  process.exitCode = exitCodes.failed
  writeSync(2, "The program was ended by the code of a plugin, in the middle of its work.\n")
}

/**
 * Runs `argv` and ends the process. A terminal that is closed (SIGHUP) counts as SIGTERM, so that no command lives on.
 * Unless a session handles it, the first SIGINT or SIGTERM interrupts the work and
 * the second ends the process at once: it is left to the system, since a pipe that nobody writes to can block even the
 * exit.
 */
export const launch = (argv: ReadonlyArray<string>): void => {
  closeInherited()
  let received: NodeJS.Signals | undefined
  let isStray = false
  let interrupted: (() => void) | undefined
  const onInterrupt = (listener: () => void) =>
    Effect.acquireRelease(
      Effect.sync(() => void (interrupted = listener)),
      () => Effect.sync(() => void (interrupted = undefined))
    )
  const ownConsole = globalThis.console
  /* Stdout is for results. */
  globalThis.console = new NodeConsole(process.stderr, process.stderr)
  process.on("uncaughtException", (thrown: unknown) => {
    if (isStray) return
    isStray = true
    const [what = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)
    const text = `The work is stopped: an error was thrown outside of any call, most likely by a plugin: ${printable(what)}`
    const reported = Output.use(({ emit }) => emit(text))
    Effect.runFork(Effect.andThen(Effect.provide(reported, Output.layer), Fiber.interrupt(fiber)))
  })
  process.on("exit", onEarlyExit)
  const endProcess = watchThreads()
  const fiber = Effect.runFork(
    runCommandLine(argv).pipe(
      Effect.provide(Layer.merge(Output.layer, NodeServices.layer)),
      Effect.provideService(Signals, { received: () => received, onInterrupt }),
      Effect.provideService(Console.Console, ownConsole)
    )
  )
  const release = (): void => void process.off("SIGINT", onSignal).off("SIGTERM", onSignal).off("SIGHUP", onSignal)
  const onSignal = (signal: NodeJS.Signals): void => {
    if (received !== undefined) return
    if (signal === "SIGINT" && interrupted !== undefined) return interrupted()
    received = signal === "SIGINT" ? signal : "SIGTERM"
    Effect.runFork(Fiber.interrupt(fiber))
    setTimeout(release, sameSignalMs).unref()
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal)
  fiber.addObserver((exit) => {
    const ended = Exit.isSuccess(exit) && !isStray ? exit.value : exitCodes.failed
    const code = received === undefined ? ended : received === "SIGTERM" ? exitCodes.sigterm : exitCodes.sigint
    process.off("exit", onEarlyExit)
    process.stdout.write("", () =>
      process.stderr.write("", () => {
        release()
        endProcess(code)
      })
    )
  })
}
