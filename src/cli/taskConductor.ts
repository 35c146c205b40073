/**
 * The command tree, and how a command line is run to its exit code. Each command has its own file in the folders beside, which
 * is loaded when a command line names the command: the flags of all of them take longer than most commands.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { version } from "../app/version.ts"
import { printable, printableLines } from "../domain/text/Printable.ts"
import { WaitingNotice } from "../services/plugins/WaitingNotice.ts"
import { hasDashedWords, readDashedWords } from "./terminal/DashedWords.ts"
import { exitCodes, failureOf, usageFailure } from "./terminal/Failure.ts"
import { Output, redactText } from "./terminal/Output.ts"
import type { Signals } from "./terminal/Signals.ts"
import { layerUsage, listsItself } from "./Usage.ts"

/** The commands in the order of `--help`, each with its line there and the module that exports it. */
const groups = {
  EVERYDAY: {
    run: [
      "Plan, carry out and answer a prompt",
      () => import("./run/run.ts").then(({ makeRun }) => ({ run: makeRun(() => import("../plugins/cluster/command.ts")) }))
    ],
    ask: ["Ask a question; the model uses tools, without a plan", () => import("./ask/ask.ts")],
    sessions: ["List the kept conversations of ask about this project", () => import("./ask/sessions.ts")],
    plan: ["Print the checked task list for a prompt", () => import("./run/run.ts")],
    check: ["Check task lists, refinements or results", () => import("../plugins/check-tools/check.ts")],
    permissions: ["List, explain and revoke permissions", () => import("./permissions/permissions.ts")],
    init: ["Write a configuration for you or a project", () => import("./init/init.ts")],
    doctor: ["Check this machine and say what is missing", () => import("./doctor/doctor.ts")],
    models: ["List the models of the server, or compare them", () => import("./models/models.ts")]
  },
  RUNS: {
    runs: ["List the saved runs of this project, newest first", () => import("./runs/runs.ts")],
    show: [
      "Show the plan, the tasks and the answer of a run, or the evidence of one task",
      () => import("./runs/show.ts")
    ],
    diff: ["Show what a run changed in files", () => import("./runs/changes.ts")],
    undo: ["Take back what a run changed in files", () => import("./runs/changes.ts")],
    report: [
      "Write one HTML page with everything about a run. It needs no network",
      () => import("../plugins/report/command.ts")
    ],
    resume: [
      "Resume a run that ended early. Finished work is not repeated",
      () =>
        import("./runs/resume.ts").then(({ makeResume }) => ({
          resume: makeResume(() => import("../plugins/cluster/command.ts"))
        }))
    ],
    replay: [
      "Replay a run without a model and check that it still gives the same result",
      () => import("../plugins/replay/command.ts")
    ],
    fork: [
      "Start a new run from a task of another run, possibly with another model. Earlier results are reused",
      () =>
        import("./runs/resume.ts").then(({ makeFork }) => ({ fork: makeFork(() => import("../plugins/cluster/command.ts")) }))
    ]
  },
  EXTENDING: {
    skills: ["List, describe, create, lint and test skills (kinds of tasks)", () => import("./skills/skills.ts")],
    tools: ["List and describe the tools that a task can call", () => import("./plugins/plugins.ts")],
    plugins: ["List plugins, or create one", () => import("./plugins/plugins.ts")],
    mcp: ["Start an MCP server on stdin and stdout", () => import("../plugins/mcp/command.ts")],
    completion: ["Print a script for completion in your shell", () => import("./completion/completion.ts")],
    acp: ["Start an agent for editors on stdin and stdout", () => import("../plugins/acp/command.ts")],
    refine: ["Print the refinement of one task of a plan", () => import("../plugins/check-tools/stages.ts")],
    execute: ["Carry out a refinement and print its result", () => import("../plugins/check-tools/stages.ts")],
    iterate: ["Print the tasks that are left after some results", () => import("../plugins/check-tools/stages.ts")]
  },
  "SEVERAL MACHINES": {
    worker: ["Work on runs that were started with --cluster", () => import("../plugins/cluster/command.ts")],
    attach: ["Follow a run on the workers", () => import("../plugins/cluster/command.ts")],
    cancel: ["Cancel a run on the workers", () => import("../plugins/cluster/command.ts")]
  }
} as const

/** The command that the module of each entry exports by the name of the entry. */
type Loaded<Group> = {
  [Name in keyof Group]: Group[Name] extends readonly [string, () => Promise<infer Module>]
    ? Module[Name & keyof Module]
    : never
}[keyof Group]
type Any = { [Name in keyof typeof groups]: Loaded<(typeof groups)[Name]> }[keyof typeof groups]
type AnyCommand = Command.Command<string, {}, {}, Command.Error<Any>, Command.Services<Any>>

/** The names of all commands. */
export const commandNames: ReadonlyArray<string> = Object.values(groups).flatMap((commands) => Object.keys(commands))

/** The command, when the words may name it; else what help and suggestions need of it. */
const commandOf = async (
  argv: ReadonlyArray<string>,
  name: string,
  [line, load]: readonly [line: string, load: () => Promise<object>]
): Promise<AnyCommand> => {
  if (!argv.includes(name)) return Command.make(name).pipe(Command.withDescription(line))
  const module = (await load()) as Readonly<Record<string, AnyCommand>>
  return Command.withShortDescription(module[name] as AnyCommand, line)
}

const root = Command.make(
  "task-conductor",
  {},
  Effect.fn("task-conductor")(function* () {
    const { showWelcome } = yield* Effect.promise(() => import("./doctor/welcome.ts"))
    yield* showWelcome()
  })
).pipe(
  Command.withDescription(
    "Makes local language models do long work reliably: checked plans, checked tool calls, approval before changes."
  ),
  Command.withExamples([
    {
      command: 'task-conductor run "Where are the limits of a run defined?"',
      description: "Answer a question about the project in this folder"
    },
    {
      command: 'task-conductor run --model qwen3:8b "Add a test for the parser"',
      description: "Use this model of the Ollama server; asks before it changes anything"
    },
    { command: "task-conductor check plan.md", description: "Check a plan without a model" },
    { command: "task-conductor help run", description: "Show the flags of a command" }
  ])
)

/** `task-conductor` for these words. A command that they do not name has a name and a description only. */
export const taskConductor = Effect.fnUntraced(function* (argv: ReadonlyArray<string>) {
  const subcommands = yield* Effect.promise(() =>
    Promise.all(
      Object.entries(groups).map(async ([group, commands]) => ({
        group,
        commands: await Promise.all(Object.entries(commands).map(([name, entry]) => commandOf(argv, name, entry)))
      }))
    )
  )
  return root.pipe(Command.withSubcommands(subcommands))
})

/** Only flags that make sense here: no wizard, no log level, and completion is a command. */
export const layerFlags = CliConfig.layer({
  builtIns: [GlobalFlag.Help, GlobalFlag.Version]
})

/**
 * The flags that the words stand for: `help run` is `run --help`, `version` is `--version`. A command that does not exist
 * keeps no help, so that its name is what is wrong. `runs list` is `runs`: other commands that list have the word.
 */
const withPlainWords = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = argv
  const [named] = rest
  if (first !== undefined && listsItself.has(first) && named === "list") return [first, ...rest.slice(1)]
  if (first === "version" && named === undefined) return ["--version"]
  if (first !== "help") return argv
  return named === undefined || named.startsWith("-") || commandNames.includes(named) ? [...rest, "--help"] : rest
}

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
  const line = withPlainWords(argv)
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
    Effect.provide(Layer.mergeAll(layerUsage, layerFlags, layerNotices))
  )
}
