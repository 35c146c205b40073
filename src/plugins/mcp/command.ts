/**
 * `task-conductor mcp`: offers tools of this program to another program with the Model Context Protocol, over stdin and
 * stdout. Ends when stdin closes.
 */
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Command from "effect/cli/Command"
import { version } from "../../kit/program.ts"
import {
  approvalFlags,
  approvedBeforehand,
  flagConfiguration,
  modelFlags,
  reserveStdout,
  runFlags,
  withHelp
} from "../../kit/terminal.ts"
import { serveTools } from "./McpToolServer.ts"
import { mcpServedTools } from "./ServedTools.ts"

const { allow, deny, model, parallel, plugin, project, stageModel } = runFlags

const instructions =
  "Makes local language models do long work reliably: plan what to do for a prompt, check what a model planned, run it and answer, or ask about the project."

export const mcp = Command.make(
  "mcp",
  { allow, deny, model, stageModel, parallel, plugin, project, ...modelFlags, ...approvalFlags },
  Effect.fn("mcp")(function* (options) {
    const flags = flagConfiguration(options)
    const stdio = yield* Stdio.Stdio
    const send = reserveStdout()
    const protocol = Stdio.make({ ...stdio, stdout: () => Sink.forEach((chunk) => Effect.promise(() => send(chunk))) })
    const tools = yield* mcpServedTools({ project: options.project, flags, ...approvedBeforehand(options) })
    yield* serveTools({ name: "task-conductor", version, instructions, tools }).pipe(
      Effect.provideService(Stdio.Stdio, protocol),
      Effect.provideService(References.LogToStderr, true)
    )
  })
).pipe(
  withHelp(
    "Start an MCP server (Model Context Protocol) on stdin and stdout, with the tools check, plan, run, ask, diff and undo. If the client shows forms, it asks about calls that need approval. If not, they run only if flags or your configuration allow them",
    {
      "task-conductor mcp --project ../api --model qwen3:8b": "Serve one project",
      'task-conductor mcp --allow "read_file:src/**"': "Allow runs to read the sources"
    }
  )
)
