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
import { hashOf } from "../files/Hash.ts"
import { type PermissionDenied, SavedDenial } from "../permissions/GateQuestion.ts"
import { GateSnapshot, Gate } from "../permissions/Gate.ts"
import { TaskLoop } from "../pipeline/TaskLoop.ts"
import { CallsDeclined, type TaskOrder } from "../pipeline/TaskStage.ts"
import { type ExecutionOrder, TaskRunner } from "../pipeline/TaskRunner.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
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

export interface GivenBack {
  readonly order: RunOrder
  readonly placement: RunPlacement | undefined
  readonly unfit: UnfitWorker
  readonly report: (what: string) => Effect.Effect<void>
}

/** Offers a run for which this worker lacks something to the next one; an ending when there is none. */
export const giveBack = Effect.fn("giveBack")(function* ({ order, placement, report, unfit }: GivenBack) {
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
  success: Schema.Struct({ outcome: Schema.Union([Refinement, TaskFailure, CallsDeclined]), ...back }),
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
): Layer.Layer<TaskLoop | TaskRunner, never, ClusterWorkers | Gate | ToolRunner> =>
  Layer.merge(
    Layer.effect(
      TaskLoop,
      Effect.map(makeClusterPeer(secrets), (peer) =>
        TaskLoop.of({
          refine: () => Effect.die("A cluster carries out whole tasks."),
          work: (order: TaskOrder) =>
            runOnPeer(peer, { phase: "refinement", task: order.task }, (sent) =>
              Effect.flatMap(
                withoutSecrets(RefineTask.payloadSchema, { runId, ...sent, ...order }, secrets.redact),
                (payload) => RefineTask.execute(payload)
              )
            ).pipe(
              Effect.flatMap((sent) =>
                sent instanceof CallsDeclined
                  ? Effect.fail(sent)
                  : knownRefinement(secrets, { runId, round: order.round }, sent)
              )
            )
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
  readonly loop: TaskLoop["Service"]
  readonly taskRunner: TaskRunner["Service"]
  readonly toolRunner: ToolRunner["Service"]
  /** What a task with these tools in its calls needs and this worker does not have, as a sentence. */
  readonly lacks: (task: Task, tools: ReadonlyArray<string>) => string | undefined
  /** Fails when what happens cannot be persisted any more. */
  readonly failed: Effect.Effect<never, { readonly message: string }>
}

/** Work on a task, in words. */
export type TaskWork = { readonly task: string; readonly verb: "works on" | "changes files for" }

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
    const verb = phase === "refinement" ? "works on" : "changes files for"
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
      workHere({ snapshot, runId }, { task: order.task, phase: "refinement" }, ({ loop }) =>
        loop.work(order).pipe(
          Effect.tap((made) => keepRefinement(secrets, { runId, round: order.round }, made)),
          Effect.catchTag("CallsDeclined", (declined) => Effect.succeed<Refinement | CallsDeclined>(declined))
        )
      ).pipe(Effect.flatMap((result) => withoutSecrets(RefineTask.successSchema, result, secrets.redact)))
    ),
    RunTask.toLayer(({ place: _place, snapshot, runId, ...order }) => {
      const { refinement: sent, ...place } = order
      const { calls, task } = sent
      return workHere({ snapshot, runId }, { task, phase: "execution", calls }, (context) =>
        wholeRefinement(
          secrets,
          { runId, round: order.round },
          sent,
          Effect.catchTag(context.loop.work({ ...place, task }), "CallsDeclined", () =>
            Effect.fail(
              new TaskFailure({
                task: task.name,
                phase: "execution",
                reason: "its calls were declined.",
                skipped: false
              })
            )
          )
        ).pipe(
          Effect.tap(({ calls: whole }) =>
            whole === calls ? Effect.void : coverWhole(context, { task: task.name, sent: calls, whole }, secrets.redact)
          ),
          Effect.flatMap((refinement) => context.taskRunner.run({ ...place, refinement }))
        )
      ).pipe(Effect.flatMap((result) => withoutSecrets(RunTask.successSchema, result, secrets.redact)))
    })
  )
}
