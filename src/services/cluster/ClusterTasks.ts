/**
 * The tasks of a cluster run as workflows of their own: the engine chooses the worker that refines or executes a task.
 * The scheduler uses a `Refiner` and a `TaskRunner` as in any run. The answers of people are sent with a task and
 * returned.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { Briefing } from "../../domain/models/Briefing.ts"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { Refinement } from "../../domain/documents/RefinementFormat.ts"
import { Task } from "../../domain/plan/Task.ts"
import { TaskFailure, type TaskPhase, TaskResult } from "../../domain/plan/TaskResult.ts"
import { hashOf } from "../files/Hash.ts"
import { PermissionDenied } from "../permissions/PermissionDenied.ts"
import { GateSnapshot, Gate } from "../permissions/Gate.ts"
import { Refiner } from "../pipeline/Refiner.ts"
import type { TaskOrder } from "../pipeline/TaskOrder.ts"
import { type ExecutionOrder, TaskRunner } from "../pipeline/TaskRunner.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"

/** The payload that a task needs on any worker. */
const place = {
  runId: Schema.String,
  briefing: Briefing,
  round: Schema.Int,
  step: Schema.Int,
  finished: Schema.Array(TaskResult),
  snapshot: GateSnapshot
}

/** The part of the result that is the same for every task. */
const back = {
  snapshot: GateSnapshot,
  /** Why the run is to stop: a person said so about a call in doubt, or nobody could say. */
  stop: Schema.optionalKey(PermissionDenied)
}

interface Placed {
  readonly runId: string
  readonly round: number
  readonly finished: ReadonlyArray<TaskResult>
}

/** The same task on the same results of others is the same work, in whatever order they came. */
const workKey = ({ finished, round, runId }: Placed, task: Task): string => {
  const results = finished.map(({ result, task: { slug } }): [string, string] => [slug, result.document])
  return [runId, round, task.slug, hashOf(results.toSorted(([a], [b]) => compareCodePoints(a, b)))].join("/")
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
}

/** Provides the workflow engine of the current fiber. */
const onEngine = <A>(effect: Effect.Effect<A, never, WorkflowEngine>): Effect.Effect<A> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.provideService(effect, WorkflowEngine, Context.getUnsafe(context, WorkflowEngine))
  )

/** Runs work on the engine with the answers so far, and restores the answers that came meanwhile. */
const runOnPeer = Effect.fnUntraced(function* <A>(
  { gate, toolRunner }: Pick<TaskContext, "gate" | "toolRunner">,
  execute: (snapshot: GateSnapshot) => Effect.Effect<PeerResult<A>, never, WorkflowEngine>
): Effect.fn.Return<A, TaskFailure> {
  const { snapshot, outcome, stop } = yield* onEngine(execute(yield* gate.snapshot))
  yield* gate.restore(snapshot)
  if (stop !== undefined) yield* toolRunner.stop(stop)
  return outcome instanceof TaskFailure ? yield* outcome : outcome
})

/** The services of the worker on which the run itself executes. */
const clusterPeer = Effect.gen(function* () {
  return { gate: yield* Gate, toolRunner: yield* ToolRunner }
})

/** Gives the tasks of a run to the engine. */
export const layerClusterTasks = (runId: string): Layer.Layer<Refiner | TaskRunner, never, Gate | ToolRunner> =>
  Layer.merge(
    Layer.effect(
      Refiner,
      Effect.map(clusterPeer, (clusterPeer) =>
        Refiner.of({
          refine: (order: TaskOrder) =>
            runOnPeer(clusterPeer, (snapshot) => RefineTask.execute({ runId, snapshot, ...order }))
        })
      )
    ),
    Layer.effect(
      TaskRunner,
      Effect.map(clusterPeer, (clusterPeer) =>
        TaskRunner.of({
          run: (order: ExecutionOrder) =>
            runOnPeer(clusterPeer, (snapshot) => RunTask.execute({ runId, snapshot, ...order }))
        })
      )
    )
  )

/** The services of one worker for the tasks of a run. */
export interface TaskContext {
  readonly gate: Gate["Service"]
  readonly refiner: Refiner["Service"]
  readonly taskRunner: TaskRunner["Service"]
  readonly toolRunner: ToolRunner["Service"]
  /** Fails when what happens cannot be persisted any more. */
  readonly failed: Effect.Effect<never, { readonly message: string }>
}

/** Work on a task, in words. */
export interface TaskWork {
  readonly task: string
  readonly verb: "refines" | "carries out"
}

/** Does work of a run with the services of this worker; fails when they cannot be built. */
export type WithTaskContext<R> = <A>(
  runId: string,
  about: TaskWork,
  work: (context: TaskContext) => Effect.Effect<A, { readonly message: string }>
) => Effect.Effect<A, { readonly message: string }, R>

/** Registers the task workflows of this worker with the engine. */
export const layerTaskWorkflows = <R>(withRunContext: WithTaskContext<R>) => {
  const workHere = <A>(
    { snapshot, runId }: { readonly snapshot: GateSnapshot; readonly runId: string },
    { task, phase }: { readonly task: Task; readonly phase: TaskPhase },
    work: (context: TaskContext) => Effect.Effect<A, TaskFailure>
  ): Effect.Effect<PeerResult<A>, never, R> => {
    const failed = (reason: string) => new TaskFailure({ task: task.name, phase, reason, skipped: false })
    const verb = phase === "refinement" ? "refines" : "carries out"
    return withRunContext(runId, { task: task.name, verb }, (context) =>
      Effect.gen(function* () {
        yield* context.gate.restore(snapshot)
        const working: Effect.Effect<A | TaskFailure> = Effect.catchTag(work(context), "TaskFailure", (failure) =>
          Effect.succeed(failure)
        )
        const outcome = yield* Effect.raceFirst(working, context.failed)
        const stop = yield* context.toolRunner.stopReason
        return { outcome, snapshot: yield* context.gate.snapshot, ...(stop === undefined ? {} : { stop }) }
      })
    ).pipe(Effect.catch(({ message }) => Effect.succeed({ outcome: failed(message), snapshot })))
  }
  return Layer.merge(
    RefineTask.toLayer(({ snapshot, runId, ...order }) =>
      workHere({ snapshot, runId }, { task: order.task, phase: "refinement" }, ({ refiner }) => refiner.refine(order))
    ),
    RunTask.toLayer(({ snapshot, runId, ...order }) =>
      workHere({ snapshot, runId }, { task: order.refinement.task, phase: "execution" }, ({ taskRunner }) =>
        taskRunner.run(order)
      )
    )
  )
}
