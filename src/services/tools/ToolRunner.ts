/**
 * The road of a tool call: decode, resolve, permit, run, record. All calls of a model take it, whoever wrote the tool, and so do changes
 * of files, in the working copy of a task as well as in the project: it is the only place where a tool runs. Every call gets exactly one
 * result, also when it is unknown, invalid, denied, or crashes.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { defaultLimits } from "../../domain/configuration/Limits.ts"
import { type ToolCallId, toolCallKey } from "../../domain/runs/ActivityKey.ts"
import { accessTarget, type WriteAccess, writesIn } from "../../domain/tools/Access.ts"
import {
  builtInOrigin,
  fileTools,
  type PreparedCall,
  type ToolCall,
  ToolFailure,
  type ToolResult
} from "../../domain/tools/ToolCall.ts"
import { CurrentCopy, type WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { Gate } from "../permissions/Gate.ts"
import {
  type PermissionDenied,
  type QuestionScope,
  questionOfCall,
  questionOfReading
} from "../permissions/GateQuestion.ts"
import { type ReadSource, ReadTexts } from "../permissions/ReadTexts.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { type CallLimits, makeLimitedRun } from "./CallLimits.ts"
import { activityOf, makeCallRecords, makeIntents, measured } from "./CallRecords.ts"
import { ChangeGuard } from "./ChangeGuard.ts"
import { toldFiles } from "./FileAccess.ts"
import { makeInFlightCalls } from "./InFlightCalls.ts"
import { guardTool } from "./ToolGuard.ts"
import { ToolRegistry } from "./ToolRegistry.ts"

/** Where a call writes: to the project itself, or to the working copy of a task. */
export type CallTarget = WorkingCopy | "project"

/**
 * True for a call that only changes a working copy. Nothing is asked about it, and it is no activity: the change is asked about when it is
 * made in the project.
 */
export const isProposal = ({ name }: ToolCall, target: CallTarget): boolean =>
  target !== "project" && fileTools.has(name)

/** The answer of the model that a call is from, so that a denial holds for its other calls. */
const answerOf = ({ round, task, uid }: ToolCallId): string | undefined => {
  const turn = /^turn-\d+(?=\/)/.exec(uid)?.[0]
  return turn === undefined ? undefined : `${round}/${task}/${turn}`
}

/** The strings of a value, also those that it holds. */
const stringsIn = (value: Schema.Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [String(value)]
}

const makeToolRunner = Effect.fnUntraced(function* (limits: CallLimits) {
  const events = yield* RunEvents
  const gate = yield* Gate
  const guard = yield* ChangeGuard
  const inFlight = yield* makeInFlightCalls
  const intend = yield* makeIntents(inFlight)
  const readTexts = yield* ReadTexts
  const records = yield* makeCallRecords(inFlight)
  const registry = yield* ToolRegistry
  const runLimited = yield* makeLimitedRun(limits)
  const workspace = yield* Workspace

  const run = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall, target: CallTarget) {
    const copy = target === "project" ? undefined : target
    const isProposed = isProposal(call, target)
    const place = isProposed ? toolCallKey(id) : activityOf({ id, call }).name
    const scope = { task: id.task, place, answer: isProposed ? undefined : answerOf(id) }
    const make = Effect.gen(function* () {
      let startedAt = yield* Clock.currentTimeMillis
      const steps = Effect.gen(function* () {
        // 1. Decode: find the tool, and read the arguments by its schema.
        const decoded = registry.decode(call)
        // 2. Resolve: what the call accesses, in canonical form. Code of a plugin takes part in both steps, so it is guarded.
        const tool = { name: call.name, origin: registry.find(call.name)?.origin }
        const resolved = yield* guardTool(
          tool,
          Effect.flatMap(decoded, ({ resolve }) => resolve)
        )
        // 3. Permit: first what a failure, a move or a diff tells of files, then the call itself.
        yield* permitTold(call, resolved, scope, isProposed)
        const prepared = yield* Effect.fromResult(resolved)
        const permit = yield* gate.authorize({ ...questionOfCall(scope, prepared), isProposal: isProposed })
        // 4. Run: within its limits; outside of a working copy, the guard of changes may object, and the journal knows of it before.
        const writes = target === "project" ? writesIn(prepared.accesses) : []
        if (!isProposed) yield* begin({ id, call, copy }, prepared, writes)
        startedAt = yield* Clock.currentTimeMillis
        const outcome = yield* runLimited(id, prepared, registry.execute(permit))
        if (writes.length > 0 && Result.isSuccess(outcome)) yield* guard.noteMade(writes)
        // A denied access is asked about again when the run is resumed, except of a call that may have changed something.
        const isDenied = Result.isFailure(outcome) && outcome.failure.type === "permission_denied"
        const denied = isDenied && prepared.info.effect === "pure" ? permit.denied() : undefined
        return yield* denied ?? Effect.fromResult(outcome)
      })
      const data = Effect.map(steps, (value) => Result.succeed(value))
      const failed = Effect.catchTag(data, "ToolFailure", (failure) => Effect.succeed(Result.fail(failure)))
      return yield* measured(yield* failed, startedAt)
    })
    // 5. Record: the result is on the disk before anything goes on, and what the journal has is not made again.
    const recorded =
      copy !== undefined && isProposed ? records.proposal(id, copy, make) : records.activity({ id, call, copy }, make)
    const shown = Effect.tap(recorded, (result) => noteShown(call, result))
    return yield* Effect.provideService(shown, CurrentCopy, copy)
  })

  /** Allows to read the files of which the call tells what they hold: by why it fails, by its diff, or by moving them. */
  const permitTold = Effect.fnUntraced(function* (
    call: ToolCall,
    resolved: Result.Result<PreparedCall, ToolFailure>,
    scope: QuestionScope,
    isProposed: boolean
  ) {
    const accesses = Result.isSuccess(resolved) ? resolved.success.accesses : []
    const isMove = writesIn(accesses).some(({ from }) => from !== undefined)
    if (!isProposed && !isMove && Result.isSuccess(resolved)) return
    for (const file of yield* toldFiles(call, accesses, workspace)) {
      yield* gate.authorize(questionOfReading(scope, file, call.name))
    }
  })

  /** What comes before a call that does something outside of a working copy. */
  const begin = Effect.fnUntraced(function* (
    placed: Parameters<typeof intend>[0],
    prepared: PreparedCall,
    writes: ReadonlyArray<WriteAccess>
  ): Effect.fn.Return<void, PermissionDenied | ToolFailure> {
    const objection = writes.length === 0 ? undefined : yield* guard.objectionTo(writes)
    if (objection !== undefined) return yield* new ToolFailure({ type: "validation_failed", message: objection })
    yield* intend(placed, prepared)
    const { accesses, call, risk } = prepared
    yield* events.publish({ type: "tool.started", id: placed.id, call, risk, targets: accesses.map(accessTarget) })
  })

  /** Where the result of a call is from. A tool of high risk may run commands. */
  const sourceOf = Effect.fnUntraced(function* ({ arguments: { path }, name }: ToolCall): Effect.fn.Return<ReadSource> {
    if (name === "fetch_url") return "page"
    const info = registry.find(name)
    if (info === undefined || name === "run_command" || (info.origin !== builtInOrigin && info.risk === "high")) {
      return "command"
    }
    if (info.origin !== builtInOrigin) return "outside"
    const meant = typeof path === "string" ? Effect.flatMap(workspace.meant(path), workspace.canonical) : undefined
    const file = name === "read_file" && meant !== undefined ? yield* Effect.option(meant) : Option.none()
    return Option.match(file, { onNone: () => "project", onSome: ({ path }) => ({ file: path }) })
  })

  /** Notes what the model is shown of a call. */
  const noteShown = Effect.fnUntraced(function* (call: ToolCall, { data, error_message }: ToolResult) {
    yield* readTexts.noteRead([...stringsIn(data), error_message ?? ""].join("\n"), yield* sourceOf(call))
  })

  return {
    /**
     * Runs one call, and writes where the caller says. A change of a working copy is made there, and nothing is asked. Any other call is
     * one activity, and publishes `tool.started` and, once its result is persisted, `tool.finished`. Interruption reaches the
     * tool. A denial is the failure of the activity, not its outcome: who resumes the run may be asked again.
     */
    run,
    wasBegun: records.wasBegun,
    /**
     * Returns why the run must stop: a call is in doubt, and the answer was to stop, or nobody answered. By then the
     * calls in flight have ended.
     */
    stopped: inFlight.stopped,
    /** Why the run is to stop, if a call requires it. */
    stopReason: inFlight.reason,
    /** Stops the run for an answer that another worker received. */
    stop: (reason: PermissionDenied) => Effect.andThen(inFlight.stop(reason), inFlight.end(""))
  }
})

export class ToolRunner extends Context.Service<ToolRunner>()("task-conductor/services/tools/ToolRunner", {
  make: makeToolRunner
}) {
  static readonly layer = (limits: CallLimits = defaultLimits) => Layer.effect(this, this.make(limits))

  /** With the limits of the run. */
  static readonly layerSettings = Layer.unwrap(Effect.map(RunSettings, ({ limits }) => ToolRunner.layer(limits)))
}
