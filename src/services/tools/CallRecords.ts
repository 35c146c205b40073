/**
 * The records of calls in the journal. A call with effects outside a working copy is one activity. A resumed run takes
 * its result from the journal, or asks about a call that began and has no result.
 *
 * A change of a working copy is recorded only for a replay. A resumed run makes it again.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ProposedFile } from "../../domain/files/ProposedFile.ts"
import type { FileState, UncertainCall } from "../../domain/journal/JournalRecord.ts"
import { activityName, seenKey, type ToolCallId, toolCallKey } from "../../domain/runs/ActivityKey.ts"
import { redacted } from "../../domain/text/Redaction.ts"
import { accessTarget, type WriteAccess, writesIn, writtenText } from "../../domain/tools/Access.ts"
import {
  builtInOrigin,
  fileTools,
  type PreparedCall,
  type ToolCall,
  ToolFailure,
  ToolResult
} from "../../domain/tools/ToolCall.ts"
import { fileFailure } from "../files/FileFailure.ts"
import { FileVersions } from "../files/FileVersions.ts"
import { hashOf, textHash } from "../files/Hash.ts"
import { changesSince, ProposedChange, proposeAgain, proposedSince, type WorkingCopy } from "../files/WorkingCopy.ts"
import { fileState, Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { Journal } from "../journal/Journal.ts"
import { Gate } from "../permissions/Gate.ts"
import { type PermissionDenied, SavedDenial } from "../permissions/GateQuestion.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { sizeOf } from "./CallLimits.ts"
import type { makeInFlightCalls } from "./InFlightCalls.ts"
import { resolveUncertain } from "./UncertainCall.ts"

/** The result of a call, and its changes of a working copy, which a resumed run restores. */
const MadeCall = Schema.Struct({
  ...ToolResult.fields,
  proposed: Schema.optionalKey(Schema.Array(ProposedFile))
})

/** A call that only changed the working copy, with its denials, for a replay. */
const ProposingCall = Schema.Struct({
  ...ToolResult.fields,
  proposed: Schema.optionalKey(Schema.Array(ProposedChange)),
  denials: Schema.optionalKey(Schema.Array(SavedDenial))
})

/** A call, and the working copy that it writes to. If there is no working copy, the call writes to the project. */
interface PlacedCall {
  readonly id: ToolCallId
  readonly call: ToolCall
  readonly copy: WorkingCopy | undefined
}

/** The activity of a call. Its outcome is valid only for the same tool and arguments. */
export const activityOf = ({ call: { arguments: given, name }, id }: Pick<PlacedCall, "call" | "id">) => {
  const activity = { key: toolCallKey(id), input: hashOf([name, given]) }
  return { ...activity, name: activityName(activity) }
}

/** The result of a call, with its duration since `startedAt` in milliseconds. */
export const measured = (outcome: Result.Result<Schema.Json, ToolFailure>, startedAt: number) =>
  Effect.map(Clock.currentTimeMillis, (timestamp): ToolResult => {
    const metadata = { execution_time_ms: timestamp - startedAt, data_size_bytes: 0, timestamp }
    if (Result.isFailure(outcome)) {
      const { message, type } = outcome.failure
      return { success: false, data: null, error_message: message, error_type: type, metadata }
    }
    const data = outcome.success
    const measures = { ...metadata, data_size_bytes: sizeOf(data) }
    return { success: true, data, error_message: null, error_type: "none", metadata: measures }
  })

const measuredNow = (outcome: Result.Result<Schema.Json, ToolFailure>) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => measured(outcome, now))

const refusal = ({ forModel }: PermissionDenied) =>
  Result.fail(new ToolFailure({ type: "permission_denied", message: forModel }))

/** True if a secret was redacted in the files that the call wrote. */
const lacksSecret = ({ base, text }: ProposedFile): boolean => `${base}${text}`.includes(redacted)

const lostFiles =
  "What this call wrote is not known any more: it holds a secret, which is not kept. Make the call again if it is needed."

/** The result of a recorded call. Changes that the working copy lacks are proposed again. */
const resultOf = ({ proposed = [], ...result }: typeof MadeCall.Type, copy: WorkingCopy | undefined): ToolResult => {
  if (copy !== undefined && proposed.some(lacksSecret)) {
    return { ...result, success: false, data: null, error_message: lostFiles, error_type: "io_error" }
  }
  for (const file of proposed) copy?.propose(file)
  return result
}

/**
 * The result of a call that was made before the run was interrupted. Its output is not known, and its changes of a
 * working copy are lost.
 */
const happened = ({ targets }: UncertainCall, copy: WorkingCopy | undefined): Schema.Json => ({
  note: "This call was carried out before the run was interrupted; its output is not known.",
  ...(copy === undefined ? {} : { files: "What it wrote may be missing: look before you rely on it." }),
  targets
})

/**
 * The result of a call that is not made. Before the interruption, the model had made another call at this point, but
 * the answer with that call is lost.
 */
const replaced = ({ call: { arguments: given, name }, outcome }: UncertainCall): Schema.Json => ({
  note: "This call was not made. The run was interrupted, and an answer of yours before that had made another call in its place:",
  carried_out: [name, given as Schema.JsonObject],
  outcome: outcome ?? "It is not known."
})

/**
 * True for a call that may be repeated after a crash without a question: it changes nothing, or is an isolated command
 * on a new copy. Never true for a plugin's tool, which may do more than it declares.
 */
const isRepeatable = ({ accesses, info: { effect, origin } }: PreparedCall): boolean =>
  effect === "pure" ||
  (origin === builtInOrigin &&
    accesses.length > 0 &&
    accesses.every((access) => access._tag === "RunCommand" && access.leavesNothing === true))

/** Ends the task, because the user denied the same effect too often. The call still has a result. */
export class TooManyDenials extends Schema.TaggedError<TooManyDenials>()("TooManyDenials", {
  denied: SavedDenial,
  result: ToolResult
}) {
  override get message(): string {
    return this.denied.message
  }
}

/** Makes a call. Fails with the denial if the call was denied and changed nothing. */
type Make = Effect.Effect<ToolResult, PermissionDenied>

type InFlightCalls = Effect.Success<typeof makeInFlightCalls>

/** Reports and records the beginning of a call with effects outside a working copy. */
export const makeBeginning = Effect.fnUntraced(function* (inFlight: InFlightCalls) {
  const events = yield* RunEvents
  const journal = yield* Journal
  const versions = yield* FileVersions
  const workspace = yield* Workspace

  /** The state of a file before a write. Stores its content for undo. */
  const stateBefore = Effect.fnUntraced(function* (write: WriteAccess, isProposed: boolean) {
    const { folder, from, kind, path } = write
    const text = writtenText(write)
    const bytes = text !== null && kind !== "link" ? from : undefined
    const change: FileState = {
      path,
      before: yield* fileState(workspace, path),
      after: text === null ? null : (bytes?.state ?? textHash(text)),
      ...(kind === undefined ? {} : { kind }),
      ...(text !== null && bytes?.isText === true ? { reads: textHash(text) } : {}),
      ...(text === null && folder !== undefined ? { goes: folder } : {})
    }
    if (isProposed) return change
    const next = bytes === undefined ? text : { from: bytes.path }
    return yield* Effect.mapError(versions.keep(change, next), fileFailure("keep", path))
  })

  const intend = Effect.fnUntraced(function* (placed: PlacedCall, { accesses, call, info }: PreparedCall) {
    const { name: key } = activityOf(placed)
    const writes = writesIn(accesses).filter(({ holds }) => holds?.is !== "folder")
    const files = yield* Effect.forEach(writes, (write) => stateBefore(write, placed.copy !== undefined))
    if (!fileTools.has(call.name)) versions.noteOther()
    const targets = accesses.map(accessTarget)
    yield* inFlight.mayBegin(call.name)
    yield* inFlight.begin(key)
    yield* journal.append({ type: "intent", key, call, task: placed.id.task, effect: info.effect, targets, files })
  })

  return Effect.fnUntraced(function* (placed: PlacedCall, prepared: PreparedCall) {
    const { accesses, call, risk } = prepared
    if (!isRepeatable(prepared)) yield* intend(placed, prepared)
    yield* events.publish({ type: "tool.started", id: placed.id, call, risk, targets: accesses.map(accessTarget) })
  })
})

/** Makes functions that record calls in the journal, and find results of earlier sessions there. */
export const makeCallRecords = Effect.fnUntraced(function* (inFlight: InFlightCalls) {
  const activities = yield* Activities
  const events = yield* RunEvents
  const gate = yield* Gate
  const journal = yield* Journal
  const workspace = yield* Workspace

  const proposal = Effect.fnUntraced(function* (id: ToolCallId, copy: WorkingCopy, make: Make) {
    const before = copy.files()
    let isFresh = false
    const measured = Effect.gen(function* (): Effect.fn.Return<typeof ProposingCall.Type> {
      isFresh = true
      const result = yield* Effect.catchTag(make, "PermissionDenied", (denied) =>
        Effect.map(measuredNow(refusal(denied)), (refused) => ({ ...refused, denials: [denied] }))
      )
      const changes = changesSince(copy, before)
      return changes.length === 0 ? result : { ...result, proposed: changes }
    })
    const key = seenKey.proposal(id)
    const { denials: _, proposed = [], ...result } = yield* activities.record({ key, success: ProposingCall }, measured)
    if (!isFresh) proposeAgain(copy, proposed)
    return result
  })

  /** The result of a call in an earlier session, as far as it is known. Undefined for a call that must be made. */
  const earlierResult = Effect.fnUntraced(function* ({ call, copy, id }: PlacedCall) {
    const { name: key } = activityOf({ call, id })
    const uncertain = yield* journal.uncertain(key)
    if (uncertain === undefined) return undefined
    const hasHappened =
      uncertain.outcome !== undefined ||
      (yield* Effect.tapError(resolveUncertain(uncertain, gate, workspace), inFlight.stop)) === "done"
    if (!hasHappened) return undefined
    return yield* measuredNow(Result.succeed(uncertain.key === key ? happened(uncertain, copy) : replaced(uncertain)))
  })

  /** Makes and records a call with effects outside a working copy. */
  const activity = Effect.fnUntraced(function* (placed: PlacedCall, make: Make) {
    const { call, copy, id } = placed
    const { input, key, name } = activityOf(placed)
    const before = copy?.files() ?? []
    let isFresh = false
    const execute = Effect.gen(function* () {
      yield* inFlight.mayBegin(call.name)
      const result = (yield* earlierResult(placed)) ?? (yield* make)
      isFresh = true
      const proposed = copy === undefined ? [] : proposedSince(copy, before)
      return proposed.length === 0 ? result : { ...result, proposed }
    })
    const report = (result: ToolResult) => events.publish({ type: "tool.finished", id, name: call.name, result })
    const reportMade = (made: typeof MadeCall.Type) => report(resultOf(made, undefined))
    const deny = Effect.fnUntraced(function* (denied: PermissionDenied) {
      const result = yield* measuredNow(refusal(denied))
      yield* report(result)
      return denied.endsTask ? yield* new TooManyDenials({ denied, result }) : result
    })
    return yield* activities.run({ key, input, success: MadeCall, error: SavedDenial, execute, emit: reportMade }).pipe(
      Effect.map((result) => resultOf(result, isFresh ? undefined : copy)),
      Effect.catchTag("PermissionDenied", deny),
      Effect.ensuring(inFlight.end(name))
    )
  })

  /** True if an earlier session made or began the call. Such a call is not repeated. */
  const wasBegun = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall) {
    const { name } = activityOf({ id, call })
    return Option.isSome(yield* journal.saved("outcome", name)) || (yield* journal.uncertain(name)) !== undefined
  })

  return { activity, proposal, wasBegun }
})
