/**
 * The path of every tool call: decode, resolve, permit, run, record. A change of a file takes this path twice: in a
 * working copy, and later in the project.
 *
 * This is the only place where a tool runs. Every call gets exactly one result, even if it is unknown, invalid or
 * denied, or crashes.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { defaultLimits } from "../../domain/configuration/Limits.ts"
import { answerOf, type ToolCallId, toolCallKey } from "../../domain/runs/ActivityKey.ts"
import { type WriteAccess, writesIn } from "../../domain/tools/Access.ts"
import {
  type CallOutcome,
  fileTools,
  type PreparedCall,
  type ToolCall,
  ToolFailure
} from "../../domain/tools/ToolCall.ts"
import { withoutDeclaredSecrets } from "../runs/KnownSecrets.ts"
import { CurrentCopy, type WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate } from "../permissions/Gate.ts"
import { type PermissionDenied, questionOfCall, questionOfReading } from "../permissions/GateQuestion.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { UsageMeter } from "../runs/UsageMeter.ts"
import { type CallLimits, makeLimitedRun } from "./CallLimits.ts"
import { activityOf, makeCallRecords, makeBeginning, measured, TooManyDenials } from "./CallRecords.ts"
import { makeReports, withNotes } from "./CallReports.ts"
import { makeCallTime } from "./CallTime.ts"
import { revealedFiles } from "./FileAccess.ts"
import { type CallData, makeKeepOutput } from "./KeepOutput.ts"
import { makeInFlightCalls } from "./InFlightCalls.ts"
import { makeResultNotes } from "./ResultNotes.ts"
import { guardTool } from "./ToolGuard.ts"
import { ToolRegistry } from "./ToolRegistry.ts"

/** Where a call writes: to the project itself, or to the working copy of a task. */
export type CallTarget = WorkingCopy | "project"

/**
 * True for a call that only changes a working copy. It is not recorded as an activity. The gate asks about the change
 * only when it is made in the project.
 */
export const isProposal = ({ name }: ToolCall, target: CallTarget): boolean =>
  target !== "project" && fileTools.has(name)

/** Observes changes of the project before and after they are made. A plugin can provide it. */
export interface ChangeGuard {
  /** Why the change must not be made; undefined if it may. */
  readonly objectionTo: (writes: ReadonlyArray<WriteAccess>) => Effect.Effect<string | undefined>
  readonly noteMade: (writes: ReadonlyArray<WriteAccess>) => Effect.Effect<void>
}

export const ChangeGuard = Context.Reference<ChangeGuard>("task-conductor/services/tools/ChangeGuard", {
  defaultValue: () => ({ objectionTo: () => Effect.undefined, noteMade: () => Effect.void })
})

const accessesOf = (resolved: Result.Result<PreparedCall, ToolFailure>): PreparedCall["accesses"] =>
  Result.isSuccess(resolved) ? resolved.success.accesses : []

/**
 * True for a call that moves files, or whose preparation failed. The moved file, or the reason of the failure, can
 * reveal the content of files.
 */
const revealsFiles = (resolved: Result.Result<PreparedCall, ToolFailure>): boolean =>
  Result.isFailure(resolved) || writesIn(accessesOf(resolved)).some(({ from }) => from !== undefined)

const makeToolRunner = Effect.fnUntraced(function* (limits: CallLimits) {
  const gate = yield* Gate
  const guard = yield* ChangeGuard
  const keep = yield* makeKeepOutput(limits)
  const inFlight = yield* makeInFlightCalls
  const begin = yield* makeBeginning(inFlight)
  const noteResult = yield* makeResultNotes
  const records = yield* makeCallRecords(inFlight)
  const registry = yield* ToolRegistry
  const runLimited = yield* makeLimitedRun(limits)
  const reportsOf = yield* makeReports
  const workspace = yield* Workspace

  const run = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall, target: CallTarget) {
    const copy = target === "project" ? undefined : target
    const isProposed = isProposal(call, target)
    const key = toolCallKey(id)
    // A denial also applies to the other calls of the same reply. The scope of a proposal names no reply, because the
    // gate does not ask about proposals.
    const scope = isProposed
      ? { task: id.task, place: key }
      : { task: id.task, place: activityOf({ id, call }).name, reply: answerOf(key) }
    let lastDenial: PermissionDenied | undefined
    const make = Effect.gen(function* () {
      let startedAt = yield* Clock.currentTimeMillis
      const { lines, publishing, reports } = yield* reportsOf(id, call.name)
      const steps = Effect.gen(function* () {
        // 1. Decode the arguments with the tool's schema.
        const decoded = registry.decode(call)
        // 2. Resolve the declared accesses. A failure waits until the first question of step 3, because it may reveal
        // the content of files.
        const tool = { name: call.name, origin: registry.find(call.name)?.origin }
        const resolving = Effect.flatMap(decoded, ({ resolve }) => resolve)
        const resolved = yield* guardTool(tool, resolving)
        // 3. Permit: asks first whether a diff or a failure may reveal the content of files. Then asks about the call
        // itself.
        const revealed =
          isProposed || revealsFiles(resolved) ? yield* revealedFiles(call, accessesOf(resolved), workspace) : []
        for (const file of revealed) yield* gate.authorize(questionOfReading(scope, file, call.name))
        const prepared = yield* Effect.fromResult(resolved)
        const permit = yield* gate.authorize({ ...questionOfCall(scope, prepared), isProposal: isProposed })
        // 4. Run the call within the limits. The change guard may object first. The journal records a call with effects
        // before it begins.
        const writes = target === "project" ? writesIn(prepared.accesses) : []
        const objection = writes.length === 0 ? undefined : yield* guard.objectionTo(writes)
        if (objection !== undefined) return yield* new ToolFailure({ type: "validation_failed", message: objection })
        if (!isProposed) yield* begin({ id, call, copy }, prepared)
        startedAt = yield* Clock.currentTimeMillis
        const time = yield* makeCallTime
        const code = registry.execute(permit, reports, time.paused)
        const returned = yield* runLimited(id, prepared, { code, publishing, time })
        startedAt += yield* time.waited
        const outcome = yield* Effect.result(
          Effect.flatMap(Effect.fromResult(returned), (output) => keep(call.name, output))
        )
        if (writes.length > 0 && Result.isSuccess(outcome)) yield* guard.noteMade(writes)
        // A resumed run asks again after a denial, unless the call may already have changed something.
        const isDenied = Result.isFailure(outcome) && outcome.failure.type === "permission_denied"
        const denied = isDenied ? permit.denied() : undefined
        lastDenial = denied?.endsTask === true ? denied : undefined
        return yield* prepared.info.effect === "pure" && denied !== undefined ? denied : Effect.fromResult(outcome)
      })
      const outcome = yield* steps.pipe(
        Effect.map((data) => Result.succeed(data)),
        Effect.catchTag("ToolFailure", (failure) => Effect.succeed(Result.fail(failure)))
      )
      const { files } = Result.getOrElse(outcome, (): Partial<CallData> => ({}))
      const result = yield* measured(
        Result.map(outcome, ({ data }) => data),
        startedAt
      )
      return withoutDeclaredSecrets(withNotes(result, lines(), files))
    })
    // 5. Record: the result is on disk before the run continues. A recorded call is never made again.
    const recorded =
      copy !== undefined && isProposed ? records.proposal(id, copy, make) : records.activity({ id, call, copy }, make)
    const noted = Effect.tap(recorded, (result) => noteResult(call, registry.find(call.name), result))
    const result = yield* Effect.provideService(noted, CurrentCopy, copy)
    return lastDenial === undefined ? result : yield* new TooManyDenials({ denied: lastDenial, result })
  })

  return {
    /**
     * Runs one call that writes to `target`. A change of a working copy is made without a question. Any other call is
     * one activity. Emits `tool.started`, and `tool.finished` when the result is recorded.
     *
     * An interruption stops the tool. A denial fails the activity, so a resumed run may ask again.
     */
    run,
    wasBegun: records.wasBegun,
    /**
     * Resolves if the run must stop, once all running calls have ended. The value is the reason: the user answered
     * "stop" to a question about an uncertain call, or nobody answered it.
     */
    stopped: inFlight.stopped,
    /** Why the run should stop; undefined if it should not. */
    stopReason: inFlight.reason,
    /** Stops the run because of an answer that another worker received. */
    stop: (reason: PermissionDenied) => Effect.andThen(inFlight.stop(reason), inFlight.end(""))
  }
})

export class ToolRunner extends Context.Service<ToolRunner>()("task-conductor/services/tools/ToolRunner", {
  make: makeToolRunner
}) {
  static readonly layer = (limits: CallLimits = defaultLimits) => Layer.effect(this, this.make(limits))

  /** The runner with the limits of the run. */
  static readonly layerSettings = Layer.unwrap(Effect.map(RunSettings, ({ limits }) => ToolRunner.layer(limits)))
}

/** The task of a call, and where it writes. */
interface CallOwner {
  readonly task: string
  readonly round: number
  readonly target: CallTarget
}

/** Returns a function that runs a call of a task and counts it. A change counts when it is made in the project. */
export const makeTaskCall = Effect.gen(function* () {
  const runner = yield* ToolRunner
  const meter = yield* UsageMeter
  return Effect.fnUntraced(function* ({ round, target, task }: CallOwner, call: ToolCall) {
    const result = yield* runner.run({ round, task, uid: call.uid }, call, target)
    if (!isProposal(call, target)) yield* meter.toolCall
    return { call, result } satisfies CallOutcome
  })
})
