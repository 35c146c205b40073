/**
 * `task-conductor init`: writes a configuration, for the person or for a project.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { modelFlags } from "../run/modelFlags.ts"
import { runFlags } from "../run/runFlags.ts"

/** The command. */
export const init = Command.make(
  "init",
  {
    scope: Flag.Literals("for", ["me", "project"]).pipe(
      Flag.withDescription("Whose configuration is written: yours, or that of the project, for all who work on it"),
      Flag.optional
    ),
    model: Flag.String("model").pipe(
      Flag.withAlias("m"),
      Flag.withMetavar("NAME"),
      Flag.withDescription("The model: --model qwen3:8b"),
      Flag.optional
    ),
    contextWindow: modelFlags.contextWindow,
    host: Flag.String("host").pipe(
      Flag.withMetavar("ADDRESS"),
      Flag.withDescription("The address of the Ollama server, only for you: --host 192.168.1.5:11434"),
      Flag.optional
    ),
    project: runFlags.project
  },
  Effect.fn("init")(function* (given) {
    const { writeConfiguration } = yield* Effect.promise(() => import("./initHandler.ts"))
    yield* writeConfiguration(given)
  })
).pipe(
  Command.withDescription(
    "Write a configuration after asking for its values, or from flags. A file that is there is never overwritten"
  ),
  Command.withShortDescription("Write a configuration for you or a project"),
  Command.withExamples([
    { command: "task-conductor init", description: "Ask for everything" },
    {
      command: "task-conductor init --for me --model qwen3:8b",
      description: "Choose the model that you use in every project"
    },
    {
      command: "task-conductor init --for project --model qwen3:8b --context-window 16384",
      description: "Write task-conductor.json in this folder"
    }
  ])
)
