/**
 * The command tree and what every command shares. Each command has its own file in the folders beside, which is loaded when a
 * command line names the command: the flags of all of them take longer than most commands.
 */
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"

/** The commands in the order of `--help`, each with its line there and the module that exports it. */
const groups = {
  EVERYDAY: {
    run: [
      "Plan, carry out and answer a prompt",
      () => import("./run/run.ts").then(({ makeRun }) => ({ run: makeRun(() => import("./cluster/cluster.ts")) }))
    ],
    ask: ["Ask a question; the model uses tools, without a plan", () => import("./ask/ask.ts")],
    sessions: ["List the kept conversations of ask about this project", () => import("./ask/sessions.ts")],
    plan: ["Print the checked task list for a prompt", () => import("./run/run.ts")],
    check: ["Check task lists, refinements or results", () => import("./check/check.ts")],
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
      () => import("./report/report.ts")
    ],
    resume: [
      "Resume a run that ended early. Finished work is not repeated",
      () =>
        import("./runs/resume.ts").then(({ makeResume }) => ({
          resume: makeResume(() => import("./cluster/cluster.ts"))
        }))
    ],
    replay: [
      "Replay a run without a model and check that it still gives the same result",
      () => import("./runs/replay.ts")
    ],
    fork: [
      "Start a new run from a task of another run, possibly with another model. Earlier results are reused",
      () =>
        import("./runs/resume.ts").then(({ makeFork }) => ({ fork: makeFork(() => import("./cluster/cluster.ts")) }))
    ]
  },
  EXTENDING: {
    skills: ["List, describe, create, lint and test skills (kinds of tasks)", () => import("./skills/skills.ts")],
    tools: ["List and describe the tools that a task can call", () => import("./plugins/plugins.ts")],
    plugins: ["List plugins, or create one", () => import("./plugins/plugins.ts")],
    mcp: ["Start an MCP server on stdin and stdout", () => import("./mcp/mcp.ts")],
    completion: ["Print a script for completion in your shell", () => import("./completion/completion.ts")],
    acp: ["Start an agent for editors on stdin and stdout", () => import("./acp/acp.ts")],
    refine: ["Print the refinement of one task of a plan", () => import("./check/stages.ts")],
    execute: ["Carry out a refinement and print its result", () => import("./check/stages.ts")],
    iterate: ["Print the tasks that are left after some results", () => import("./check/stages.ts")]
  },
  "SEVERAL MACHINES": {
    worker: ["Work on runs that were started with --cluster", () => import("./cluster/cluster.ts")],
    attach: ["Follow a run on the workers", () => import("./cluster/cluster.ts")],
    cancel: ["Cancel a run on the workers", () => import("./cluster/cluster.ts")]
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
