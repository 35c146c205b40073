/**
 * One prompt from the request to the answer: plan, rounds (tasks, iteration), conclude. The stages return values;
 * this service runs them in order and turns every ending into a report.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { usualHelp } from "../../domain/findings/IssueText.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import {
  type Outcome,
  followableAnswer,
  interruptedText,
  modelOutcome,
  outcome,
  outcomeOf,
  withChecks
} from "../../domain/runs/RunOutcome.ts"
import { Journal } from "../journal/Journal.ts"
import { Gate } from "../permissions/Gate.ts"
import { makeRunState, type RunState } from "../runs/RunState.ts"
import { causeText } from "../tools/ForeignCode.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { makeConcluder } from "./Concluder.ts"
import { Pipeline } from "./Pipeline.ts"
import { makePreparation, type Prepared } from "./Planner.ts"
import { makeRounds } from "./Rounds.ts"
import { makeRunReporter } from "./RunReporter.ts"

export const layerRunFlow = Layer.effect(
  Pipeline,
  Effect.gen(function* () {
    const prepare = yield* makePreparation
    const runRounds = yield* makeRounds
    const { concludeRun } = yield* makeConcluder
    const reporter = yield* makeRunReporter
    const gate = yield* Gate
    const journal = yield* Journal
    const toolRunner = yield* ToolRunner

    /** plan -> rounds (tasks | iterate) -> conclude */
    const work = Effect.fnUntraced(function* (order: RunOrder, { createTaskList }: Prepared, state: RunState) {
      const { briefing, list } = yield* createTaskList
      const { taskList } = list
      yield* state.setGoals(taskList.goals)
      const ended = yield* runRounds(briefing, taskList, state)
      const { outputSchema, runId } = order
      const answer = yield* concludeRun({ briefing, outputSchema }, ended, state)
      const { checks, results } = yield* state.get
      const text = outputSchema === undefined ? followableAnswer(answer.text, results, runId) : answer.text
      const outcome = outcomeOf(ended.end, text, { ...ended, denials: yield* gate.denials, runId })
      const checked = order.acceptUnverified === true ? outcome : withChecks(outcome, checks)
      return { ...checked, evidence: answer.evidence }
    })

    /** The outcome of the work, however it ends. */
    const workToOutcome = (order: RunOrder, prepared: Prepared, state: RunState) =>
      work(order, prepared, state).pipe(
        // Nothing more may be started when the journal cannot be written.
        Effect.raceFirst(journal.failed),
        Effect.raceFirst(Effect.map(toolRunner.stopped, (why) => outcome("not_permitted", why))),
        Effect.catchTags({
          AttemptsExhausted: ({ message }) =>
            Effect.succeed(outcome("failed", `No valid answer ${message} ${usualHelp}`)),
          JournalError: ({ message }) => Effect.succeed(outcome("failed", message)),
          NoValidPlan: ({ issues, message }) => Effect.succeed(outcome("no_valid_plan", message, issues)),
          ModelError: (error) => Effect.succeed(modelOutcome(error))
        })
      )

    const run = Effect.fn("Pipeline.run")(function* (order: RunOrder) {
      yield* gate.noteSaid(`${order.prompt}\n${order.plan ?? ""}`)
      const prepared = yield* Effect.raceFirst(prepare(order), journal.failed)
      const state = yield* makeRunState
      yield* reporter.start(order, prepared.briefing)
      const finish = (end: Outcome) => reporter.finish(order, state, end)
      return yield* workToOutcome(order, prepared, state).pipe(
        Effect.flatMap(finish),
        Effect.onInterrupt(() => finish(outcome("interrupted", interruptedText))),
        // The finished results are reported despite the defect, and the defect is passed on to the caller.
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
