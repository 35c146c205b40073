/**
 * `task-conductor mcp`: offers check, plan and run to another program over stdin and stdout, by the Model Context
 * Protocol. Ends when that program closes stdin.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import { version } from "../../app/version.ts"
import { approvalFlags, approvedBeforehand, flagConfiguration, runFlags } from "../run/runFlags.ts"
import { modelFlags } from "../run/modelFlags.ts"

const { allow, deny, model, parallel, plugin, project } = runFlags

const instructions =
  "Makes local language models do long work reliably: plan what to do for a prompt, check what a model planned, run it and answer."

/**
 * Reserves stdout for the protocol: whatever else writes there, code of plugins too, is redirected to stderr. Returns
 * the streams of the protocol.
 */
const reserveStdout = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const { stderr, stdout } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  const send = (chunk: string | Uint8Array) =>
    Effect.callback<void>((resume) => void write(chunk, () => resume(Effect.void)))
  return Stdio.make({ ...stdio, stdout: () => Sink.forEach(send) })
})

/** The command. */
export const mcp = Command.make(
  "mcp",
  {
    allow,
    deny,
    model,
    parallel,
    plugin,
    project,
    ...modelFlags,
    ...approvalFlags
  },
  Effect.fn("mcp")(function* (given) {
    const flags = flagConfiguration(given)
    const stdio = yield* reserveStdout
    const [{ mcpServedTools }, { serveTools }] = yield* Effect.promise(() =>
      Promise.all([import("./mcpTools.ts"), import("../../services/mcp/McpToolServer.ts")])
    )
    const tools = yield* mcpServedTools({ project: given.project, flags, ...approvedBeforehand(given) })
    yield* serveTools({ name: "task-conductor", version, instructions, tools }).pipe(
      Effect.provideService(Stdio.Stdio, stdio),
      Effect.provideService(References.LogToStderr, true)
    )
  })
).pipe(
  Command.withDescription(
    "Start an MCP server (Model Context Protocol) on stdin and stdout, with the tools check, plan and run. It cannot ask questions: calls that need approval run only if flags or your configuration allow them"
  ),
  Command.withShortDescription("Start an MCP server on stdin and stdout"),
  Command.withExamples([
    { command: "task-conductor mcp --project ../api --model qwen3:8b", description: "Serve one project" },
    { command: 'task-conductor mcp --allow "read_file:src/**"', description: "Allow runs to read the sources" }
  ])
)
