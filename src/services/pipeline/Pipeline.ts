/**
 * One prompt from the request to the answer: plan, rounds (refine, run, iterate), conclude. The stages return values; here
 * they are put in order, and every way to end becomes a report.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Briefing } from "../../domain/models/Briefing.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { NoValidPlan, RunOrder, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import { modelOutcome, type Outcome, outcome, outcomeOf, type RoundsEnd } from "../../domain/runs/RunOutcome.ts"
import type { RunReport } from "../../domain/runs/RunReport.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Gate } from "../permissions/Gate.ts"
import { causeText } from "../plugins/ForeignCode.ts"
import { makeRunState, type RunState } from "../runs/RunState.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import type { BriefingError } from "./Briefer.ts"
import { Concluder } from "./Concluder.ts"
import { type CheckedTaskList, Preparation, type Prepared } from "./Preparation.ts"
import { Rounds } from "./Rounds.ts"
import { RunReporter } from "./RunReporter.ts"

export class Pipeline extends Context.Service<
  Pipeline,
  {
    /** Runs to the end. Every outcome but a refused order is a report; the last event holds the report, also when interrupted or broken off. */
    run(order: RunOrder): Effect.Effect<RunReport, UnknownSkill | BriefingError | JournalError>
    /** Stops after the checked task list. */
    plan(order: RunOrder): Effect.Effect<CheckedTaskList, NoValidPlan | ModelError | BriefingError | UnknownSkill>
  }
>()("task-conductor/services/pipeline/Pipeline") {
  static readonly layer = Layer.effect(
    Pipeline,
    Effect.gen(function* () {
      const preparation = yield* Preparation
      const rounds = yield* Rounds
      const concluder = yield* Concluder
      const reporter = yield* RunReporter
      const gate = yield* Gate
      const journal = yield* Journal
      const toolRunner = yield* ToolRunner

      /** A run that stopped at a gate waits for a person; every other one answers with what it has. */
      const conclude = Effect.fnUntraced(function* (briefing: Briefing, state: RunState, end: RoundsEnd) {
        const { goals, results: finished, failures, rounds: round } = yield* state.get
        if (end._tag === "Declined" || finished.length === 0) return ""
        return yield* concluder.conclude({ briefing, round, goals, finished, failures })
      })

      /** plan -> rounds (refine | run | iterate) -> conclude */
      const work = Effect.fnUntraced(function* ({ briefing, createTaskList }: Prepared, state: RunState) {
        const { taskList } = yield* createTaskList
        yield* state.setGoals(taskList.goals)
        const end = yield* rounds.run(briefing, taskList, state)
        const answer = yield* conclude(briefing, state, end)
        return outcomeOf(end, answer, yield* gate.denials)
      })

      /** The outcome of the work, whatever ends it. */
      const workToOutcome = (prepared: Prepared, state: RunState) =>
        work(prepared, state).pipe(
          // Without a journal that can be written nothing more may be begun.
          Effect.raceFirst(journal.failed),
          Effect.raceFirst(Effect.map(toolRunner.stopped, (why) => outcome("not_permitted", why))),
          Effect.catchTags({
            AttemptsExhausted: ({ message }) => Effect.succeed(outcome("failed", `No valid answer ${message}`)),
            JournalError: ({ message }) => Effect.succeed(outcome("failed", message)),
            NoValidPlan: ({ issues, message }) => Effect.succeed(outcome("no_valid_plan", message, issues)),
            ModelError: (error) => Effect.succeed(modelOutcome(error))
          })
        )

      const run = Effect.fn("Pipeline.run")(function* (order: RunOrder) {
        const prepared = yield* Effect.raceFirst(preparation.prepare(order), journal.failed)
        const state = yield* makeRunState
        yield* reporter.start(order, prepared.briefing)
        const finish = (end: Outcome) => reporter.finish(order, state, end)
        return yield* workToOutcome(prepared, state).pipe(
          Effect.flatMap(finish),
          Effect.onInterrupt(() => finish(outcome("interrupted", "The run was interrupted."))),
          // What had finished is reported, whatever went wrong; the defect goes on to whoever started the run.
          Effect.onError((cause) =>
            Cause.hasDies(cause) ? finish(outcome("failed", `The run broke off: ${causeText(cause)}`)) : Effect.void
          )
        )
      })

      const plan = Effect.fn("Pipeline.plan")(function* (order: RunOrder) {
        const { briefing, createTaskList } = yield* preparation.prepare(order)
        yield* reporter.warn(briefing)
        return yield* createTaskList
      })

      return Pipeline.of({ run, plan })
    })
  )
}
