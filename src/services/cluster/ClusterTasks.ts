/**
 * The tasks of a cluster run as workflows of their own: the engine chooses the worker that refines or executes a task.
 * The scheduler uses a `Refiner` and a `TaskRunner` as in any run. The answers of people are sent with a task and
 * returned.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { Briefing } from "../../domain/models/Briefing.ts"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { Refinement } from "../../domain/documents/Refinement.ts"
import { Task } from "../../domain/plan/Task.ts"
import { TaskFailure, type TaskPhase, TaskResult } from "../../domain/plan/TaskResult.ts"
import { hashOf } from "../files/Hash.ts"
import { type PermissionDenied, SavedDenial } from "../permissions/GateQuestion.ts"
import { GateSnapshot, Gate } from "../permissions/Gate.ts"
import { Refiner } from "../pipeline/Refiner.ts"
import type { TaskOrder } from "../pipeline/TaskStage.ts"
import { type ExecutionOrder, TaskRunner } from "../pipeline/TaskRunner.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { ClusterWorkers } from "./ClusterWorkers.ts"
import { workerName } from "./ClusterEngine.ts"
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
import { offerWork, Unfit, UnfitWorker } from "./Placement.ts"

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

interface Placed {
  readonly runId: string
  readonly round: number
  readonly finished: ReadonlyArray<TaskResult>
  readonly place?: number
}

/** The same task on the same results of others is the same work, in whatever order they came. */
const workKey = ({ finished, place = 0, round, runId }: Placed, task: Task): string => {
  const results = finished.map(({ result, task: { slug } }): [string, string] => [slug, result.document])
  const sorted = results.toSorted(([a], [b]) => compareCodePoints(a, b))
  return [runId, round, task.slug, hashOf(sorted), ...(place === 0 ? [] : [place])].join("/")
}

/** Makes the calls of a task. */
const RefineTask = Workflow.make("task-conductor/Refine", {
  payload: { ...place, task: Task },
  success: Schema.Struct({ outcome: Schema.Union([Refinement, TaskFailure]), ...back }),
  idempotencyKey: (payload) => workKey(payload, payload.task)
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

interface Peer extends Pick<TaskContext, "gate" | "toolRunner"> {
  readonly secrets: Secrets
  /** The names of the workers that are there. */
  readonly alive: Effect.Effect<ReadonlyArray<string>>
}

/** What is sent with each piece of work. */
interface Sent {
  readonly snapshot: GateSnapshot
  readonly place?: number
}

/** Runs work on the engine with the answers so far, and restores the answers that came meanwhile. */
const runOnPeer = Effect.fnUntraced(function* <A>(
  { alive, gate, secrets, toolRunner }: Peer,
  { phase, task }: { readonly phase: TaskPhase; readonly task: Task },
  execute: (sent: Sent) => Effect.Effect<PeerResult<A>, never, WorkflowEngine>
): Effect.fn.Return<A, TaskFailure> {
  const known = yield* gate.snapshot
  const taken = yield* offerWork(
    (place) => onEngine(execute({ snapshot: known, ...(place === 0 ? {} : { place }) })),
    alive
  )
  if (Result.isFailure(taken)) {
    return yield* new TaskFailure({ task: task.name, phase, reason: taken.failure, skipped: false })
  }
  const { snapshot, outcome, stop } = taken.success
  yield* restoreAnswers(gate, snapshot, secrets)
  if (stop !== undefined) yield* toolRunner.stop(stop)
  return outcome instanceof TaskFailure ? yield* outcome : outcome
})

/** The services of the worker on which the run itself executes. */
const makeClusterPeer = (secrets: Secrets) =>
  Effect.gen(function* () {
    const workers = yield* ClusterWorkers
    const alive = Effect.map(Effect.orDie(workers.alive), (all) => all.map(({ name }) => name))
    return { alive, gate: yield* Gate, toolRunner: yield* ToolRunner, secrets } satisfies Peer
  })

/** Gives the tasks of a run to the engine. */
export const layerClusterTasks = (
  runId: string,
  secrets: Secrets
): Layer.Layer<Refiner | TaskRunner, never, ClusterWorkers | Gate | ToolRunner> =>
  Layer.merge(
    Layer.effect(
      Refiner,
      Effect.map(makeClusterPeer(secrets), (peer) =>
        Refiner.of({
          refine: (order: TaskOrder) =>
            runOnPeer(peer, { phase: "refinement", task: order.task }, (sent) =>
              Effect.flatMap(
                withoutSecrets(RefineTask.payloadSchema, { runId, ...sent, ...order }, secrets.redact),
                (payload) => RefineTask.execute(payload)
              )
            ).pipe(Effect.flatMap((sent) => knownRefinement(secrets, { runId, round: order.round }, sent)))
        })
      )
    ),
    Layer.effect(
      TaskRunner,
      Effect.map(makeClusterPeer(secrets), (peer) =>
        TaskRunner.of({
          run: (order: ExecutionOrder) =>
            runOnPeer(peer, { phase: "execution", task: order.refinement.task }, (sent) =>
              Effect.flatMap(
                withoutSecrets(RunTask.payloadSchema, { runId, ...sent, ...order }, secrets.redact),
                (payload) => RunTask.execute(payload)
              )
            )
        })
      )
    )
  )

/** The services of one worker for the tasks of a run. */
export interface TaskContext extends CallJudges {
  readonly refiner: Refiner["Service"]
  readonly taskRunner: TaskRunner["Service"]
  readonly toolRunner: ToolRunner["Service"]
  /** What a task with these tools in its calls needs and this worker does not have, as a sentence. */
  readonly lacks: (task: Task, tools: ReadonlyArray<string>) => string | undefined
  /** Fails when what happens cannot be persisted any more. */
  readonly failed: Effect.Effect<never, { readonly message: string }>
}

/** Work on a task, in words. */
export type TaskWork = { readonly task: string; readonly verb: "refines" | "carries out" }

interface PieceOfWork {
  readonly task: Task
  readonly phase: TaskPhase
  readonly calls?: ReadonlyArray<ToolCall>
}

/** Does work of a run with the services of this worker; fails when they cannot be built. */
export type WithTaskContext<R> = <A>(
  runId: string,
  about: TaskWork,
  work: (context: TaskContext) => Effect.Effect<A, { readonly message: string }>
) => Effect.Effect<A, { readonly message: string }, R>

/** Registers the task workflows of this worker with the engine. */
export const layerTaskWorkflows = <R>(withRunContext: WithTaskContext<R>, secrets: Secrets) => {
  const workHere = <A>(
    { snapshot, runId }: { readonly snapshot: GateSnapshot; readonly runId: string },
    { calls = [], phase, task }: PieceOfWork,
    work: (context: TaskContext) => Effect.Effect<A, TaskFailure>
  ): Effect.Effect<PeerResult<A>, never, R> => {
    const failed = (reason: string) => new TaskFailure({ task: task.name, phase, reason, skipped: false })
    const verb = phase === "refinement" ? "refines" : "carries out"
    return withRunContext(runId, { task: task.name, verb }, (context) =>
      Effect.gen(function* () {
        const tools = calls.map(({ name }) => name)
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
        const given = { outcome: failed(error.message), snapshot }
        return Effect.succeed(
          error instanceof UnfitWorker ? { ...given, unfit: { worker: workerName, why: error.why } } : given
        )
      })
    )
  }
  return Layer.merge(
    RefineTask.toLayer(({ place: _place, snapshot, runId, ...order }) =>
      workHere({ snapshot, runId }, { task: order.task, phase: "refinement" }, ({ refiner }) =>
        Effect.tap(refiner.refine(order), (made) => keepRefinement(secrets, { runId, round: order.round }, made))
      ).pipe(Effect.flatMap((result) => withoutSecrets(RefineTask.successSchema, result, secrets.redact)))
    ),
    RunTask.toLayer(({ place: _place, snapshot, runId, ...order }) => {
      const { refinement: sent, ...place } = order
      const { calls, task } = sent
      return workHere({ snapshot, runId }, { task, phase: "execution", calls }, (context) =>
        wholeRefinement(secrets, { runId, round: order.round }, sent, context.refiner.refine({ ...place, task })).pipe(
          Effect.tap(({ calls: whole }) =>
            whole === calls ? Effect.void : coverWhole(context, { task: task.name, sent: calls, whole }, secrets.redact)
          ),
          Effect.flatMap((refinement) => context.taskRunner.run({ ...place, refinement }))
        )
      ).pipe(Effect.flatMap((result) => withoutSecrets(RunTask.successSchema, result, secrets.redact)))
    })
  )
}
