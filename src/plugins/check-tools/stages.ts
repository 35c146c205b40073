/**
 * The commands `refine PLAN --task NAME`, `execute REFINEMENT` and `iterate PLAN`. Each reads files, runs one stage,
 * and prints its document.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as stages from "./stagesInProject.ts"
import {
  checkDocument,
  promptOfPlan,
  renderTaskReport,
  renderTaskList,
  reportOfTurn,
  TaskFailure
} from "../../kit/documents.ts"
import { userPartMarker } from "../../kit/models.ts"
import type { RunContext } from "../../kit/program.ts"
import { exitCodeOf } from "../../kit/runs.ts"
import {
  approvalFlags,
  approvedBeforehand,
  CommandFailure,
  exitCodes,
  flagConfiguration,
  modelFlags,
  Output,
  plainFlag,
  progressSink,
  quietFailure,
  readInput,
  runContextOf,
  runFlags,
  switchFlag,
  textFlag,
  usageFailure,
  verboseFlag,
  withHelp
} from "../../kit/terminal.ts"
import type { GivenResult } from "./SingleStages.ts"

const stageFlags = {
  result: textFlag(
    "result",
    "PATH",
    "The result of a finished task, in a file named after the task, or a folder of such files: --result results/research-1.md; repeatable"
  ).pipe(Flag.atLeast(0)),
  model: runFlags.model,
  ...modelFlags,
  project: runFlags.project,
  allow: runFlags.allow,
  deny: runFlags.deny,
  plugin: runFlags.plugin,
  printPrompt: switchFlag("print-prompt", "Print the prompt instead of sending it to the model"),
  json: switchFlag("json", "Print one JSON object"),
  plain: plainFlag,
  verbose: verboseFlag
}
type StageFlags = Command.Command.Config.Infer<typeof stageFlags>

const planStageFlags = {
  plan: Argument.String("PLAN").pipe(Argument.withDescription("The file of the task list; - is stdin")),
  file: runFlags.file,
  ...stageFlags
}

/** The file that `--result` names, or all `*.md` files if it names a folder. */
const filesAt = Effect.fnUntraced(function* (fileOrFolder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = yield* Effect.option(fs.readDirectory(fileOrFolder))
  if (Option.isNone(names)) return [fileOrFolder]
  const files = names.value.filter((name) => name.endsWith(".md")).toSorted()
  if (files.length === 0)
    return yield* usageFailure(`There is no result in ${fileOrFolder}. Results are files NAME.md.`)
  return files.map((name) => path.join(fileOrFolder, name))
})

const readResults = Effect.fnUntraced(function* ({ result }: StageFlags) {
  const path = yield* Path.Path
  const files = (yield* Effect.forEach(result, filesAt)).flat()
  return yield* Effect.forEach(files, (file) =>
    Effect.map(readInput(file), (document): GivenResult => ({ name: path.basename(file, ".md"), document }))
  )
})

/** What a stage needs: the plan, the prompt, the user's file, and results of finished tasks. */
const readPlanStage = Effect.fnUntraced(function* (flags: Command.Command.Config.Infer<typeof planStageFlags>) {
  const results = yield* readResults(flags)
  const plan = yield* readInput(flags.plan)
  return {
    plan,
    prompt: promptOfPlan(plan, flags.plan),
    results,
    currentFile: Option.getOrUndefined(flags.file)
  }
})

const unavailable = new Set(["Unreachable", "NotSecure", "ModelMissing", "Refused", "Busy"])

/** Converts a failed task to the failure of the command. */
const endOf = ({ cause, message }: TaskFailure): CommandFailure => {
  const isUnavailable = cause?._tag === "ModelFailed" && unavailable.has(cause.reason)
  const status = isUnavailable ? "unavailable" : cause?._tag === "Denied" ? "not_permitted" : "failed"
  return new CommandFailure({ exitCode: exitCodeOf(status), text: message })
}

const asEnd = <E>(error: E) => (error instanceof TaskFailure ? endOf(error) : error)

/** Runs a stage. With --print-prompt, prints its prompt instead and returns undefined. */
const workOf = Effect.fnUntraced(function* <Order extends stages.StageOrder, A, E, R>(
  flags: StageFlags,
  order: Order,
  work: (order: Order, place: stages.StagePlace, context: RunContext) => Effect.Effect<A, E, R>,
  approved: ReturnType<typeof approvedBeforehand> = { approveSteps: false, yes: false }
) {
  const place = { project: flags.project, configuration: flagConfiguration({ ...flags, parallel: Option.none() }) }
  const sink = yield* progressSink(flags.verbose, { isPlain: flags.plain })
  const context = yield* runContextOf({ sink, ...approved })
  if (!flags.printPrompt) return yield* Effect.mapError(work(order, place, context), asEnd)
  const { result } = yield* Output
  const prompt = yield* Effect.mapError(stages.promptOfStage(order, place, context), asEnd)
  yield* result(flags.json ? JSON.stringify(prompt) : `${prompt.system}\n\n${userPartMarker}\n\n${prompt.user}`)
})

/** Prints the document, or with `--json` all data as one object. */
const print = Effect.fnUntraced(function* (markdown: string, json: boolean, more: object) {
  const { answer, result } = yield* Output
  yield* json ? result(JSON.stringify({ markdown, ...more })) : answer(markdown.trimEnd())
})

export const refine = Command.make(
  "refine",
  {
    task: textFlag("task", "NAME", 'The task to refine: --task "Research 1"'),
    ...planStageFlags
  },
  Effect.fn("refine")(function* (flags) {
    const order = { stage: "refine" as const, task: flags.task, ...(yield* readPlanStage(flags)) }
    const refinement = yield* workOf(flags, order, stages.refine)
    if (refinement === undefined) return
    const report = reportOfTurn({ value: Option.some(refinement), issues: [], repairs: [] })
    yield* print(renderTaskReport(refinement), flags.json, report)
  })
).pipe(
  withHelp("Refine one task of a plan into tool calls, check them, and print them. Changes nothing", {
    'task-conductor refine plan.md --task "Research 1" > research-1.refinement.md': "Write a refinement to a file",
    'task-conductor refine plan.md --task "Sum 1" --result results --print-prompt':
      "Show the prompt of a task that refers to results"
  })
)

/** Makes the calls of a refinement and prints the result. Fails afterwards if a call was denied. */
export const execute = Command.make(
  "execute",
  {
    refinement: Argument.String("REFINEMENT").pipe(Argument.withDescription("The file of the refinement; - is stdin")),
    ...approvalFlags,
    ...stageFlags
  },
  Effect.fn("execute")(function* (flags) {
    const results = yield* readResults(flags)
    const order = { stage: "execute" as const, refinement: yield* readInput(flags.refinement), results }
    const executed = yield* workOf(flags, order, stages.execute, approvedBeforehand(flags))
    if (executed === undefined) return
    const { failures, outcome, result } = executed
    const { message, status } = outcome
    if (result !== undefined || flags.json) {
      yield* print(result?.result.document ?? "", flags.json, { status, message, calls: result?.calls ?? [] })
    }
    const [failure] = failures
    if (failure !== undefined) return yield* endOf(failure)
    if (status !== "done") return yield* new CommandFailure({ exitCode: exitCodeOf(status), text: message })
  })
).pipe(
  withHelp(
    "Make the calls of a refinement, asking what a run would ask, and print the result. With --print-prompt the calls are made too",
    {
      "task-conductor execute research-1.refinement.md --allow read_file > results/research-1.md":
        "Write a result to a file"
    }
  )
)

export const iterate = Command.make(
  "iterate",
  planStageFlags,
  Effect.fn("iterate")(function* (flags) {
    const order = { stage: "iterate" as const, ...(yield* readPlanStage(flags)) }
    const iterated = yield* workOf(flags, order, stages.iterate)
    if (iterated === undefined) return
    const { finished, isRevised, list } = iterated
    // No message, because the progress has shown the reason.
    if (!isRevised) return yield* quietFailure(exitCodes.noValidPlan)
    const markdown = renderTaskList(list, { prompt: order.prompt })
    yield* print(markdown, flags.json, checkDocument("task-list", markdown, { finished }))
  })
).pipe(
  withHelp("Ask the model which tasks remain after some results, and print them as a task list. Changes nothing", {
    "task-conductor iterate plan.md --result results > next.md": "Write what is left to a file"
  })
)
