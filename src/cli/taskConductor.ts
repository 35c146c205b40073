/**
 * Makes the tree of all commands, and turns a command line into an exit code. A command's file is loaded only if the
 * command line names the command. Loading all flags would take longer than most commands run.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { features } from "../app/features.ts"
import { loadOrFail, PackageUnusable } from "../app/PackageUnusable.ts"
import { version } from "../app/version.ts"
import { printable, printableLines } from "../domain/text/Printable.ts"
import { WaitingNotice } from "../services/plugins/WaitingNotice.ts"
import { hasDashedWords, readDashedWords } from "./terminal/DashedWords.ts"
import type { PluginCommand, PluginCommands } from "../services/tools/PluginCommand.ts"
import { exitCodes, failureOf, usageFailure } from "./terminal/Failure.ts"
import { Output, redactText } from "./terminal/Output.ts"
import type { Signals } from "./terminal/Signals.ts"
import { layerUsage, listsItself } from "./Usage.ts"

/** The commands of the core, by group, each with its line in `--help`. */
const coreGroups: Readonly<Record<string, PluginCommands>> = {
  EVERYDAY: {
    run: { line: "Plan, carry out and answer a prompt", load: () => import("./run/run.ts").then(({ run }) => run) },
    ask: {
      line: "Ask a question; the model uses tools, without a plan",
      load: () => import("./ask/ask.ts").then(({ ask }) => ask)
    },
    sessions: {
      line: "List the kept conversations of ask about this project",
      load: () => import("./ask/sessions.ts").then(({ sessions }) => sessions)
    },
    plan: {
      line: "Print the checked task list for a prompt",
      load: () => import("./run/run.ts").then(({ plan }) => plan)
    },
    permissions: {
      line: "List, explain and revoke permissions",
      load: () => import("./permissions/permissions.ts").then(({ permissions }) => permissions)
    },
    init: {
      line: "Write a configuration for you or a project",
      load: () => import("./init/init.ts").then(({ init }) => init)
    },
    doctor: {
      line: "Check this machine and say what is missing",
      load: () => import("./doctor/doctor.ts").then(({ doctor }) => doctor)
    },
    models: {
      line: "List the models of the server, or compare them",
      load: () => import("./models/models.ts").then(({ models }) => models)
    }
  },
  RUNS: {
    runs: {
      line: "List the saved runs of this project, newest first",
      load: () => import("./runs/runs.ts").then(({ runs }) => runs)
    },
    show: {
      line: "Show the plan, the tasks and the answer of a run, or the evidence of one task",
      load: () => import("./runs/show.ts").then(({ show }) => show)
    },
    diff: {
      line: "Show what a run changed in files",
      load: () => import("./runs/changes.ts").then(({ diff }) => diff)
    },
    undo: {
      line: "Take back what a run changed in files",
      load: () => import("./runs/changes.ts").then(({ undo }) => undo)
    },
    resume: {
      line: "Resume a run that ended early. Finished work is not repeated",
      load: () => import("./runs/resume.ts").then(({ resume }) => resume)
    },
    fork: {
      line: "Start a new run from a task of another run, possibly with another model. Earlier results are reused",
      load: () => import("./runs/resume.ts").then(({ fork }) => fork)
    }
  },
  EXTENDING: {
    skills: {
      line: "List, describe, create, lint and test skills (kinds of tasks)",
      load: () => import("./skills/skills.ts").then(({ skills }) => skills)
    },
    tools: {
      line: "List and describe the tools that a task can call",
      load: () => import("./plugins/plugins.ts").then(({ tools }) => tools)
    },
    plugins: {
      line: "List plugins, or create one",
      load: () => import("./plugins/plugins.ts").then(({ plugins }) => plugins)
    },
    completion: {
      line: "Print a script for completion in your shell",
      load: () => import("./completion/completion.ts").then(({ completion }) => completion)
    }
  }
}

/** Commands that features add to the core commands. */
const featureCommands: PluginCommands = Object.assign({}, ...features.map(({ commands }) => commands))

type AnyCommand = Command.Command<
  string,
  {},
  {},
  Parameters<typeof failureOf>[0],
  NodeServices.NodeServices | Output | Signals
>

/** The commands whose name is a single word, by group. The core's commands come first. */
const groupsWith = (added: PluginCommands): ReadonlyMap<string, PluginCommands> =>
  Object.entries(added).reduce(
    (groups, [name, command]) => {
      if (name.includes(" ")) return groups
      const { group = "PLUGINS" } = command
      return groups.set(group, { ...groups.get(group), [name]: command })
    },
    new Map(Object.entries(coreGroups))
  )

/** The names of all commands, except those of the user's plugins. */
export const commandNames: ReadonlyArray<string> = [...groupsWith(featureCommands).values()].flatMap((commands) =>
  Object.keys(commands)
)

/** Words that may begin a command line but are not commands. */
const plainWords: ReadonlySet<string> = new Set(["help", "version", "complete"])

const namesOwnPlugins = Effect.flatMap(
  Effect.promise(() => import("./plugins/namesPlugins.ts")),
  ({ namesPlugins }) => namesPlugins
)

/** True if the command line requests the list of all commands. */
const asksForAll = ([word = "", ...rest]: ReadonlyArray<string>): boolean =>
  rest.length === 0 && ["help", "--help", "-h"].includes(word)

/**
 * The commands of the user's plugins, which cannot replace built-in commands. They are known only after the plugins are
 * imported. So plugins are imported only if the command line has an unknown command or requests the list of all
 * commands.
 */
const commandsOfUser = Effect.fnUntraced(function* (argv: ReadonlyArray<string>) {
  const word = argv[0] === "help" ? argv[1] : argv[0]
  const isOther = word === undefined || word.startsWith("-") || plainWords.has(word) || commandNames.includes(word)
  if (isOther && !(asksForAll(argv) && (yield* namesOwnPlugins))) return {}
  const { ownCommands } = yield* Effect.promise(() => import("./plugins/ownCommands.ts"))
  const own = Object.entries(yield* ownCommands)
  return Object.fromEntries(
    own.filter(([words]) => !commandNames.includes(words.split(" ", 1).join("")))
  ) as PluginCommands
})

/** Adds subcommands of features and plugins to a command. */
const withBelow = async (command: AnyCommand, name: string, added: PluginCommands): Promise<AnyCommand> => {
  const below = Object.entries(added).filter(([words]) => words.startsWith(`${name} `))
  if (below.length === 0) return command
  const loaded = (await Promise.all(below.map(([, { load }]) => load()))) as ReadonlyArray<AnyCommand>
  const own = command.subcommands.flatMap(({ commands }) => commands) as ReadonlyArray<AnyCommand>
  return Command.withSubcommands(command, [...own, ...loaded]) as AnyCommand
}

/**
 * Loads the command if a word of the command line is its name. Otherwise makes a placeholder with its name and its help
 * line. Fails if the command's package is unusable.
 */
const commandOf = async (
  argv: ReadonlyArray<string>,
  name: string,
  { line, load }: PluginCommand,
  added: PluginCommands
): Promise<AnyCommand> => {
  const unloaded = Command.make(name).pipe(Command.withDescription(line))
  if (!argv.includes(name)) return unloaded
  try {
    return Command.withShortDescription(await withBelow((await load()) as AnyCommand, name, added), line)
  } catch (error) {
    if (error instanceof PackageUnusable && argv[0] !== name) return unloaded
    throw error
  }
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

/**
 * The tree of commands for a command line. Commands that the command line does not use have only a name and a
 * description.
 */
export const taskConductor = Effect.fnUntraced(function* (argv: ReadonlyArray<string>, own: PluginCommands = {}) {
  const added = { ...featureCommands, ...own }
  const subcommands = yield* loadOrFail(() =>
    Promise.all(
      [...groupsWith(added)].map(async ([group, commands]) => ({
        group,
        commands: await Promise.all(
          Object.entries(commands).map(([name, entry]) => commandOf(argv, name, entry, added))
        )
      }))
    )
  )
  return root.pipe(Command.withSubcommands(subcommands))
})

/**
 * The built-in flags of the parser that this program offers: help and version. The flags for a wizard and a log level
 * are left out. Shell completion is a command of this program, not a flag.
 */
export const layerFlags = CliConfig.layer({
  builtIns: [GlobalFlag.Help, GlobalFlag.Version]
})

/**
 * Replaces words by their flags: `help run` becomes `run --help`, and `runs list` becomes `runs`. Before an unknown
 * command, `help` is dropped, so that the error names this command.
 */
const withPlainWords = (argv: ReadonlyArray<string>, pluginCommands: PluginCommands): ReadonlyArray<string> => {
  const [first, ...rest] = argv
  const [second] = rest
  if (first !== undefined && listsItself.has(first) && second === "list") return [first, ...rest.slice(1)]
  if (first === "version" && second === undefined) return ["--version"]
  if (first !== "help") return argv
  const isKnown =
    second === undefined || second.startsWith("-") || commandNames.includes(second) || second in pluginCommands
  return isKnown ? [...rest, "--help"] : rest
}

const internalError = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const what = (error instanceof Error ? error.message : String(error)).split("\n")[0]
  const line = `internal error: ${what}. This is a bug in task-conductor, please report it.`
  return process.env["TASK_CONDUCTOR_DEBUG"] === "1"
    ? `${line}\n${Cause.pretty(cause)}`
    : `${line} TASK_CONDUCTOR_DEBUG=1 shows details.`
}

/** Prints a message to stderr, with control characters escaped and secrets removed. */
const say = (text: string, exitCode: number) =>
  Output.use(({ emit }) => emit(printableLines(redactText(text)))).pipe(Effect.as(exitCode))

const keptRun = ' The run is saved: "task-conductor show last" prints its answer.'
/** For each command, a sentence about where its work is saved. It is printed if the output was lost. */
const savedBy: Readonly<Record<string, string>> = {
  run: keptRun,
  resume: keptRun,
  fork: keptRun,
  ask: ' The conversation is kept: "task-conductor ask --continue" shows its end.'
}

/** Fails if a result could not be written, even if the work succeeded. */
const requireWritten = (command: string | undefined) => (exitCode: number) =>
  Output.use(({ emit, lost }) => {
    const reason = lost()
    return reason === undefined
      ? Effect.succeed(exitCode)
      : emit(`The result could not be written to stdout (${reason}).${savedBy[command ?? ""] ?? ""}`).pipe(
          Effect.as(exitCode === 0 ? exitCodes.failed : exitCode)
        )
  })

/** Prints on stderr what the program waits for while it starts. */
const layerNotices = Layer.effect(
  WaitingNotice,
  Output.useSync(
    ({ emit }) =>
      (line: string) =>
        emit(printable(line))
  )
)

const complete = Effect.fnUntraced(function* (program: Command.Command.Any, words: ReadonlyArray<string>) {
  const { printCandidates } = yield* Effect.promise(() => import("./completion/completion.ts"))
  yield* printCandidates(program, words)
})

/**
 * Reorders the words so that the parser does not take words of the user for flags. Fails for an unknown flag or a
 * missing command.
 */
const readWords = Effect.fnUntraced(function* (program: Command.Command.Any, line: ReadonlyArray<string>) {
  if (!hasDashedWords(line)) return line
  const { fromCommand } = yield* Effect.promise(() => import("effect/cli/Completions"))
  const { argv, problem } = readDashedWords(fromCommand(program), line)
  return problem === undefined ? argv : yield* usageFailure(problem)
})

export const runCommandLine = (
  argv: ReadonlyArray<string>
): Effect.Effect<number, never, NodeServices.NodeServices | Output | Signals> => {
  const run = Effect.gen(function* () {
    const own = yield* commandsOfUser(argv)
    const line = withPlainWords(argv, own)
    const program = yield* taskConductor(line, own)
    if (argv[0] === "complete" && argv[1] === "--") return yield* complete(program, argv.slice(2))
    yield* Command.runWith(program, { version })(yield* readWords(program, line))
  })
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
