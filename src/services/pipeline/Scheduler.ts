/**
 * Runs one round. A task starts when the results that it refers to exist, and when no task of an earlier step can still
 * change its files. Steps run in order, the tasks of a step in parallel; a failed task does not stop the others.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { callSign, TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { Briefing } from "../../domain/models/Briefing.ts"
import type { GatedTask, CallListApproval } from "../../domain/permissions/ApprovalItem.ts"
import type { Task } from "../../domain/plan/Task.ts"
import type { TaskList } from "../../domain/plan/TaskList.ts"
import {
  endingFailure,
  isFinal,
  openFailures,
  TaskFailure,
  TaskResult,
  unableIn
} from "../../domain/plan/TaskResult.ts"
import { activityName, stageKey } from "../../domain/runs/ActivityKey.ts"
import { pathOf, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { hashOf } from "../files/Hash.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { Activities } from "../journal/Activities.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import type { RunState } from "../runs/RunState.ts"
import { makeApproval } from "./Approval.ts"
import { makeJoinChanges } from "./JoinChanges.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { makeTaskEffects } from "./TaskEffects.ts"
import { TaskItems } from "./TaskItems.ts"
import { TaskAgent } from "./TaskAgent.ts"
import { ChangeApplier } from "./ChangeApplier.ts"
import type { CallsDeclined, TaskOrder } from "./TaskStage.ts"

export interface RoundOrder {
  readonly briefing: Briefing
  /** The number of the round, from 1. */
  readonly round: number
  readonly list: TaskList
  /** The state of the run. Each new result and failure is added to it at once. */
  readonly state: RunState
}

/** A step whose calls were declined. Later steps did not run. */
export interface DeclinedStep {
  readonly by: CallListApproval["by"]
  readonly step: string
}

/** The outcome of a task, with the results that it used. */
interface WorkedTask {
  readonly outcome: TaskOutcome
  readonly finished: ReadonlyArray<TaskResult>
}

/** The state of a task during its round. */
interface TaskState {
  readonly task: Task
  /** The position of the step in its plan, from 0. */
  readonly step: number
  readonly worked: Deferred.Deferred<WorkedTask, TaskFailure | CallsDeclined>
  readonly done: Deferred.Deferred<TaskResult, TaskFailure>
}

interface Round extends RoundOrder {
  /** All tasks of the round by slug. */
  readonly tasks: ReadonlyMap<string, TaskState>
  readonly earlier: ReadonlyArray<TaskResult>
  /** The tasks of this round that failed because of the model, in order. */
  readonly unable: Array<TaskFailure>
  /** Completes when the round gives up on the model. No further task starts after that. */
  readonly givenUp: Deferred.Deferred<TaskFailure>
}

/**
 * The key of a recorded outcome. It contains the results that the task used, because the outcome is valid only for
 * these results.
 */
const workKey = (round: number, task: Task, finished: ReadonlyArray<TaskResult>): string => {
  const seen = finished.filter(({ task: { slug } }) => task.producerSlugs.includes(slug))
  const input = hashOf(seen.map(({ result }) => result.document))
  return activityName({ key: stageKey.worked(round, task.name), input })
}

const makeTaskStates = Effect.fnUntraced(function* ({ steps }: TaskList) {
  const states = new Map<string, TaskState>()
  for (const [step, { tasks }] of steps.entries()) {
    for (const task of tasks) {
      const worked = yield* Deferred.make<WorkedTask, TaskFailure | CallsDeclined>()
      states.set(task.slug, { task, step, worked, done: yield* Deferred.make<TaskResult, TaskFailure>() })
    }
  }
  return states
})

const notRun = ({ name }: Task, why: string): TaskFailure =>
  new TaskFailure({ task: name, phase: "refinement", reason: `not run, because ${why}.`, skipped: true })

/** Waits for the results that a task refers to. Skips the task if one of these results will never exist. */
const awaitProducers = (task: Task, { tasks }: Round) =>
  Effect.forEach(
    task.producerSlugs.flatMap((slug) => tasks.get(slug) ?? []),
    (producer) =>
      Effect.mapError(Deferred.await(producer.done), () => notRun(task, `"${producer.task.name}" has no result`))
  )

const unlessGivenUp = <A, E>(work: Effect.Effect<A, E>, task: Task, { givenUp }: Round) =>
  Effect.raceFirst(
    Effect.flatMap(Deferred.await(givenUp), (failure) =>
      Effect.fail(notRun(task, `the model could not do "${failure.task}"`))
    ),
    work
  )

/** The failure of a task whose changes the user declined, and of the tasks that wait for it. */
const notMade = ({ name }: Task): TaskFailure =>
  new TaskFailure({ task: name, phase: "execution", reason: "its changes were declined.", skipped: true })

const orderOf = (
  step: number,
  { briefing, list: { goals }, round }: Round,
  known: Pick<TaskOrder, "finished" | "task">
): TaskOrder => ({ ...known, briefing, goals, round, step })

/** Identifies each call by its name, its arguments, and the text of the file that it changes. */
const signsOf = ({ bases = [], calls }: TaskOutcome): ReadonlyMap<ToolCall, string> => {
  const texts = new Map(bases.map(({ path, text }) => [path, text]))
  return new Map(calls.map((call) => [call, `${callSign(call)}\n${texts.get(pathOf(call)) ?? ""}`]))
}

const untilDone = (states: ReadonlyArray<TaskState>): Effect.Effect<Effect.Effect<void>> =>
  Effect.cached(Effect.forEach(states, ({ done }) => Effect.exit(Deferred.await(done)), { discard: true }))

/** Waits for earlier tasks of the same step that change the same files. */
const untilFirst = ({ step, task }: TaskState, { tasks }: Round, { outcome }: WorkedTask) =>
  Effect.gen(function* () {
    const files = new Set(outcome.bases?.map(({ path }) => path))
    for (const sibling of tasks.values()) {
      if (sibling.task === task || files.size === 0) return
      if (sibling.step !== step || (yield* Deferred.isDone(sibling.done))) continue
      const theirs = yield* Effect.option(Deferred.await(sibling.worked))
      const paths = Option.match(theirs, { onNone: () => [], onSome: ({ outcome }) => outcome.bases ?? [] })
      if (paths.some(({ path }) => files.has(path))) yield* Effect.exit(Deferred.await(sibling.done))
    }
  })

/**
 * Gives up on the model if every task so far failed because of the model. First waits for running tasks, which may
 * still succeed.
 */
const noteFailure = Effect.fnUntraced(function* (
  failure: TaskFailure,
  { step, task }: TaskState,
  { givenUp, state, tasks, unable }: Round
) {
  if (unableIn(failure) === undefined) return
  unable.push(failure)
  const { failures, results } = yield* state.get
  const ending = endingFailure([...new Set([...openFailures(failures, results), ...unable])], results)
  const siblings = [...tasks.values()].filter((other) => other.step === step && other.task !== task)
  const areDone = yield* Effect.forEach(siblings, ({ worked }) => Deferred.isDone(worked))
  if (ending !== undefined && (unable.length > 1 || areDone.every((isDone) => isDone)))
    yield* Deferred.succeed(givenUp, ending)
})

const makeTaskStarts = Effect.gen(function* () {
  const activities = yield* Activities
  const events = yield* RunEvents
  const items = yield* TaskItems
  const taskAgent = yield* TaskAgent
  const { mayAct, mayChange, mayWrite } = yield* makeTaskEffects

  /**
   * True if a resumed run keeps the turns of a task instead of repeating them. It repeats them only after a denied or
   * declined call, if the outcome has no call that may change something. The user is then asked again.
   */
  const isResolved = (outcome: TaskOutcome): boolean =>
    outcome.calls.some(mayChange) ||
    (outcome.declined === undefined &&
      outcome.priorCalls?.some(({ result }) => result.error_type === "permission_denied") !== true)

  const workOn = Effect.fnUntraced(function* (state: TaskState, round: Round) {
    const { step, task } = state
    const finished = [...round.earlier, ...(yield* awaitProducers(task, round))]
    const order = orderOf(step, round, { task, finished })
    const turns = task.forEach === undefined ? taskAgent.work(order) : items.work(order, task.forEach)
    const outcome = yield* activities.runStage(
      { key: workKey(round.round, task, finished), success: TaskOutcome },
      unlessGivenUp(turns, task, round).pipe(
        Effect.tapErrorTag("TaskFailure", (failure) => noteFailure(failure, state, round))
      ),
      isResolved
    )
    const { calls, inputs } = outcome
    const asked = { calls, ...(inputs === undefined ? {} : { inputs }) }
    yield* events.publish({ type: "task.worked", round: round.round, step, task: task.name, ...asked })
    return { outcome, finished }
  })

  /**
   * Starts the tasks of a step. A task waits for `unchanged`, after which no task of an earlier step can change
   * anything. A task that may act during its turns waits for `ended`, the end of the earlier steps. If an earlier step
   * is declined, such a task never starts.
   */
  return Effect.fnUntraced(function* (
    states: ReadonlyArray<TaskState>,
    round: Round,
    unchanged: Effect.Effect<void>,
    ended: Effect.Effect<void>
  ) {
    for (const state of states) {
      const worked = Effect.andThen(mayAct(state.task) ? ended : unchanged, workOn(state, round))
      yield* Effect.forkScoped(Deferred.into(worked, state.worked), { startImmediately: true })
    }
    const writers = states.filter(({ task }) => mayWrite(task))
    /* When the last step with writing tasks is done, all earlier steps are done, too. */
    return writers.length === 0 ? unchanged : yield* untilDone(writers)
  })
})

/** Makes the changes of an approved task in the project. */
const makeConclusion = Effect.gen(function* () {
  const activities = yield* Activities
  const events = yield* RunEvents
  const approval = yield* makeApproval
  const join = yield* makeJoinChanges
  const applier = yield* ChangeApplier

  /**
   * The approved changes, merged with changes that other tasks or processes made meanwhile. The gate asks the user
   * about the merged changes.
   */
  const upToDate = Effect.fnUntraced(function* (
    state: TaskState,
    round: Round,
    worked: WorkedTask
  ): Effect.fn.Return<WorkedTask, TaskFailure | CallsDeclined> {
    const { finished, outcome } = worked
    const { step, task } = state
    const now = yield* join(orderOf(step, round, { task, finished }), outcome)
    if (now === outcome) return worked
    const approvedSigns = new Set(signsOf(outcome).values())
    const calls = [...signsOf(now)].flatMap(([call, sign]) => (approvedSigns.has(sign) ? [] : [call]))
    const place = { title: task.name, planKey: `round-${round.round}`, round: round.round }
    yield* approval.askForTask(task, { calls }, place)
    return yield* upToDate(state, round, { finished, outcome: now })
  })

  /** Makes the calls of a task and stores its result. If a further change is declined, returns who declined it. */
  const carryOut = Effect.fnUntraced(function* ({ done, step, task }: TaskState, order: Round, worked: WorkedTask) {
    const { briefing, round, state } = order
    yield* events.publish({ type: "task.started", round, step, task: task.name })
    const result = yield* activities.runStage(
      { key: stageKey.task(round, task.name), success: TaskResult },
      applier.apply({ briefing, round, step, ...worked }),
      (result) => isFinal(result) && worked.outcome.declined === undefined
    )
    yield* state.add(result)
    yield* events.publish({ type: "task.finished", round, step, task: task.name, result })
    yield* Deferred.succeed(done, result)
    return worked.outcome.declined
  })

  const fail = Effect.fnUntraced(function* (
    { done, step, task }: TaskState,
    { round, state }: Round,
    failure: TaskFailure
  ) {
    yield* state.add(failure)
    yield* events.publish({ type: "task.failed", round, step, task: task.name, failure })
    yield* Deferred.fail(done, failure)
  })

  /** Carries out one task. If its calls were declined, returns who declined them. */
  return (worked: Result.Result<WorkedTask, TaskFailure | CallsDeclined>, state: TaskState, round: Round) =>
    Effect.fromResult(worked).pipe(
      Effect.tap((ready) => untilFirst(state, round, ready)),
      Effect.flatMap((ready) => upToDate(state, round, ready)),
      Effect.flatMap((ready) => carryOut(state, round, ready)),
      Effect.catchTags({
        TaskFailure: (failure) => Effect.as(fail(state, round, failure), undefined),
        CallsDeclined: ({ by }) => Effect.as(Deferred.fail(state.done, notMade(state.task)), by)
      })
    )
})

/** A task whose turns have ended, with its calls that need approval. */
interface ReadyTask {
  readonly state: TaskState
  readonly worked: Result.Result<WorkedTask, TaskFailure | CallsDeclined>
  readonly gated: GatedTask | undefined
}

/** Runs the tasks of a step with one approval. If the step was declined, returns who declined it. */
const makeStepRunner = Effect.gen(function* () {
  const approval = yield* makeApproval
  const changes = yield* makeTaskChanges
  const conclude = yield* makeConclusion
  const events = yield* RunEvents
  const join = yield* makeJoinChanges

  const readyTask = Effect.fnUntraced(function* (state: TaskState, { round }: Round): Effect.fn.Return<ReadyTask> {
    const worked = yield* Effect.result(Deferred.await(state.worked))
    const gated = Result.isSuccess(worked)
      ? yield* approval.gatedCalls(state.task, worked.success.outcome, round)
      : undefined
    return { state, worked, gated }
  })

  /**
   * Runs when the turns of all tasks of the step have ended. Asks the user once about all tasks that need approval, in
   * the order of the plan. `joined` has the outcome of each of these tasks, merged with the changes of the tasks before
   * it.
   */
  const askAbout = Effect.fnUntraced(function* (title: string, tasks: ReadonlyArray<ReadyTask>, round: Round) {
    const joined = new Map<TaskState, ReadyTask["worked"]>()
    const gatedTasks: Array<GatedTask> = []
    let others: ReadonlyArray<ProposedFile> = []
    for (const { gated, state, worked } of tasks) {
      if (gated === undefined || Result.isFailure(worked)) continue
      const { finished, outcome } = worked.success
      const { step, task } = state
      const now = yield* Effect.result(join(orderOf(step, round, { task, finished }), outcome, { others }))
      joined.set(
        state,
        Result.map(now, (together) => ({ finished, outcome: together }))
      )
      if (Result.isFailure(now)) continue
      const again = approval.gatedCalls(task, now.success, round.round)
      const calls = yield* Effect.provideService(again, CurrentCopy, makeWorkingCopy(others))
      const open = now.success === outcome ? (calls ?? gated) : calls
      if (open !== undefined) gatedTasks.push({ ...open, ...(others.length === 0 ? {} : { others }) })
      others = changes.onTop(others, now.success)
    }
    return { ...(yield* approval.askCallList({ title, planKey: `round-${round.round}`, tasks: gatedTasks })), joined }
  })

  return Effect.fnUntraced(function* (step: number, title: string, states: ReadonlyArray<TaskState>, round: Round) {
    const where = { round: round.round, step, title }
    yield* events.publish({ type: "step.started", ...where })
    const tasks = yield* Effect.forEach(states, (state) => Effect.cached(readyTask(state, round)))
    const answer = yield* Effect.cached(
      Effect.flatMap(Effect.all(tasks, { concurrency: "unbounded" }), (ready) => askAbout(title, ready, round))
    )
    /* Makes the calls of one task. Only a task that needs approval waits for the user's answer. */
    const run = Effect.fnUntraced(function* (ready: Effect.Effect<ReadyTask>) {
      const { gated, state, worked } = yield* ready
      if (Result.isFailure(worked) && worked.failure._tag === "CallsDeclined") return worked.failure.by
      if (gated === undefined) return yield* conclude(worked, state, round)
      const { approved, by, joined } = yield* answer
      return approved ? yield* conclude(joined.get(state) ?? worked, state, round) : by
    })
    const declined = yield* Effect.forEach(tasks, run, { concurrency: "unbounded" })
    yield* events.publish({ type: "step.finished", ...where })
    return declined.find((by) => by !== undefined)
  })
})

export class Scheduler extends Context.Service<Scheduler>()("task-conductor/services/pipeline/Scheduler", {
  make: Effect.gen(function* () {
    const activities = yield* Activities
    const events = yield* RunEvents
    const runStep = yield* makeStepRunner
    const startTasks = yield* makeTaskStarts

    /** True for a task that finished before the run was resumed. */
    const isFinished = Effect.fnUntraced(function* ({ done, step, task }: TaskState, { round, state }: RoundOrder) {
      const kept = yield* activities.stageResult({ key: stageKey.task(round, task.name), success: TaskResult })
      if (Option.isNone(kept)) return false
      yield* state.add(kept.value)
      yield* events.publish({ type: "task.kept", round, step, task: task.name })
      return yield* Deferred.succeed(done, kept.value)
    })

    /** Runs a round. Returns the declined step, if any. The outcomes are in the state. */
    const runRound = Effect.fn("Scheduler.runRound")(function* (order: RoundOrder) {
      const tasks = yield* makeTaskStates(order.list)
      const earlier = (yield* order.state.get).results
      const round: Round = { ...order, tasks, earlier, unable: [], givenUp: yield* Deferred.make<TaskFailure>() }
      const open = yield* Effect.filter(tasks.values(), (state) => Effect.map(isFinished(state, round), (is) => !is))
      const byStep = Map.groupBy(open, ({ step }) => step)
      let unchanged: Effect.Effect<void> = Effect.void
      let ended: Effect.Effect<void> = Effect.void
      for (const states of byStep.values()) {
        unchanged = yield* startTasks(states, round, unchanged, ended)
        ended = Effect.andThen(ended, yield* untilDone(states))
      }
      for (const [step, states] of byStep) {
        const title = order.list.steps[step]?.title ?? ""
        const by = yield* runStep(step, title, states, round)
        if (by !== undefined) return { by, step: title }
      }
      return undefined
    }, Effect.scoped)

    return { runRound }
  })
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide(TaskItems.layer))
}
