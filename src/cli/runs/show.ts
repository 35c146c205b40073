/**
 * Implements `task-conductor show RUN`, which shows the plan, the results and the answer of a run, or one task with
 * `--task`.
 */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Clock from "effect/Clock"
import { factLines } from "../../domain/checks/Facts.ts"
import { TaskEvidence, type Attempt, type CallEvidence, type UnrunCall } from "../../domain/history/RunEvidence.ts"
import { readRun, readTask } from "../../app/savedRuns.ts"
import { overviewEvents, RunOverview, runOverview } from "../../domain/history/RunOverview.ts"
import { usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"
import { clusterFlag, storeOf } from "./runs.ts"
import { noPagerFlag, showLong } from "./Pager.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { harmless, printable } from "../../domain/text/Printable.ts"
import { runArgument, switchFlag, textFlag, withHelp } from "../terminal/Flags.ts"
import { fencedBlock } from "../../domain/markdown/PromptBlock.ts"
import { modelText, userText, repairText } from "../../domain/findings/IssueText.ts"
import { cachedText, cachedTokensOf, loadText, speedText } from "../../domain/models/TokenCounts.ts"
import { type DeniedCalls, finishedText } from "../../domain/plan/TaskResult.ts"
import { resultText } from "../../domain/models/OutputText.ts"
import { badExit, type ToolResult } from "../../domain/tools/ToolCall.ts"
import { counted, durationText, withoutProject, shortDurationText } from "../../domain/text/Format.ts"
import { wrapText } from "../../domain/text/TextWidth.ts"
import { makePaint } from "../terminal/Colour.ts"
import { standingText, whenText } from "./runList.ts"
import { attemptText } from "../../domain/runs/ActivityKey.ts"
import { toolCallText } from "../../domain/runs/CallText.ts"

const section = (heading: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`## ${heading}`, "", ...lines, ""]

const stateText = ({ denied, state }: Pick<TaskEvidence, "state"> & { readonly denied?: DeniedCalls | undefined }) =>
  state === "finished" ? finishedText(denied) : state === "open" ? "not done" : state

/** The state of the run, in one or two lines. */
const headLines = (overview: RunOverview, now: Date): ReadonlyArray<string> => {
  const { durationMs, exitCode, model, project, prompt, startedAt, status, tasks } = overview
  const finished = tasks.filter(({ state }) => state === "finished").length
  return [
    [
      standingText(status, makePaint(false)),
      ...(tasks.length === 0 ? [] : [`${finished}/${counted(tasks.length, "task")}`]),
      ...(durationMs === undefined ? [] : [durationText(durationMs)]),
      ...(exitCode === undefined ? [] : [`exit code ${exitCode}`])
    ].join(" · "),
    "",
    ...(startedAt === undefined ? [] : [`- Started: ${whenText(startedAt, now)}`]),
    ...(model === undefined ? [] : [`- Model: ${model}`]),
    `- Project: ${project}`,
    `- Prompt: ${firstLine(prompt)}`,
    ""
  ]
}

export const overviewText = (overview: RunOverview, now: Date): string => {
  const { answer, evidence, facts, message, plan, project, repairs = [], runId, tasks } = overview
  return [
    `# Run ${runId}`,
    "",
    ...headLines(overview, now),
    ...section("Plan", plan === "" ? ["There is none."] : [fencedBlock("", plan, "markdown").trim()]),
    ...section(
      "Tasks",
      tasks.map(
        ({ denied, name, state, text }) =>
          `- **${name}** ${stateText({ denied, state })}${text === "" ? "" : `: ${firstLine(withoutProject(text, project))}`}`
      )
    ),
    ...section("Why it ended", message === "" ? [] : [withoutProject(message, project)]),
    ...section(
      "Evidence",
      evidence === undefined
        ? []
        : [`Links checked: ${evidence.checked}. Wrong, and marked in the text: ${evidence.wrong}.`]
    ),
    ...section(
      "Repairs",
      repairs.map(({ code, syntax, times }) => `- ${code}${syntax === undefined ? "" : ` (${syntax})`}: ${times}`)
    ),
    ...section("Answer", answer === "" ? [] : [answer.trim()]),
    ...section(
      facts === undefined || facts.files.length === 0 ? "Facts" : "Changes",
      facts === undefined ? [] : factLines(facts)
    )
  ].join("\n")
}

const firstLine = (text: string): string => {
  const line = text.trim().split("\n")[0] ?? ""
  return line.length > 160 ? `${line.slice(0, 160)}...` : line
}

const block = (title: string, text: string, language: string): ReadonlyArray<string> => [
  fencedBlock(title, text, language).trim(),
  ""
]

const attemptLines = ({ answer, call, failures, issues, repairs, system, user }: Attempt): ReadonlyArray<string> => [
  `### ${call.stage}, round ${call.round}, ${attemptText(call)}`,
  "",
  answer === undefined
    ? "No answer came."
    : `${answer.usage.promptTokens ?? "?"} tokens in${cachedText(answer.usage)}, ${answer.usage.answerTokens ?? "?"} out${speedText(answer.usage)}${loadText(answer.usage)}, ${(answer.usage.durationMs / 1000).toFixed(1)} s`,
  "",
  ...failures.map((text) => `- failed: ${text}`),
  ...issues.flatMap((issue) => [`- issue ${userText(issue)}`, `  - the model was told: ${modelText(issue)}`]),
  ...repairs.map((repair) => `- repaired ${repairText(repair)}`),
  ...block("#### System part of the prompt", system, "text"),
  ...block("#### User part of the prompt", user, "text"),
  ...(answer === undefined ? [] : block("#### Answer", answer.text, "markdown"))
]

const argumentLines = ({ call }: Pick<CallEvidence, "call">, more: string): ReadonlyArray<string> => [
  `### ${call.name} (${call.uid}), ${more}`,
  "",
  ...block("#### Arguments", JSON.stringify(call.arguments, null, 2), "json")
]

const failedLines = ({ error_message, error_type }: ToolResult, time: string): ReadonlyArray<string> =>
  block(`#### Failed: ${error_type}${time}`, error_message ?? "", "text")

const callLines = (evidence: CallEvidence): ReadonlyArray<string> => {
  const { result, risk, targets } = evidence
  const head = argumentLines(evidence, `${risk}${targets.length === 0 ? "" : `: ${targets.join(", ")}`}`)
  if (result === undefined) return [...head, "It did not finish.", ""]
  const time = `, ${result.metadata.execution_time_ms} ms`
  const notes = result.log === undefined ? [] : block("#### Notes of the tool", result.log.join("\n"), "text")
  return result.success
    ? [...head, ...block(`#### ${badExit(result) ?? "Output"}${time}`, resultText(result), "text"), ...notes]
    : [...head, ...failedLines(result, time), ...notes]
}

const unrunLines = (unrun: UnrunCall): ReadonlyArray<string> => [
  ...argumentLines(unrun, "was not run"),
  ...failedLines(unrun.result, "")
]

export const evidenceText = ({
  attempts,
  calls,
  failures,
  references,
  result,
  task,
  unrun = []
}: TaskEvidence): string =>
  [
    `# Task ${task}`,
    "",
    ...section(
      "References",
      references.map(
        ({ characters, hash, href, title, tokens }) =>
          `- [${title}](${href}) ${characters} characters, about ${tokens} tokens, sha256 ${hash.slice(0, 16)}`
      )
    ),
    ...section("Tool calls", [...calls.flatMap(callLines), ...unrun.flatMap(unrunLines)]),
    ...section("Model calls", attempts.flatMap(attemptLines)),
    ...section(
      "Failures",
      failures.map((text) => `- ${text}`)
    ),
    ...section("Result", result === undefined ? ["There is none."] : [result.trim()])
  ].join("\n")

const reasonText = ({ error_message, error_type }: ToolResult, project: string): string =>
  withoutProject(firstLine(error_message ?? error_type), project)

const callLine = ({ call, result, targets }: CallEvidence, project: string): string => {
  const what = firstLine(toolCallText(call, targets, project))
  if (result === undefined) return `- ${what}: did not finish`
  if (!result.success) return `- ${what}: failed, ${reasonText(result, project)}`
  const { data_size_bytes, execution_time_ms } = result.metadata
  const exit = badExit(result)
  return `- ${what}: ${exit === undefined ? "" : `${exit}, `}${counted(data_size_bytes, "byte")}, ${shortDurationText(execution_time_ms)}`
}

/** The line about a call that did not run. For a denied call, the reason already says that it did not run. */
const unrunLine = ({ call, result }: UnrunCall, project: string): string =>
  `- ${firstLine(toolCallText(call, [], project))}: ${result.error_type === "permission_denied" ? "" : "not run, "}${reasonText(result, project)}`

/** Lines about the model's calls: their number, their cost, and what was wrong with the answers. */
const modelLines = ({ attempts }: TaskEvidence): ReadonlyArray<string> => {
  if (attempts.length === 0) return []
  const usages = attempts.flatMap(({ answer }) => (answer === undefined ? [] : [answer.usage]))
  const sum = (of: (usage: (typeof usages)[number]) => number) => usages.reduce((total, one) => total + of(one), 0)
  const cost = [
    `${sum(({ promptTokens = 0 }) => promptTokens)} tokens in${cachedText(cachedTokensOf(usages))}`,
    `${sum(({ answerTokens = 0 }) => answerTokens)} out`,
    shortDurationText(sum(({ durationMs }) => durationMs))
  ].join(", ")
  /* Models repeat mistakes, so each mistake is shown once, with a count. */
  const findings = new Map<string, number>()
  for (const { call, issues } of attempts) {
    for (const text of new Set(issues.map((issue) => `${call.stage}: ${userText(issue)}`)))
      findings.set(text, (findings.get(text) ?? 0) + 1)
  }
  return [
    `- ${counted(attempts.length, "call")}: ${cost}`,
    ...[...findings].map(([text, times]) => `- not usable in ${counted(times, "answer")}, ${text}`)
  ]
}

/** What is known about a task, with paths relative to the project. */
export const taskText = (evidence: TaskEvidence, project: string): string => {
  const { calls, failures, filesWritten, references, skill, summary, task, unrun = [], whatIsNeeded } = evidence
  return [
    `# Task ${task}`,
    "",
    `${stateText(evidence)}${skill === undefined ? "" : ` · skill ${skill}`}`,
    "",
    ...section("Purpose", whatIsNeeded === undefined ? [] : [whatIsNeeded.trim()]),
    ...section("Result", summary === undefined ? [] : [summary.trim()]),
    ...section(
      "Why there is no result",
      [...new Set(failures)].map((text) => `- ${withoutProject(text, project)}`)
    ),
    ...section("Calls", [
      ...calls.map((call) => callLine(call, project)),
      ...unrun.map((call) => unrunLine(call, project))
    ]),
    ...section("Files", [
      ...references.map(({ characters, href, title }) => `- read [${title}](${href}), ${characters} characters`),
      ...filesWritten.map((path) => `- wrote ${withoutProject(path, project)}`)
    ]),
    ...section("Model", modelLines(evidence)),
    "--prompts also shows the prompts, answers, calls and results."
  ].join("\n")
}

const json = <A>(schema: Schema.Codec<A, unknown>, value: A): string =>
  outputJson(Schema.encodeSync(Schema.toCodecJson(schema))(value), 2)

export const show = Command.make(
  "show",
  {
    run: runArgument,
    task: textFlag("task", "NAME", 'Show one task with its purpose, result, calls and files: --task "Research 1"').pipe(
      Flag.optional
    ),
    prompts: switchFlag("prompts", "With --task: also the prompts, answers, calls and results"),
    cluster: clusterFlag,
    noPager: noPagerFlag,
    json: switchFlag("json", "Print one JSON object")
  },
  Effect.fn("show")(function* (flags) {
    const { answer, emit, isWatched, result, resultColumns } = yield* Output
    /* The pager writes to the terminal itself, so control characters are escaped first. */
    const print = (text: string) =>
      showLong(isWatched ? harmless(text) : text, { noPager: flags.noPager, print: answer })
    if (flags.prompts && Option.isNone(flags.task)) {
      return yield* usageFailure('--prompts shows those of one task. Name it: --task "Search 1".')
    }
    const reportLeftOut = (what: string | undefined) =>
      what === undefined ? Effect.void : emit(`note: ${printable(what)}`)
    if (Option.isNone(flags.task)) {
      const { head, leftOut, records } = yield* Effect.provide(
        readRun(flags.run, undefined, ({ event }) => overviewEvents.has(event)),
        storeOf(flags.cluster)
      )
      const overview = runOverview(records, head)
      yield* reportLeftOut(leftOut)
      if (flags.json) return yield* result(json(RunOverview, overview))
      const now = new Date(yield* Clock.currentTimeMillis)
      return yield* print(wrapText(overviewText(overview, now), resultColumns()))
    }
    const { evidence, leftOut, project } = yield* Effect.provide(
      readTask(flags.run, flags.task.value),
      storeOf(flags.cluster)
    )
    yield* reportLeftOut(leftOut)
    if (flags.json) return yield* result(json(TaskEvidence, evidence))
    yield* print(flags.prompts ? evidenceText(evidence) : wrapText(taskText(evidence, project), resultColumns()))
  })
).pipe(
  withHelp("Show the plan, the tasks and the answer of a run, or the evidence of one task", {
    "task-conductor show last": "Show plan, results and answer of the newest run of this project",
    'task-conductor show last --task "Search 1"': "Show its purpose, result, calls and files"
  })
)
