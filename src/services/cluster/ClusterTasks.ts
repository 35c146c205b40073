/**
 * The tasks of a cluster run as workflows of their own. The engine chooses the worker for a piece of work by its name alone; one
 * that lacks something gives the work back, and it is offered again under another name, until a worker takes it or all that
 * are there have said what they lack. The scheduler uses a `TaskLoop` and a `TaskRunner` as in any run. The answers of people
 * are sent with a task and returned.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import type { ClusterRunEnding } from "../../domain/journal/JournalRecord.ts"
import type { RunOrder } from "../../domain/runs/RunOrder.ts"
import { workerName } from "./ClusterEngine.ts"
import { ClusterWorkers } from "./ClusterWorkers.ts"
import { type RunPlacement, RunWorkflow } from "./RunWorkflow.ts"
import { Briefing } from "../../domain/models/Briefing.ts"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { Refinement } from "../../domain/documents/Refinement.ts"
import { Task } from "../../domain/plan/Task.ts"
import { TaskFailure, type TaskPhase, TaskResult } from "../../domain/plan/TaskResult.ts"
import { hashOf, textHash } from "../files/Hash.ts"
import { type PermissionDenied, SavedDenial } from "../permissions/GateQuestion.ts"
import { GateSnapshot, Gate } from "../permissions/Gate.ts"
import { TaskLoop } from "../pipeline/TaskLoop.ts"
import { CallsDeclined, JoinedChanges, type TaskOrder } from "../pipeline/TaskStage.ts"
import { type ExecutionOrder, TaskRunner } from "../pipeline/TaskRunner.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import {
  type CallJudges,
  coverWhole,
  keepRefinement,
  knownRefinement,
  restoreAnswers,
  type Secrets,
  wholeRefinement,
  withoutSecrets
} from "./WithoutSecrets.ts"

/** A worker that cannot do the work, and why. */
export const Unfit = Schema.Struct({ worker: Schema.String, why: Schema.String })
export type Unfit = typeof Unfit.Type

/** This worker cannot do the work; another one may. */
export class UnfitWorker extends Schema.TaggedError<UnfitWorker>()("UnfitWorker", {
  why: Schema.String,
  exitCode: Schema.Int
}) {
  override get message(): string {
    return this.why
  }
}

/** What each worker lacks, by its name. */
export type Declined = Readonly<Record<string, string>>

/** How many names a piece of work gets; with so many, each of a few workers is chosen at some time. */
const mostPlaces = 40

/** True when it makes no sense to offer the work again. */
const nobodyIsLeft = (declined: Declined, alive: ReadonlyArray<string>, place: number): boolean =>
  place >= mostPlaces || alive.every((worker) => Object.hasOwn(declined, worker))

const remedy = "or start a worker that has it. Then start the run again."

/** Why nobody does the work, and what to do. One worker speaks for itself. */
const nobodyFits = (declined: Declined): string => {
  const all = Object.entries(declined)
  const [first] = all
  if (first !== undefined && all.length === 1) {
    return `${first[1]} No other worker is there. Give it what it lacks, ${remedy}`
  }
  const reasons = all.map(([worker, why]) => `${worker}: ${why}`).join(" ")
  return `No worker can do this. ${reasons} Give one of them what it lacks, ${remedy}`
}

/** Offers work under one name after the other; fails with why nobody does it. */
export const offerWork = Effect.fnUntraced(function* <A extends { readonly unfit?: Unfit }>(
  offer: (place: number) => Effect.Effect<A>,
  alive: Effect.Effect<ReadonlyArray<string>>
) {
  const declined: Record<string, string> = {}
  for (let place = 1; ; place += 1) {
    const back = yield* offer(place - 1)
    if (back.unfit === undefined) return Result.succeed(back)
    declined[back.unfit.worker] = back.unfit.why
    if (nobodyIsLeft(declined, yield* alive, place)) return Result.fail(nobodyFits(declined))
  }
})

/** Offers a run for which this worker lacks something to the next one; an ending when there is none. */
export const giveBack = Effect.fn("giveBack")(function* (
  order: RunOrder,
  placement: RunPlacement | undefined,
  unfit: UnfitWorker,
  report: (what: string) => Effect.Effect<void>
) {
  const { alive } = yield* ClusterWorkers
  const declined = { ...placement?.declined, [workerName]: unfit.why }
  const number = (placement?.number ?? 0) + 1
  const names = (yield* Effect.orDie(alive)).map(({ name }) => name)
  if (nobodyIsLeft(declined, names, number)) {
    const ending: ClusterRunEnding = { refused: nobodyFits(declined), exitCode: unfit.exitCode }
    return ending
  }
  yield* report(`${order.runId}: given back. ${unfit.why}`)
  yield* RunWorkflow.execute({ order, placement: { number, declined } }, { discard: true, detached: true })
  return "given back" as const
})

/** The payload that a task needs on any worker. */
const place = {
  runId: Schema.String,
  briefing: Briefing,
  round: Schema.Int,
  step: Schema.Int,
  finished: Schema.Array(TaskResult),
  snapshot: GateSnapshot,
  /** How often the work was given back before. */
  place: Schema.optionalKey(Schema.Int)
}

/** The part of the result that is the same for every task. */
const back = {
  snapshot: GateSnapshot,
  /** Why the run is to stop: a person said so about a call in doubt, or nobody could say. */
  stop: Schema.optionalKey(SavedDenial),
  /** Present when the worker gives the work back. */
  unfit: Schema.optionalKey(Unfit)
}

/** The same task on the same results of others is the same work, in whatever order they came. */
const workKey = (
  { finished, place: offered = 0, round, runId }: Schema.Struct.Type<typeof place>,
  task: Task
): string => {
  const results = finished.map(({ result, task: { slug } }): [string, string] => [slug, result.document])
  const sorted = results.toSorted(([a], [b]) => compareCodePoints(a, b))
  return [runId, round, task.slug, hashOf(sorted), ...(offered === 0 ? [] : [offered])].join("/")
}

/** Makes the calls of a task. */
const RefineTask = Workflow.make("task-conductor/Refine", {
  payload: { ...place, task: Task, joined: Schema.optionalKey(JoinedChanges) },
  success: Schema.Struct({ outcome: Schema.Union([Refinement, TaskFailure, CallsDeclined]), ...back }),
  idempotencyKey: ({ joined, ...payload }) =>
    [workKey(payload, payload.task), ...(joined === undefined ? [] : [textHash(JSON.stringify(joined))])].join("/")
})

/** Executes a refined task. */
const RunTask = Workflow.make("task-conductor/Task", {
  payload: { ...place, refinement: Refinement },
  success: Schema.Struct({ outcome: Schema.Union([TaskResult, TaskFailure]), ...back }),
  idempotencyKey: (payload) => workKey(payload, payload.refinement.task)
})

/** The outcome of a task, with the answers that are known afterwards. */
interface PeerResult<A> {
  readonly outcome: A | TaskFailure
  readonly snapshot: GateSnapshot
  readonly stop?: PermissionDenied
  readonly unfit?: Unfit
}

/** Provides the workflow engine of the current fiber. */
const onEngine = <A>(effect: Effect.Effect<A, never, WorkflowEngine>): Effect.Effect<A> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.provideService(effect, WorkflowEngine, Context.getUnsafe(context, WorkflowEngine))
  )

/** What is sent with each piece of work. */
interface Sent {
  readonly runId: string
  readonly snapshot: GateSnapshot
  readonly place?: number
}

/** Gives the tasks of a run to the engine. */
export const layerClusterTasks = (
  runId: string,
  secrets: Secrets
): Layer.Layer<TaskLoop | TaskRunner, never, ClusterWorkers | Gate | ToolRunner> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const gate = yield* Gate
      const toolRunner = yield* ToolRunner
      const workers = yield* ClusterWorkers
      const alive = Effect.map(Effect.orDie(workers.alive), (all) => all.map(({ name }) => name))

      /** Runs work on the engine with the answers so far, and restores the answers that came meanwhile. */
      const onPeer = Effect.fnUntraced(function* <A>(
        phase: TaskPhase,
        task: Task,
        execute: (sent: Sent) => Effect.Effect<PeerResult<A>, never, WorkflowEngine>
      ): Effect.fn.Return<A, TaskFailure> {
        const known = { runId, snapshot: yield* gate.snapshot }
        const taken = yield* offerWork((at) => onEngine(execute(at === 0 ? known : { ...known, place: at })), alive)
        if (Result.isFailure(taken)) {
          return yield* new TaskFailure({ task: task.name, phase, reason: taken.failure, skipped: false })
        }
        const { snapshot, outcome, stop } = taken.success
        yield* restoreAnswers(gate, snapshot, secrets)
        if (stop !== undefined) yield* toolRunner.stop(stop)
        return outcome instanceof TaskFailure ? yield* outcome : outcome
      })

      const work = Effect.fnUntraced(function* (order: TaskOrder) {
        const made = yield* onPeer("refinement", order.task, (sent) =>
          Effect.flatMap(withoutSecrets(RefineTask.payloadSchema, { ...sent, ...order }, secrets.redact), (payload) =>
            RefineTask.execute(payload)
          )
        )
        return made instanceof CallsDeclined
          ? yield* made
          : yield* knownRefinement(secrets, { runId, round: order.round }, made)
      })
      const run = (order: ExecutionOrder) =>
        onPeer("execution", order.refinement.task, (sent) =>
          Effect.flatMap(withoutSecrets(RunTask.payloadSchema, { ...sent, ...order }, secrets.redact), (payload) =>
            RunTask.execute(payload)
          )
        )
      return Context.make(TaskRunner, { run }).pipe(
        Context.add(TaskLoop, { work, refine: () => Effect.die("A cluster carries out whole tasks.") })
      )
    })
  )

/** The services of one worker for the tasks of a run. */
export interface TaskContext extends CallJudges {
  readonly loop: TaskLoop["Service"]
  readonly taskRunner: TaskRunner["Service"]
  readonly toolRunner: ToolRunner["Service"]
  /** What a task with these tools in its calls needs and this worker does not have, as a sentence. */
  readonly lacks: (task: Task, tools: ReadonlyArray<string>) => string | undefined
  /** Fails when what happens cannot be persisted any more. */
  readonly failed: Effect.Effect<never, { readonly message: string }>
}

/** Does work of a run with the services of this worker; fails when they cannot be built. `about` says what is done. */
export type WithTaskContext<R> = <A>(
  runId: string,
  about: { readonly task: string; readonly verb: "works on" | "changes files for" },
  work: (context: TaskContext) => Effect.Effect<A, { readonly message: string }>
) => Effect.Effect<A, { readonly message: string }, R>

/** Registers the task workflows of this worker with the engine. */
export const layerTaskWorkflows = <R>(withRunContext: WithTaskContext<R>, secrets: Secrets) => {
  const workHere = <A>(
    { snapshot, runId }: Sent,
    { phase, task, tools }: { readonly phase: TaskPhase; readonly task: Task; readonly tools: ReadonlyArray<string> },
    work: (context: TaskContext) => Effect.Effect<A, TaskFailure>
  ): Effect.Effect<PeerResult<A>, never, R> => {
    const verb = phase === "refinement" ? "works on" : "changes files for"
    return withRunContext(runId, { task: task.name, verb }, (context) =>
      Effect.gen(function* () {
        const why = context.lacks(task, tools)
        if (why !== undefined) return yield* new UnfitWorker({ why, exitCode: 1 })
        yield* restoreAnswers(context.gate, snapshot, secrets)
        const working: Effect.Effect<A | TaskFailure> = Effect.catchTag(work(context), "TaskFailure", (failure) =>
          Effect.succeed(failure)
        )
        const outcome = yield* Effect.raceFirst(working, context.failed)
        const stop = yield* context.toolRunner.stopReason
        return { outcome, snapshot: yield* context.gate.snapshot, ...(stop === undefined ? {} : { stop }) }
      })
    ).pipe(
      Effect.catch((error) => {
        const outcome = new TaskFailure({ task: task.name, phase, reason: error.message, skipped: false })
        const unfit = error instanceof UnfitWorker ? { unfit: { worker: workerName, why: error.why } } : {}
        return Effect.succeed({ outcome, snapshot, ...unfit })
      })
    )
  }
  return Layer.merge(
    RefineTask.toLayer(({ place: _place, snapshot, runId, ...order }) =>
      workHere({ snapshot, runId }, { task: order.task, phase: "refinement", tools: [] }, ({ loop }) =>
        loop.work(order).pipe(
          Effect.tap((made) => keepRefinement(secrets, { runId, round: order.round }, made)),
          Effect.catchTag("CallsDeclined", (declined) => Effect.succeed<Refinement | CallsDeclined>(declined))
        )
      ).pipe(Effect.flatMap((result) => withoutSecrets(RefineTask.successSchema, result, secrets.redact)))
    ),
    RunTask.toLayer(({ place: _place, refinement: sent, snapshot, runId, ...order }) => {
      const { calls, task } = sent
      const declined = {
        task: task.name,
        phase: "execution",
        reason: "its calls were declined.",
        skipped: false
      } as const
      const tools = calls.map(({ name }) => name)
      return workHere({ snapshot, runId }, { task, phase: "execution", tools }, (context) =>
        Effect.gen(function* () {
          const again = Effect.catchTag(
            context.loop.work({ ...order, task }),
            "CallsDeclined",
            () => new TaskFailure(declined)
          )
          const whole = yield* wholeRefinement(secrets, { runId, round: order.round }, sent, again)
          if (whole.calls !== calls) {
            yield* coverWhole(context, task.name, calls, whole.calls, secrets.redact)
          }
          return yield* context.taskRunner.run({ ...order, refinement: whole })
        })
      ).pipe(Effect.flatMap((result) => withoutSecrets(RunTask.successSchema, result, secrets.redact)))
    })
  )
}
