/**
 * The command tree and what every command shares. Each command has its own file in the folders beside.
 */
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import { ask } from "./ask/ask.ts"
import { attach } from "./cluster/attach.ts"
import { cancel } from "./cluster/cancel.ts"
import { check } from "./check/check.ts"
import { execute } from "./run/execute.ts"
import { fork } from "./runs/fork.ts"
import { iterate } from "./run/iterate.ts"
import { mcp } from "./mcp/mcp.ts"
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

/** `task-conductor`. */
export const taskConductor = Command.make("task-conductor").pipe(
  Command.withDescription(
    "Makes local language models do long work reliably: checked plans, checked tool calls, approval before changes."
  ),
  Command.withExamples([
    {
      command: 'task-conductor run "Where are the limits of a run defined?"',
      description: "Use the embedded model, a stand-in that needs no server"
    },
    {
      command: 'task-conductor run --model qwen3 "Add a test for the parser"',
      description: "Use a model of the Ollama server"
    },
    { command: "task-conductor check plan.md", description: "Check a plan without a model" }
  ]),
  Command.withSubcommands([
    run,
    resume,
    runs,
    show,
    report,
    replay,
    fork,
    plan,
    refine,
    execute,
    iterate,
    ask,
    check,
    tools,
    skills,
    plugins,
    mcp,
    permissions,
    worker,
    attach,
    cancel
  ])
)

/** Only flags that make sense here: no wizard, no log level. */
export const layerFlags = CliConfig.layer({
  builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions]
})
