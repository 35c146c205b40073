/**
 * Runs one prompt from the request to the answer: plan, rounds, conclusion. Turns every ending into a report. Emits the
 * first event with its warnings, and the last event.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { usualHelp } from "../../domain/findings/IssueText.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import {
  type Outcome,
  followableAnswer,
  interruptedText,
  modelOutcome,
  outcome,
  outcomeOf,
  withChecks,
  withLooks
} from "../../domain/runs/RunOutcome.ts"
import { Journal } from "../journal/Journal.ts"
import { RunAnswers } from "../permissions/RunAnswers.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { makeRunState, type RunState } from "../runs/RunState.ts"
import { causeText } from "../tools/ForeignCode.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { makeCheckTrial } from "./CheckTrial.ts"
import { makeConcluder } from "./Concluder.ts"
import { Pipeline } from "./Pipeline.ts"
import { makePreparation, type Prepared } from "./Planner.ts"
import { makeRounds } from "./Rounds.ts"
import { requestOf } from "./TaskStage.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import { stageModelsOf } from "../../domain/models/Generation.ts"
import { RecordedTool, toolsKey, toolsToRecord } from "../../domain/journal/RecordedTool.ts"
import { falseClaim } from "../../domain/checks/CheckClaims.ts"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import { type ClaimFact, hasFacts, runFacts } from "../../domain/checks/Facts.ts"
import { type EvidenceCount, openFailures, type TaskResult } from "../../domain/plan/TaskResult.ts"
import { type CallOutcome, ranWell } from "../../domain/tools/ToolCall.ts"
import { exitCodeOf, type RunReport } from "../../domain/runs/RunReport.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { deniedFact } from "../permissions/GateQuestion.ts"
import { ResumeNotes } from "./ResumeNotes.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

const sumOfEvidence = (counts: ReadonlyArray<EvidenceCount>): EvidenceCount => ({
  checked: counts.reduce((sum, { checked }) => sum + checked, 0),
  wrong: counts.reduce((sum, { wrong }) => sum + wrong, 0)
})

/** A statement about checks that contradicts their outcomes. */
const claimIn = (
  task: string,
  text: string,
  checks: ReadonlyArray<CheckOutcome>,
  calls: ReadonlyArray<CallOutcome>
): ReadonlyArray<ClaimFact> => {
  const claim = falseClaim(text, checks, calls.some(ranWell))
  return claim === undefined ? [] : [{ task, ...claim }]
}

/** The false statements about checks in all reports and in the answer, each once. */
const allClaims = (
  results: ReadonlyArray<TaskResult>,
  answer: string,
  checks: ReadonlyArray<CheckOutcome>
): ReadonlyArray<ClaimFact> => {
  const ofTasks = results.flatMap(({ calls, checks = [], name, result }) =>
    claimIn(name, result.document, checks, calls)
  )
  const calls = results.flatMap((result) => result.calls)
  const ofAnswer = claimIn("the answer", answer, checks, calls)
  return [...ofTasks, ...ofAnswer.filter(({ claim }) => !ofTasks.some((one) => one.claim === claim))]
}

const makeRunReporter = Effect.gen(function* () {
  const activities = yield* Activities
  const events = yield* RunEvents
  const answers = yield* RunAnswers
  const foreign = toolsToRecord((yield* ToolRegistry).tools)
  const settings = yield* RunSettings
  const { model } = settings
  const stageModels = settings.model === "embedded" ? {} : stageModelsOf(settings)
  const meter = yield* UsageMeter
  const { root: project } = yield* Workspace
  const resumeNotes = Effect.provideContext((yield* ResumeNotes).read, yield* Effect.context<RunSettings | Workspace>())

  const warn = ({ notes = [] }: Briefing) =>
    Effect.forEach(notes, (text) => events.publish({ type: "message", level: "warning", text }), { discard: true })

  /** Emits `run.started`, and the notes about the briefing and about a resumed run. */
  const start = Effect.fnUntraced(function* ({ prompt, runId }: RunOrder, briefing: Briefing) {
    yield* events.publish({ type: "run.started", version: 2, runId, project, model, ...stageModels, prompt })
    yield* warn(briefing)
    if (foreign.length > 0) {
      yield* activities.record({ key: toolsKey, success: Schema.Array(RecordedTool) }, Effect.succeed(foreign))
    }
    for (const note of yield* resumeNotes) yield* events.publish({ type: "message", level: "warning", ...note })
  })

  const finish = Effect.fnUntraced(function* ({ runId }: RunOrder, state: RunState, outcome: Outcome) {
    const { evidence: ofAnswer, notDone = [], ...ending } = outcome
    const { message } = ending
    /* An end that the user chose is no error. */
    const isChosen = ending.status === "declined" || ending.status === "interrupted"
    const level = isChosen ? "info" : "error"
    if (message !== "") yield* events.publish({ type: "message", level, text: message })
    const usage = yield* meter.total
    const { checks, declined, isStale, ...progress } = yield* state.get
    const failures = openFailures(progress.failures, progress.results)
    const failed = new Set<string>(failures.map(({ task }) => task))
    const facts = runFacts(
      progress.results.flatMap(({ files = [] }) => files),
      checks,
      {
        declined,
        isStale,
        denied: (yield* answers.denials).map((one) => deniedFact(one, project)),
        notDone: [
          ...failures.map(({ reason, task }) => ({ task, why: reason })),
          ...notDone.filter(({ task }) => !failed.has(task))
        ],
        seen: progress.results.flatMap(({ seen = [] }) => seen),
        claims: allClaims(progress.results, outcome.answer, checks),
        unfounded: progress.results.flatMap(({ name, unfounded = false }) => (unfounded ? [name] : []))
      }
    )
    const evidence = sumOfEvidence(
      [ofAnswer ?? [], ...progress.results.map(({ result }) => result.evidence ?? [])].flat()
    )
    const report: RunReport = {
      runId,
      ...ending,
      ...progress,
      failures,
      ...(hasFacts(facts) ? { facts } : {}),
      ...(evidence.checked === 0 ? {} : { evidence }),
      usage
    }
    yield* events.publish({ type: "run.finished", exitCode: exitCodeOf(report.status), report })
    return report
  })

  return { start, warn, finish }
})

export const layerRunFlow = Layer.effect(
  Pipeline,
  Effect.gen(function* () {
    const prepare = yield* makePreparation
    const runRounds = yield* makeRounds
    const { concludeRun } = yield* makeConcluder
    const triedDuring = yield* makeCheckTrial
    const reporter = yield* makeRunReporter
    const answers = yield* RunAnswers
    const readTexts = yield* ReadTexts
    const journal = yield* Journal
    const settings = yield* RunSettings
    const toolRunner = yield* ToolRunner

    const work = Effect.fnUntraced(function* (order: RunOrder, { createTaskList }: Prepared, state: RunState) {
      const { briefing, list } = yield* triedDuring(order, createTaskList)
      const { taskList } = list
      yield* state.setGoals(taskList.goals)
      const tasks = taskList.tasks.map((task) => requestOf({ briefing, task }))
      yield* state.setRequest([taskList.goals, ...tasks].join("\n"))
      const ended = yield* runRounds(briefing, taskList, state)
      const { outputSchema, runId } = order
      const answer = yield* concludeRun({ briefing, outputSchema }, ended, state)
      const { checks, results } = yield* state.get
      const hasChanged = results.some(({ files = [] }) => files.length > 0)
      const isNamed = settings.namesChecks === true
      const text = outputSchema === undefined ? followableAnswer(answer.text, results, runId) : answer.text
      const outcome = outcomeOf(ended.end, text, { ...ended, denials: yield* answers.denials, runId })
      const looked = withLooks(outcome, results)
      const checked = order.acceptUnverified === true ? looked : withChecks(looked, { checks, hasChanged, isNamed })
      return { ...checked, evidence: answer.evidence }
    })

    const workToOutcome = (order: RunOrder, prepared: Prepared, state: RunState) =>
      work(order, prepared, state).pipe(
        // If the journal can no longer be written, the run ends and starts nothing more.
        Effect.raceFirst(journal.failed),
        Effect.raceFirst(Effect.map(toolRunner.stopped, (why) => outcome("not_permitted", why))),
        Effect.catchTags({
          AttemptsExhausted: ({ issues, message, unable }) =>
            Effect.succeed(
              unable === undefined
                ? outcome("failed", `No valid answer ${message} ${usualHelp}`, issues)
                : outcome("limit", `No valid answer ${message}`, issues)
            ),
          JournalError: ({ message }) => Effect.succeed(outcome("failed", message)),
          NoValidPlan: ({ issues, message }) => Effect.succeed(outcome("no_valid_plan", message, issues)),
          ModelError: (error) => Effect.succeed(modelOutcome(error))
        })
      )

    const run = Effect.fn("Pipeline.run")(function* (order: RunOrder) {
      yield* readTexts.noteSaid(`${order.prompt}\n${order.plan ?? ""}`)
      const prepared = yield* Effect.raceFirst(prepare(order), journal.failed)
      const state = yield* makeRunState
      yield* reporter.start(order, prepared.briefing)
      const finish = (end: Outcome) => reporter.finish(order, state, end)
      return yield* workToOutcome(order, prepared, state).pipe(
        Effect.flatMap(finish),
        Effect.onInterrupt(() => finish(outcome("interrupted", interruptedText))),
        // After a defect, reports the finished results and passes the defect on to the caller.
        Effect.onError((cause) =>
          Cause.hasDies(cause) ? finish(outcome("failed", `The run broke off: ${causeText(cause)}`)) : Effect.void
        )
      )
    })

    const plan = Effect.fn("Pipeline.plan")(function* (order: RunOrder) {
      const { briefing, createTaskList } = yield* prepare(order)
      yield* reporter.warn(briefing)
      return (yield* createTaskList).list
    })

    return Pipeline.of({ run, plan })
  })
)
