/**
 * Implements `task-conductor run [PROMPT]`, which carries out a prompt, and `task-conductor plan PROMPT`, which only
 * makes, checks and prints the task list.
 */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { NewRun } from "../../app/RunContext.ts"
import { beginRun, planRun } from "../../app/runs.ts"
import { mergeConfigurations } from "../../domain/configuration/Configuration.ts"
import { makeRunId } from "../../services/runs/RunId.ts"
import { showOwnRun } from "../terminal/outcome.ts"
import { runContextOf } from "../terminal/runContext.ts"
import { present, switchFlag, textFlag, wholeNumberFlag, withHelp } from "../terminal/Flags.ts"
import { checkDocument } from "../../domain/documents/CheckReport.ts"
import { progressSink } from "../terminal/EventSink.ts"
import {
  plainFlag,
  verboseFlag,
  flagConfiguration,
  orderFiles,
  checkConfiguration,
  checkFlags,
  endFlags,
  runFlags,
  attachFlag,
  runConfiguration,
  outcomeFlags,
  answerFlags
} from "./runFlags.ts"
import { readAttachment, readOutputSchema, readPrompt } from "./promptInput.ts"
import { Output } from "../terminal/Output.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { promptOfPlan } from "../../domain/documents/TaskListFormat.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { readInput } from "../terminal/Input.ts"
import { showSharedRun } from "./sharedRuns.ts"

export const plan = Command.make(
  "plan",
  {
    ...runFlags,
    ...attachFlag,
    json: switchFlag("json", "Print one JSON object: the list as markdown and in the form of check --json"),
    plain: plainFlag,
    verbose: verboseFlag
  },
  Effect.fn("plan")(function* (options) {
    const { answer, result } = yield* Output
    const prompt = yield* readPrompt(options)
    const flags = flagConfiguration(options)
    const order = { runId: yield* makeRunId, prompt, ...orderFiles(options), ...(yield* readAttachment(options)) }
    const sink = yield* progressSink(options.verbose, { isPlain: options.plain })
    const context = yield* runContextOf({ sink, approveSteps: false })
    const { markdown } = yield* planRun({ project: options.project, configuration: flags, order }, context)
    if (!options.json) return yield* answer(markdown)
    yield* result(outputJson({ markdown, ...checkDocument("task-list", markdown) }))
  })
).pipe(
  withHelp("Make a task list for a prompt, check it, and print it. Run it with run --plan", {
    'task-conductor plan "Find dead code" > plan.md': "Write a plan to a file",
    'task-conductor plan --model qwen3:8b --json "Find dead code"': "Print a plan as JSON"
  })
)

const allFlags = {
  ...runFlags,
  skill: textFlag("skill", "NAME", "Skip planning: one task with this skill: --skill search-code").pipe(Flag.optional),
  plan: textFlag("plan", "FILE", "Skip planning: run this task list: --plan plan.md").pipe(Flag.optional),
  readOnly: switchFlag(
    "read-only",
    "Change nothing, even if a rule allows it. The summary lists what was left out. Such a run can work beside other runs in its project"
  ),
  ...checkFlags,
  ...endFlags,
  cluster: switchFlag("cluster", "Run on the workers that use the database in TASK_CONDUCTOR_DATABASE"),
  priority: wholeNumberFlag(
    "priority",
    [-100, 100],
    "With --cluster: runs of a higher priority come first; those of one priority take turns"
  ),
  ...answerFlags,
  ...outcomeFlags
}

export const run = Command.make(
  "run",
  allFlags,
  Effect.fn("run")(function* (options) {
    if (Option.isSome(options.skill) && Option.isSome(options.plan)) {
      return yield* usageFailure("--skill and --plan exclude each other: both say what the tasks are. Leave one out.")
    }
    const hasPrompt = Option.isSome(options.prompt) || Option.isSome(options.promptFile)
    const prompt = hasPrompt || Option.isNone(options.plan) ? yield* readPrompt(options) : undefined
    const file = Option.getOrUndefined(options.plan)
    const plan = file === undefined ? undefined : yield* readInput(file)
    if (options.noCheck && options.check.length > 0) {
      return yield* usageFailure("--check and --no-check exclude each other. Leave one out.")
    }
    const flags = mergeConfigurations(runConfiguration(options), checkConfiguration(options))
    const order = {
      runId: yield* makeRunId,
      prompt: prompt ?? promptOfPlan(plan ?? "", file ?? ""),
      ...(plan === undefined ? {} : { plan }),
      ...(yield* readOutputSchema(options)),
      ...(yield* readAttachment(options, Option.isSome(options.plan))),
      ...orderFiles(options),
      ...present({ skill: options.skill }),
      ...(options.readOnly ? { readOnly: true } : {}),
      ...(options.acceptUnverified ? { acceptUnverified: true } : {})
    }
    const run: NewRun = { project: options.project, configuration: flags, order }
    if (options.cluster)
      return yield* showSharedRun(options, { type: "start", run, ...present({ priority: options.priority }) })
    if (Option.isSome(options.priority))
      return yield* usageFailure("--priority needs --cluster. Add that, or leave --priority out.")
    return yield* showOwnRun(options, (context) => beginRun(run, context))
  })
).pipe(
  withHelp("Plan the work for a prompt, check the plan, carry it out, and answer", {
    'task-conductor run "Where are the limits of a run defined?"':
      "Answer a question with the model of your configuration; without one, choose from a list",
    'task-conductor run --model qwen3:8b --file src/parser.ts "Add a test for empty input"':
      "Use a model of the Ollama server; asks before it changes anything",
    "task-conductor run --plan plan.md --json": "Run a plan file and print events as JSON Lines"
  })
)
