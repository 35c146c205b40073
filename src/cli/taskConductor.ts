/**
 * The command tree and what every command shares. Each command has its own file in the folders beside.
 */
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import { ask } from "./ask/ask.ts"
import { attach } from "./cluster/attach.ts"
import { cancel } from "./cluster/cancel.ts"
import { check } from "./check/check.ts"
import { doctor } from "./doctor/doctor.ts"
import { execute } from "./run/execute.ts"
import { fork } from "./runs/fork.ts"
import { init } from "./init/init.ts"
import { iterate } from "./run/iterate.ts"
import { mcp } from "./mcp/mcp.ts"
import { models } from "./models/models.ts"
import { permissions } from "./permissions/permissions.ts"
import { plan } from "./run/plan.ts"
import { plugins } from "./plugins/plugins.ts"
import { refine } from "./run/refine.ts"
import { replay } from "./runs/replay.ts"
import { report } from "./report/report.ts"
import { resume } from "./runs/resume.ts"
import { run } from "./run/run.ts"
import { runs } from "./runs/runs.ts"
import { show } from "./runs/show.ts"
import { skills } from "./skills/skills.ts"
import { tools } from "./plugins/tools.ts"
import { worker } from "./cluster/worker.ts"

/** The commands in the order of `--help`. */
const groups = [
  { group: "EVERYDAY", commands: [run, ask, plan, check, permissions, init, doctor, models] },
  { group: "RUNS", commands: [runs, show, report, resume, replay, fork] },
  { group: "EXTENDING", commands: [skills, tools, plugins, mcp, refine, execute, iterate] },
  { group: "SEVERAL MACHINES", commands: [worker, attach, cancel] }
] as const

/** The names of all commands. */
export const commandNames: ReadonlyArray<string> = groups.flatMap(({ commands }) => commands.map(({ name }) => name))

/** `task-conductor`. */
export const taskConductor = Command.make(
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
  ]),
  Command.withSubcommands(groups)
)

/** Only flags that make sense here: no wizard, no log level. */
export const layerFlags = CliConfig.layer({
  builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]
})
