/**
 * `task-conductor mcp`: offers check, plan and run to another program over stdin and stdout, by the Model Context
 * Protocol. Ends when that program closes stdin.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Command from "effect/cli/Command"
import { checkDocument, DocumentKind } from "../../kit/documents.ts"
import {
  beginRun,
  type Configuration,
  type NewRun,
  planRun,
  readSetup,
  type RunContext,
  version
} from "../../kit/program.ts"
import {
  changesOfRun,
  deniedText,
  exitCodeOf,
  layerRuns,
  makeRunId,
  outcomeText,
  patchOf,
  type RunFacts,
  type RunOrder,
  type RunStatus,
  undoRun
} from "../../kit/runs.ts"
import {
  approvalFlags,
  approvedBeforehand,
  carryOut,
  type CommandFailure,
  type EventSink,
  failureOf,
  flagConfiguration,
  makePaint,
  modelFlags,
  type Output,
  progressLine,
  reserveStdout,
  runContextOf,
  runFlags,
  withHelp
} from "../../kit/terminal.ts"
import { Approver } from "../../plugin-kit.ts"
import { runImages } from "./RunImages.ts"
import { type ServedResult, type ServedTool, serveTools } from "./McpToolServer.ts"

/** The flags with which the server was started. */
export interface ServeOptions extends Pick<RunContext, "approveSteps" | "yes"> {
  readonly project: string
  readonly flags: Configuration
}

const plain = makePaint(false)

const text = (description: string) => Schema.String.annotate({ description })
const texts = (description: string) => Schema.Array(Schema.String).annotate({ description })

const prompt = Schema.NonEmptyString.annotate({ description: "What to do." })
const files = {
  file: Schema.optionalKey(text("The file the person is looking at, relative to the project.")),
  open: Schema.optionalKey(texts("Files that are open in the person's editor."))
}

const CheckParameters = Schema.Struct({
  text: text("The document, as markdown."),
  kind: Schema.optionalKey(DocumentKind.annotate({ description: "What the document is; task-list when absent." })),
  finished: Schema.optionalKey(texts("Tasks that finished before, for a list that continues a run."))
})

const PlanParameters = Schema.Struct({ prompt, ...files })

const RunParameters = Schema.Struct({
  prompt,
  ...files,
  skill: Schema.optionalKey(text("Skip planning: one task with this skill.")),
  plan: Schema.optionalKey(text("Skip planning: the markdown of a task list, as the tool plan returns it."))
})

const DiffParameters = Schema.Struct({ run_id: text("The id of the run, as the tool run returns it.") })

const UndoParameters = Schema.Struct({
  ...DiffParameters.fields,
  paths: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "Files or folders; all changes without any." })
  ),
  redo: Schema.optionalKey(Schema.Boolean.annotate({ description: "Makes the changes again that were undone." }))
})

type Data = ServedResult["data"]

const failed = ({ exitCode, text }: CommandFailure): ServedResult => ({
  text,
  data: { exit_code: exitCode },
  isError: true
})

/** What was denied: calls, and the tasks of steps that were not approved. */
const deniedOf = (status: RunStatus, facts: RunFacts | undefined): ReadonlyArray<string> => [
  ...(facts?.denied ?? []).map(deniedText),
  ...(status === "not_permitted" || status === "declined"
    ? (facts?.notDone ?? []).map(({ task, why }) => `"${task}" (${why})`)
    : [])
]

/** Sends every line of progress to the client. */
const listenTo = (report: (text: string) => Effect.Effect<void>): EventSink => ({
  listen: ({ event }) => {
    const line = progressLine(event, plain)
    return line === undefined ? Effect.void : report(line.trim())
  },
  abort: () => Effect.void
})

/** Without the keys that have no value. */
const orderOf = <Given extends typeof PlanParameters.Type>({ file, open, ...order }: Given) => ({
  ...order,
  ...(file === undefined ? {} : { currentFile: file }),
  ...(open === undefined ? {} : { openFiles: open })
})

const check: ServedTool<typeof CheckParameters.Type> = {
  name: "check",
  description:
    "Checks a task list, a refinement or a result that a model wrote, without a model. Returns the verdict with every issue: where it is, what is wrong, what to do.",
  parameters: CheckParameters,
  isReadOnly: true,
  execute: ({ finished = [], kind = "task-list", text }) =>
    Effect.sync(() => {
      const report = checkDocument(kind, text, { finished })
      return { text: JSON.stringify(report, null, 2), data: report as unknown as Data, isError: false }
    })
}

/** What the tools use of the machine, and what the server was started with. */
interface ToolHost {
  readonly newRun: (order: Omit<RunOrder, "runId">) => Effect.Effect<NewRun>
  readonly contextFor: (
    report: (text: string) => Effect.Effect<void>
  ) => Effect.Effect<RunContext, never, NodeServices.NodeServices | Output>
  /** Runs the work of a tool; what goes wrong is its result. */
  readonly serve: <E extends Parameters<typeof failureOf>[0]>(
    work: Effect.Effect<ServedResult, E, NodeServices.NodeServices | Output>
  ) => Effect.Effect<ServedResult>
}

const planTool = ({ contextFor, newRun, serve }: ToolHost): ServedTool<typeof PlanParameters.Type> => ({
  name: "plan",
  description: "Makes a task list for a prompt, checks it, and returns it as markdown. Nothing is run.",
  parameters: PlanParameters,
  isReadOnly: true,
  execute: (given, report) =>
    Effect.all([newRun(orderOf(given)), contextFor(report)]).pipe(
      Effect.flatMap(([run, context]) => planRun(run, context)),
      Effect.map(({ markdown }): ServedResult => {
        const { issues, repairs, verdict } = checkDocument("task-list", markdown)
        return { text: markdown, data: { markdown, verdict, issues, repairs } as unknown as Data, isError: false }
      }),
      serve
    )
})

const runTool = ({ contextFor, newRun, serve }: ToolHost): ServedTool<typeof RunParameters.Type> => ({
  name: "run",
  description:
    "Plans the work for a prompt, checks the plan, does it and answers. What was not allowed when this server was started is denied and named in the result.",
  parameters: RunParameters,
  isReadOnly: false,
  execute: (given, report) =>
    Effect.all([newRun(orderOf(given)), contextFor(report)]).pipe(
      Effect.flatMap(([run, context]) => carryOut(context, false, (noticing) => beginRun(run, noticing))),
      Effect.flatMap((report) =>
        Effect.map(
          Effect.orElseSucceed(runImages(report.runId), () => []),
          (images) => ({ images, report })
        )
      ),
      Effect.map(({ images, report }): ServedResult => {
        const { answer, facts, message, runId, status } = report
        const parts = [outcomeText(report), answer.trim()].filter((part) => part !== "")
        const data = {
          run_id: runId,
          answer,
          status,
          ...(facts === undefined ? {} : { facts }),
          exit_code: exitCodeOf(status),
          message,
          denied: deniedOf(status, facts)
        }
        return { text: parts.join("\n\n"), data, images, isError: status !== "done" }
      }),
      Effect.provide(layerRuns),
      serve
    )
})

const diffTool = ({ serve }: ToolHost): ServedTool<typeof DiffParameters.Type> => ({
  name: "diff",
  description: "Shows what a run changed in the files of the project, as a patch that git apply takes.",
  parameters: DiffParameters,
  isReadOnly: true,
  execute: (given) =>
    changesOfRun(given.run_id).pipe(
      Effect.map(({ changes, outside, runId }): ServedResult => {
        const text = changes.length === 0 ? `The run ${runId} changed no file.` : patchOf(changes)
        return { text, data: { run_id: runId, changes, outside } as unknown as Data, isError: false }
      }),
      Effect.provide(layerRuns),
      serve
    )
})

const undoTool = ({ serve }: ToolHost): ServedTool<typeof UndoParameters.Type> => ({
  name: "undo",
  description:
    "Takes back what a run changed in the files of the project: all of it, or some files and folders. Nothing is undone where a file was changed since.",
  parameters: UndoParameters,
  isReadOnly: false,
  execute: ({ paths = [], redo = false, run_id }) =>
    undoRun(run_id, { paths, redo }).pipe(
      Effect.map((undone): ServedResult => {
        const text = undone.paths.length === 0 ? "Nothing to do: the files are so already." : undone.paths.join("\n")
        return { text, data: { run_id: undone.runId, paths: undone.paths, outside: undone.outside }, isError: false }
      }),
      Effect.provide(layerRuns),
      serve
    )
})

/** The tools for one project; the configuration is read once, so that a wrong one is reported at the start. */
export const mcpServedTools = Effect.fn("mcpServedTools")(function* ({ flags, project, ...approved }: ServeOptions) {
  yield* readSetup(project, flags)
  const services = yield* Effect.context<NodeServices.NodeServices | Output>()
  const host: ToolHost = {
    newRun: (order) => Effect.map(makeRunId, (runId) => ({ project, given: flags, order: { runId, ...order } })),
    contextFor: (report) => runContextOf({ sink: listenTo(report), ...approved, approver: Approver.layerDenyAll }),
    serve: (work) =>
      Effect.provideContext(
        Effect.catch(work, (error) => Effect.succeed(failed(failureOf(error)))),
        services
      )
  }
  return [check, planTool(host), runTool(host), diffTool(host), undoTool(host)]
})

const { allow, deny, model, parallel, plugin, project, stageModel } = runFlags

const instructions =
  "Makes local language models do long work reliably: plan what to do for a prompt, check what a model planned, run it and answer."

export const mcp = Command.make(
  "mcp",
  { allow, deny, model, stageModel, parallel, plugin, project, ...modelFlags, ...approvalFlags },
  Effect.fn("mcp")(function* (given) {
    const flags = flagConfiguration(given)
    const stdio = yield* Stdio.Stdio
    const send = reserveStdout()
    const protocol = Stdio.make({ ...stdio, stdout: () => Sink.forEach((chunk) => Effect.promise(() => send(chunk))) })
    const tools = yield* mcpServedTools({ project: given.project, flags, ...approvedBeforehand(given) })
    yield* serveTools({ name: "task-conductor", version, instructions, tools }).pipe(
      Effect.provideService(Stdio.Stdio, protocol),
      Effect.provideService(References.LogToStderr, true)
    )
  })
).pipe(
  withHelp(
    "Start an MCP server (Model Context Protocol) on stdin and stdout, with the tools check, plan, run, diff and undo. It cannot ask questions: calls that need approval run only if flags or your configuration allow them",
    {
      "task-conductor mcp --project ../api --model qwen3:8b": "Serve one project",
      'task-conductor mcp --allow "read_file:src/**"': "Allow runs to read the sources"
    }
  )
)
