/**
 * The tools that the MCP server offers: check, plan, run, ask, diff and undo.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { checkDocument, CheckReport, DocumentKind, IssueReport, Repair } from "../../kit/documents.ts"
import { beginRun, type Configuration, type NewRun, planRun, readSetup, type RunContext } from "../../kit/program.ts"
import {
  changesOfRun,
  deniedText,
  exitCodeOf,
  factLines,
  layerRuns,
  makeRunId,
  outcomeText,
  patchOf,
  RunFacts,
  type RunOrder,
  RunStatus,
  undoRun
} from "../../kit/runs.ts"
import {
  carryOut,
  type CommandFailure,
  type EventSink,
  failureOf,
  makePaint,
  type Output,
  progressLine,
  runContextOf
} from "../../kit/terminal.ts"
import { Approver } from "../../plugin-kit.ts"
import { layerClientApprover } from "./ClientApprover.ts"
import { runImages } from "./RunImages.ts"
import { makeServedConversations } from "./ServedConversations.ts"
import { servedRun } from "./ServedRuns.ts"
import type { ServedResult, ServedTool, ToolClient, ToolHints } from "./McpToolServer.ts"

export interface ServeOptions extends Pick<RunContext, "approveSteps" | "yes"> {
  readonly project: string
  readonly flags: Configuration
}

const plain = makePaint(false)

const text = (description: string) => Schema.String.annotate({ description })
const texts = (description: string) => Schema.Array(Schema.String).annotate({ description })

const prompt = Schema.NonEmptyString.annotate({ description: "What to do." })
const files = {
  file: Schema.optionalKey(text("The file the user is looking at, relative to the project.")),
  open: Schema.optionalKey(texts("Files that are open in the user's editor."))
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

const DiffParameters = Schema.Struct({
  run_id: text("The id of a run of this project, as the tool run returns it, or `last`.")
})

const UndoParameters = Schema.Struct({
  ...DiffParameters.fields,
  paths: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "Files or folders to undo. Default: all changes." })
  ),
  redo: Schema.optionalKey(Schema.Boolean.annotate({ description: "Makes undone changes again." }))
})

const AskParameters = Schema.Struct({
  message: Schema.NonEmptyString.annotate({ description: "What to ask, or what to do." }),
  ...files,
  conversation: Schema.optionalKey(
    text(
      "The id of the conversation to continue, as returned by the tool `ask`. Without it, a new conversation starts."
    )
  )
})

type Data = ServedResult["data"]

/** The exit code; absent if the call failed. */
const ExitCode = Schema.optionalKey(
  Schema.Int.annotate({ description: "As of the command line; 0 when the work is done." })
)

const CheckOutput = Schema.Struct({
  kind: Schema.optionalKey(DocumentKind),
  verdict: Schema.optionalKey(CheckReport.fields.verdict),
  issues: Schema.optionalKey(Schema.Array(IssueReport)),
  repairs: Schema.optionalKey(Schema.Array(Repair)),
  value: Schema.optionalKey(Schema.Json.annotate({ description: "What the document says; null when it is rejected." }))
})

const PlanOutput = Schema.Struct({
  markdown: Schema.optionalKey(Schema.String),
  verdict: Schema.optionalKey(CheckReport.fields.verdict),
  issues: Schema.optionalKey(Schema.Array(IssueReport)),
  repairs: Schema.optionalKey(Schema.Array(Repair)),
  exit_code: ExitCode
})

/** The fields for the answer of runs and conversations. */
const answerFields = {
  answer: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(RunStatus),
  facts: Schema.optionalKey(RunFacts),
  exit_code: ExitCode,
  message: Schema.optionalKey(Schema.String),
  denied: Schema.optionalKey(Schema.Array(Schema.String))
}

const RunOutput = Schema.Struct({ run_id: Schema.optionalKey(Schema.String), ...answerFields })

const AskOutput = Schema.Struct({
  conversation: Schema.optionalKey(
    Schema.String.annotate({ description: "The id of the conversation; absent where it is not kept." })
  ),
  ...answerFields
})

const DiffOutput = Schema.Struct({
  run_id: Schema.optionalKey(Schema.String),
  changes: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        path: Schema.String,
        kind: Schema.Literals(["new", "changed", "removed"]),
        becomes: Schema.optionalKey(Schema.Json),
        binary: Schema.optionalKey(Schema.Boolean),
        state: Schema.String,
        insertions: Schema.Int,
        deletions: Schema.Int,
        diff: Schema.String
      })
    )
  ),
  outside: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Calls that did more than change files, or whose effects are unknown."
    })
  ),
  exit_code: ExitCode
})

const UndoOutput = Schema.Struct({
  run_id: Schema.optionalKey(Schema.String),
  paths: Schema.optionalKey(Schema.Array(Schema.String)),
  outside: Schema.optionalKey(Schema.Array(Schema.String)),
  exit_code: ExitCode
})

const pure: ToolHints = { isReadOnly: true, isDestructive: false, isIdempotent: true, isOpenWorld: false }
/** The hints for tools that use a model. Answers differ each time, and a plan may read the web. */
const planning: ToolHints = { ...pure, isIdempotent: false, isOpenWorld: true }
const changing: ToolHints = { isReadOnly: false, isDestructive: true, isIdempotent: false, isOpenWorld: true }
/** The hints for `undo`, whose second call has no effect. */
const undoing: ToolHints = { ...changing, isIdempotent: true, isOpenWorld: false }

const failed = ({ exitCode, text }: CommandFailure): ServedResult => ({
  text,
  data: { exit_code: exitCode },
  isError: true
})

/** Texts about denied calls, and about tasks whose step was not approved. */
const deniedOf = (status: RunStatus, facts: RunFacts | undefined): ReadonlyArray<string> => [
  ...(facts?.denied ?? []).map(deniedText),
  ...(status === "not_permitted" || status === "declined"
    ? (facts?.notDone ?? []).map(({ task, why }) => `"${task}" (${why})`)
    : [])
]

const listenTo = (report: (text: string) => Effect.Effect<void>): EventSink => ({
  listen: ({ event }) => {
    const line = progressLine(event, plain)
    return line === undefined ? Effect.void : report(line.trim())
  },
  abort: () => Effect.void
})

/** Converts the parameters of a tool to the options of a run. Absent parameters get no key. */
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
  output: CheckOutput,
  hints: pure,
  execute: ({ finished = [], kind = "task-list", text }) =>
    Effect.sync(() => {
      const report = checkDocument(kind, text, { finished })
      return { text: JSON.stringify(report, null, 2), data: report as unknown as Data, isError: false }
    })
}

/** What the tools need: services and options. */
interface ToolHost {
  readonly newRun: (order: Omit<RunOrder, "runId">) => Effect.Effect<NewRun>
  readonly project: string
  readonly flags: Configuration
  readonly contextFor: (client: ToolClient) => Effect.Effect<RunContext, never, NodeServices.NodeServices | Output>
  /** Does the work of a tool. A failure becomes the result of the call. */
  readonly serve: <E extends Parameters<typeof failureOf>[0]>(
    work: Effect.Effect<ServedResult, E, NodeServices.NodeServices | Output>
  ) => Effect.Effect<ServedResult>
}

const planTool = ({ contextFor, newRun, serve }: ToolHost): ServedTool<typeof PlanParameters.Type> => ({
  name: "plan",
  description: "Makes a task list for a prompt, checks it, and returns it as markdown. Nothing is run.",
  parameters: PlanParameters,
  output: PlanOutput,
  hints: planning,
  execute: (given, client) =>
    Effect.all([newRun(orderOf(given)), contextFor(client)]).pipe(
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
    "Plans the work for a prompt, checks the plan, carries it out and answers. If the client shows forms, it asks about calls that need approval. If not, calls that were not allowed when this server started are denied and named in the result.",
  parameters: RunParameters,
  output: RunOutput,
  hints: changing,
  execute: (given, client) =>
    Effect.all([newRun(orderOf(given)), contextFor(client)]).pipe(
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

const askTool = ({ contextFor, flags, project, serve }: ToolHost): ServedTool<typeof AskParameters.Type> => {
  const conversations = makeServedConversations(project, flags)
  return {
    name: "ask",
    description:
      "Answers a message about the project in a conversation, or does what it says, without a plan. The result names the conversation, so that the next message can go on with it.",
    parameters: AskParameters,
    output: AskOutput,
    hints: changing,
    execute: ({ conversation, message, ...given }, client) =>
      Effect.gen(function* () {
        const order = orderOf({ prompt: message, ...given })
        const { id, report } = yield* conversations.answer({ order, conversation }, yield* contextFor(client))
        const { answer, facts, reason, status } = report
        const denied = deniedOf(status, facts)
        const data = {
          ...(id === undefined ? {} : { conversation: id }),
          answer,
          status,
          ...(facts === undefined ? {} : { facts }),
          exit_code: exitCodeOf(status),
          message: reason,
          denied
        }
        const lines = facts === undefined ? "" : factLines(facts).join("\n")
        const parts = [lines, answer.trim(), answer.includes(reason) ? "" : reason].filter((part) => part !== "")
        return { text: parts.join("\n\n"), data, isError: status !== "done" } satisfies ServedResult
      }).pipe(serve)
  }
}

const diffTool = ({ project, serve }: ToolHost): ServedTool<typeof DiffParameters.Type> => ({
  name: "diff",
  description: "Shows what a run changed in the files of the project, as a patch that git apply takes.",
  parameters: DiffParameters,
  output: DiffOutput,
  hints: pure,
  execute: (given) =>
    servedRun(given.run_id, project).pipe(
      Effect.flatMap((runId) => changesOfRun(runId)),
      Effect.map(({ changes, outside, runId }): ServedResult => {
        const text = changes.length === 0 ? `The run ${runId} changed no file.` : patchOf(changes)
        return { text, data: { run_id: runId, changes, outside } as unknown as Data, isError: false }
      }),
      Effect.provide(layerRuns),
      serve
    )
})

const undoTool = ({ project, serve }: ToolHost): ServedTool<typeof UndoParameters.Type> => ({
  name: "undo",
  description:
    "Takes back what a run changed in the files of the project: all of it, or some files and folders. Nothing is undone where a file was changed since.",
  parameters: UndoParameters,
  output: UndoOutput,
  hints: undoing,
  execute: ({ paths = [], redo = false, run_id }) =>
    servedRun(run_id, project).pipe(
      Effect.flatMap((runId) => undoRun(runId, { paths, redo })),
      Effect.map((undone): ServedResult => {
        const text =
          undone.paths.length === 0 ? "Nothing to do: the files are already like that." : undone.paths.join("\n")
        return { text, data: { run_id: undone.runId, paths: undone.paths, outside: undone.outside }, isError: false }
      }),
      Effect.provide(layerRuns),
      serve
    )
})

/** The tools for one project. The configuration is read at the start, so that its errors are reported then. */
export const mcpServedTools = Effect.fn("mcpServedTools")(function* ({ flags, project, ...approved }: ServeOptions) {
  yield* readSetup(project, flags)
  const services = yield* Effect.context<NodeServices.NodeServices | Output>()
  const host: ToolHost = {
    newRun: (order) =>
      Effect.map(makeRunId, (runId) => ({ project, configuration: flags, order: { runId, ...order } })),
    project,
    flags,
    contextFor: ({ choose, report }) =>
      runContextOf({
        sink: listenTo(report),
        ...approved,
        approver: choose === undefined ? Approver.layerDenyAll : layerClientApprover(choose)
      }),
    serve: (work) =>
      Effect.provideContext(
        Effect.catch(work, (error) => Effect.succeed(failed(failureOf(error)))),
        services
      )
  }
  return [check, planTool(host), runTool(host), askTool(host), diffTool(host), undoTool(host)]
})
