/**
 * One prompt from the request to the answer: plan, rounds of refine, run and iterate, conclusion. The stages return
 * values; here they are put in order, and every way to end becomes a report.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Briefing } from "../../domain/models/Briefing.ts"
import { stageKey } from "../../domain/runs/ActivityKey.ts"
import type { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { NoValidPlan, RunOrder, UnknownSkill } from "../../domain/runs/RunOrder.ts"
import { type Ending, ending, endingOf, exitCodeOf, type RunReport } from "../../domain/runs/RunReport.ts"
import { TaskList } from "../../domain/plan/TaskList.ts"
import { renderTaskList } from "../../domain/documents/TaskRendering.ts"
import { isFinal, TaskFailure, TaskResult } from "../../domain/plan/TaskResult.ts"
import { Activities } from "../journal/Activities.ts"
import { Briefer, type BriefingError } from "./Briefer.ts"
import { Concluder } from "./Concluder.ts"
import { causeText } from "../plugins/ForeignCode.ts"
import { Gate } from "../permissions/Gate.ts"
import { Journal } from "../journal/Journal.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Planned, Planner } from "./Planner.ts"
import { makeTellNotes } from "../history/ResumeNotes.ts"
import { Reviser } from "./Reviser.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeRunState, type RunState } from "../runs/RunState.ts"
import { Scheduler } from "./Scheduler.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { Workspace } from "../files/Workspace.ts"

/** A round that came to its end, with what is to do after it. */
const SettledRound = Schema.Struct({
  results: Schema.Array(TaskResult),
  failures: Schema.Array(TaskFailure),
  revised: TaskList
})

export class Pipeline extends Context.Service<
  Pipeline,
  {
    /** Runs to the end. Every outcome but a refused order is a report; the last event holds the report, also when interrupted or broken off. */
    run(order: RunOrder): Effect.Effect<RunReport, UnknownSkill | BriefingError | JournalError>
    /** Stops after the checked task list. */
    plan(
      order: RunOrder
    ): Effect.Effect<
      { readonly taskList: TaskList; readonly markdown: string },
      NoValidPlan | ModelError | BriefingError
    >
  }
>()("task-conductor/services/pipeline/Pipeline") {
  static readonly layer: Layer.Layer<
    Pipeline,
    never,
    | Activities
    | Briefer
    | Concluder
    | Gate
    | Journal
    | Planner
    | Reviser
    | RunEvents
    | RunSettings
    | Scheduler
    | ToolRunner
    | UsageMeter
    | Workspace
  > = Layer.effect(
    Pipeline,
    Effect.gen(function* () {
      const activities = yield* Activities
      const briefer = yield* Briefer
      const concluder = yield* Concluder
      const gate = yield* Gate
      const journal = yield* Journal
      const planner = yield* Planner
      const reviser = yield* Reviser
      const events = yield* RunEvents
      const settings = yield* RunSettings
      const scheduler = yield* Scheduler
      const meter = yield* UsageMeter
      const { stopped } = yield* ToolRunner
      const tellResumed = yield* makeTellNotes
      const workspace = yield* Workspace

      const brief = (order: RunOrder) =>
        activities.runStage(
          { key: stageKey.briefing, success: Briefing },
          briefer.brief({
            prompt: order.prompt,
            openFiles: order.openFiles ?? [],
            ...(order.currentFile === undefined ? {} : { currentFile: order.currentFile })
          })
        )

      const tellWarnings = ({ notes = [] }: Briefing) =>
        Effect.forEach(notes, (text) => events.publish({ type: "message", level: "warning", text }), { discard: true })

      const createTaskList = Effect.fnUntraced(function* (order: RunOrder, briefing: Briefing, single?: Planned) {
        const planned =
          single ??
          (yield* activities.runStage(
            { key: stageKey.plan, success: Planned },
            order.plan === undefined ? planner.plan(briefing) : planner.read(order.plan, briefing)
          ))
        const markdown = renderTaskList(planned.taskList, { prompt: order.prompt })
        yield* events.publish({ type: "plan.created", ...planned, markdown })
        return { taskList: planned.taskList, markdown }
      })

      /** Refine and run, then iterate, until nothing is pending. `unresolved` failed in the round before. */
      const rounds = (
        briefing: Briefing,
        list: TaskList,
        state: RunState,
        round: number,
        unresolved: ReadonlyArray<TaskFailure>
      ): Effect.Effect<Ending, ModelError> =>
        Effect.gen(function* () {
          if (!list.hasPending(yield* state.finishedNames)) {
            return unresolved.length === 0
              ? ending("done", "")
              : ending("failed", unresolved.map((failure) => failure.message).join("\n"))
          }
          if (round > settings.limits.rounds) return ending("limit", "Max rounds reached.")
          yield* state.startRound(round)
          const stage = { key: stageKey.round(round), success: SettledRound }
          const before = yield* activities.stageResult(stage)
          if (Option.isSome(before)) {
            const { failures, results, revised } = before.value
            yield* Effect.forEach(results, state.addResult, { discard: true })
            yield* state.addFailures(failures)
            return yield* rounds(briefing, revised, state, round + 1, failures)
          }
          yield* events.publish({ type: "round.started", round })
          const { results: finished } = yield* state.get
          const outcome = yield* scheduler.runRound({ briefing, round, list, finished, record: state.addResult })
          const { results, failures } = outcome
          yield* events.publish({
            type: "round.finished",
            round,
            finished: results.length,
            failed: failures.length
          })
          const repeated = yield* state.addFailures(failures)
          if (outcome.declined !== undefined) {
            const { by, step } = outcome.declined
            return by === "person"
              ? ending("declined", "User declined writer approval.")
              : ending("not_permitted", `"${step}" needs approval and nobody could give it. Use --yes-this-run.`)
          }
          if (repeated !== undefined) return ending("failed", `${repeated.message} It failed the same way before.`)
          const outstanding = list.outstanding(yield* state.finishedNames)
          const all = (yield* state.get).results
          const revised = yield* reviser.revise({ briefing, round, outstanding, finished: all, failures })
          yield* activities.runStage(stage, Effect.succeed({ results, failures, revised }), () =>
            results.every(isFinal)
          )
          return yield* rounds(briefing, revised, state, round + 1, failures)
        })

      /** PermissionDenied work is never done, and what failed only for want of a permission was not permitted. */
      const judge = Effect.fnUntraced(function* (end: Ending) {
        const denials = yield* gate.denials
        if (end.status === "failed" && denials.some(({ message }) => end.message.includes(message))) {
          return { ...end, status: "not_permitted" as const }
        }
        if (end.status !== "done" || denials.length === 0) return end
        const message = [...new Set(denials.map((denied) => denied.message))].join("\n")
        return { ...end, status: "not_permitted" as const, message }
      })

      /** A run that stopped at a gate waits for a person; every other one answers with what it has. */
      const conclude = Effect.fnUntraced(function* (briefing: Briefing, state: RunState, end: Ending) {
        const { goals, results: finished, failures, rounds: round } = yield* state.get
        if (end.status === "declined" || end.status === "not_permitted" || finished.length === 0) return end
        return yield* concluder.conclude({ briefing, round, goals, finished, failures }).pipe(
          Effect.map((answer) => ({ ...end, answer })),
          Effect.catchTag("AttemptsExhausted", (gaveUp) =>
            Effect.succeed(ending("failed", `No valid answer ${gaveUp.message}`))
          )
        )
      })

      const work = (order: RunOrder, briefing: Briefing, state: RunState, single?: Planned) =>
        Effect.gen(function* () {
          const { taskList } = yield* createTaskList(order, briefing, single)
          yield* state.setGoals(taskList.goals)
          const end = yield* rounds(briefing, taskList, state, 1, [])
          return yield* judge(yield* conclude(briefing, state, end))
        }).pipe(
          // Without a journal that can be written nothing more may be begun.
          Effect.raceFirst(journal.failed),
          Effect.raceFirst(Effect.map(stopped, (why) => ending("not_permitted", why))),
          Effect.catchTags({
            JournalError: (error) => Effect.succeed(ending("failed", error.message)),
            NoValidPlan: (error) => Effect.succeed(ending("no_valid_plan", error.message, error.issues)),
            ModelError: (error) => Effect.succeed(endingOf(error))
          })
        )

      const finish = Effect.fnUntraced(function* (order: RunOrder, state: RunState, end: Ending) {
        if (end.message !== "") yield* events.publish({ type: "message", level: "error", text: end.message })
        const usage = yield* meter.total
        const report: RunReport = { runId: order.runId, ...end, ...(yield* state.get), usage }
        yield* events.publish({ type: "run.finished", exitCode: exitCodeOf(report.status), report })
        return report
      })

      const run = Effect.fn("Pipeline.run")(function* (order: RunOrder) {
        const briefing = yield* Effect.raceFirst(brief(order), journal.failed)
        const single = order.skill === undefined ? undefined : yield* planner.single(order.skill, briefing)
        const state = yield* makeRunState
        yield* events.publish({
          type: "run.started",
          version: 1,
          runId: order.runId,
          project: workspace.root,
          model: settings.model,
          prompt: order.prompt
        })
        yield* tellWarnings(briefing)
        yield* tellResumed
        return yield* work(order, briefing, state, single).pipe(
          Effect.flatMap((end) => finish(order, state, end)),
          Effect.onInterrupt(() => finish(order, state, ending("interrupted", "The run was interrupted."))),
          // What had finished is reported, whatever went wrong; the defect goes on to whoever started the run.
          Effect.onError((cause) =>
            Cause.hasDies(cause)
              ? finish(order, state, ending("failed", `The run broke off: ${causeText(cause)}`))
              : Effect.void
          )
        )
      })

      const plan = Effect.fn("Pipeline.plan")(function* (order: RunOrder) {
        const briefing = yield* brief(order)
        yield* tellWarnings(briefing)
        return yield* createTaskList(order, briefing)
      })

      return Pipeline.of({ run, plan })
    })
  )
}
