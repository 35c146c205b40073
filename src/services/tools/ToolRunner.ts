/**
 * The only place where a tool runs for a model: prepare, authorize, execute, measure. Every call gets exactly one result, also when
 * it is unknown, invalid, denied, or crashes.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { commandSeconds } from "../../domain/commands/CommandSettings.ts"
import { defaultLimits, type Limits } from "../../domain/configuration/Limits.ts"
import { type ToolCallId, activityName, seenKey, toolCallKey } from "../../domain/runs/ActivityKey.ts"
import { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { heartbeatEvery } from "../../domain/runs/RunEvent.ts"
import {
  builtInOrigin,
  type PreparedCall,
  dataText,
  fileTools,
  ToolFailure,
  type ToolCall,
  ToolResult
} from "../../domain/tools/ToolCall.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import {
  PermissionDenied,
  type QuestionScope,
  SavedDenial,
  questionOfCall,
  questionOfReading
} from "../permissions/GateQuestion.ts"
import { accessTarget, type CanonicalAccess, writesIn, writtenText } from "../../domain/tools/Access.ts"
import type { FileState, InDoubtCall } from "../../domain/journal/JournalRecord.ts"
import { Activities } from "../journal/Activities.ts"
import { redacted } from "../../domain/text/Redaction.ts"
import { fileFailure } from "../files/FileFailure.ts"
import { FileVersions } from "../files/FileVersions.ts"
import { hashOf, textHash } from "../files/Hash.ts"
import { toldFiles } from "./FileAccess.ts"
import { ChangeHooks } from "./ChangeHooks.ts"
import { guardTool } from "./ToolGuard.ts"
import { Gate, type Permit, resolveUncertain } from "../permissions/Gate.ts"
import { type ReadSource, ReadTexts } from "../permissions/ReadTexts.ts"
import {
  changesSince,
  CurrentCopy,
  ProposedChange,
  proposeAgain,
  proposedSince,
  type WorkingCopy
} from "../files/WorkingCopy.ts"
import { fileState, Workspace } from "../files/Workspace.ts"
import { Journal } from "../journal/Journal.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "./ToolRegistry.ts"
import * as Deferred from "effect/Deferred"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

/** The limits of tool calls; waiting for an approval does not count. The defaults hold when they are absent. */
export type CallLimits = Pick<Limits, "toolSeconds" | "toolOutputBytes" | "tools">

/** A limit with the setting that raises it. */
interface CallLimit {
  readonly value: number
  readonly name: string
}

/** Commands have a shorter limit of their own, which stops the processes and shows what they wrote. */
const lastForCommands = commandSeconds.most + 60

const sizeOf = (data: Schema.Json): number => Buffer.byteLength(dataText(data))

/** How many seconds a call of a tool may take that runs no command. */
export const secondsOfTool = (limits: CallLimits, name: string): CallLimit => {
  const own = limits.tools?.[name]?.seconds
  return own === undefined
    ? { value: limits.toolSeconds, name: "limits.toolSeconds" }
    : { value: own, name: `limits.tools.${name}.seconds` }
}

/** Makes what waits for a call that did not end at once, and no longer than it may take. */
const makeWait =
  (events: RunEvents["Service"], limits: CallLimits) =>
  (id: ToolCallId, prepared: PreparedCall) =>
  <A>(ended: Effect.Effect<Exit.Exit<A, ToolFailure>>) => {
    const { name } = prepared.info
    const isCommand = prepared.accesses.some((access) => access._tag === "RunCommand")
    const ofCommands = { value: lastForCommands, name: "limits.commandSeconds" }
    const hasOwn = limits.tools?.[name]?.seconds !== undefined
    const time = isCommand && !hasOwn ? ofCommands : secondsOfTool(limits, name)
    // The command itself decides when it ends, by its call or its declaration.
    const ends = time.value === lastForCommands ? {} : { endsAtSeconds: time.value }
    let seconds = 0
    const report = Effect.suspend(() => {
      seconds += heartbeatEvery / 1000
      return events.publish({ type: "tool.running", id, name, seconds, ...ends })
    })
    const signs = Effect.forever(Effect.andThen(Effect.sleep(Duration.millis(heartbeatEvery)), report))
    const message = `The tool ${name} was stopped after ${time.value} s (${time.name}). Ask for less work in one call.`
    return Effect.raceFirst(ended, signs).pipe(
      Effect.timeoutOrElse({
        duration: Duration.seconds(time.value),
        orElse: () => Effect.fail(new ToolFailure({ type: "timeout", message }))
      })
    )
  }

/** The data of a call, unless it is too large. */
const withinOutput = (
  limits: CallLimits,
  prepared: PreparedCall,
  data: Schema.Json
): Result.Result<Schema.Json, ToolFailure> => {
  const size = sizeOf(data)
  const own = limits.tools?.[prepared.info.name]?.outputBytes
  const value = own ?? limits.toolOutputBytes
  const name = own === undefined ? "limits.toolOutputBytes" : `limits.tools.${prepared.info.name}.outputBytes`
  if (size <= value) return Result.succeed(data)
  const message = `The output of ${prepared.info.name} has ${size} bytes, ${value} are allowed (${name}); all of it was left out. Ask for less: a narrower path, range or pattern.`
  return Result.fail(new ToolFailure({ type: "output_limit", message }))
}

/**
 * The calls in flight of one run that change something, none at first, and whether the run is to stop: then no further call
 * begins, and the run stops when those in flight have ended.
 */
export const makeInFlightCalls = Effect.map(Deferred.make<string>(), (stopped) => {
  const inFlight = new Set<string>()
  let why: PermissionDenied | undefined
  return {
    /** Denies a call of this tool when the run is to stop. */
    mayBegin: (tool: string) =>
      Effect.suspend(() => {
        if (why === undefined) return Effect.void
        return new PermissionDenied({ tool, targets: [], by: why.by, reason: "is not started, because the run stops" })
      }),
    /** The call with this key is about to change something. */
    begin: (key: string) => Effect.sync(() => void inFlight.add(key)),
    /** The call has ended and its result is recorded, whether or not it had started. */
    end: (key: string) =>
      Effect.suspend(() => {
        inFlight.delete(key)
        return why === undefined || inFlight.size > 0 ? Effect.void : Deferred.succeed(stopped, why.message)
      }),
    stop: (reason: PermissionDenied) => Effect.sync(() => void (why ??= reason)),
    /** Why the run is to stop, if it is. */
    reason: Effect.sync(() => why),
    /** Returns the reason as soon as the run has stopped. */
    stopped: Deferred.await(stopped)
  }
})

/** A person has denied the same effect so often that the task ends. The call still has its result. */
export class TooManyDenials extends Schema.TaggedError<TooManyDenials>()("TooManyDenials", {
  denied: SavedDenial,
  result: ToolResult
}) {
  override get message(): string {
    return this.denied.message
  }
}

/** A recorded outcome is valid only for the same tool with the same arguments. */
const inputOf = ({ arguments: given, name }: ToolCall): string => hashOf([name, given])

const activityOf = (id: ToolCallId, call: ToolCall) => {
  const activity = { key: toolCallKey(id), input: inputOf(call) }
  return { ...activity, name: activityName(activity) }
}

/** A result with what the call changed in the working copy of its task, which a resumed run gets from here. */
const MadeCall = Schema.Struct({
  ...ToolResult.fields,
  proposed: Schema.optionalKey(Schema.Array(ProposedFile))
})
type MadeCall = typeof MadeCall.Type

/** A call that only changed the working copy, with what was denied of it, which a replay gets from here. */
const ProposingCall = Schema.Struct({
  ...ToolResult.fields,
  proposed: Schema.optionalKey(Schema.Array(ProposedChange)),
  denials: Schema.optionalKey(Schema.Array(SavedDenial))
})

const resultOf = ({ data, error_message, error_type, metadata, success }: ToolResult): ToolResult => ({
  success,
  data,
  error_message,
  error_type,
  metadata
})

/** A secret was taken out of what the call wrote. */
const lacksSecret = ({ base, text }: ProposedFile): boolean => `${base}${text}`.includes(redacted)

const lostFiles =
  "What this call wrote is not known any more: it holds a secret, which is not kept. Make the call again if it is needed."

/** The result of a call that an earlier session made. */
const restored = (made: MadeCall, copy: WorkingCopy | undefined): ToolResult => {
  if (copy !== undefined && made.proposed?.some(lacksSecret) === true) {
    return { ...resultOf(made), success: false, data: null, error_message: lostFiles, error_type: "io_error" }
  }
  for (const file of made.proposed ?? []) copy?.propose(file)
  return resultOf(made)
}

/** A result with what `copy` proposes since a call began. */
const madeSince = (
  result: ToolResult,
  copy: WorkingCopy | undefined,
  before: ReadonlyArray<ProposedFile>
): MadeCall => {
  const proposed = copy === undefined ? [] : proposedSince(copy, before)
  return proposed.length === 0 ? result : { ...result, proposed }
}

/**
 * True for a call that a session after a crash makes again without asking: it changes nothing, or it is a command on a copy of the
 * project that reaches nothing else, and the copy is made anew. A tool of a plugin may do more than it declares.
 */
const isRepeatable = ({ accesses, info: { effect, origin } }: PreparedCall): boolean =>
  effect === "pure" ||
  (origin === builtInOrigin &&
    accesses.length > 0 &&
    accesses.every((access) => access._tag === "RunCommand" && access.leavesNothing === true))

/** The result of a call that had happened before the run was resumed. What it wrote in a working copy is gone. */
const happened = ({ targets }: InDoubtCall, copy: WorkingCopy | undefined): Schema.Json => ({
  note: "This call was carried out before the run was interrupted; its output is not known.",
  ...(copy === undefined ? {} : { files: "What it wrote may be missing: look before you rely on it." }),
  targets
})

/** The result of a call in whose place another one had happened, of an answer that was not kept. */
const replaced = ({ call: { arguments: given, name }, outcome }: InDoubtCall): Schema.Json => ({
  note: "This call was not made. The run was interrupted, and an answer of yours before that had made another call in its place:",
  carried_out: [name, given as Schema.JsonObject],
  outcome: outcome ?? "It is not known."
})

/** The result of a call that was started at this time. */
const measured = (outcome: Result.Result<Schema.Json, ToolFailure>, startedAt: number) =>
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

/** The answer that a call of a turn is from. */
const answerOf = ({ round, task, uid }: ToolCallId): string | undefined => {
  const turn = /^turn-\d+(?=\/)/.exec(uid)?.[0]
  return turn === undefined ? undefined : `${round}/${task}/${turn}`
}

const refusal = ({ forModel }: PermissionDenied) => new ToolFailure({ type: "permission_denied", message: forModel })

/** The strings of a value, also those that it holds. */
const stringsIn = (value: Schema.Json): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [String(value)]
}

const makeToolRunner = Effect.fnUntraced(function* (limits: CallLimits) {
  const activities = yield* Activities
  const events = yield* RunEvents
  const gate = yield* Gate
  const readTexts = yield* ReadTexts
  const journal = yield* Journal
  const registry = yield* ToolRegistry
  const hooks = yield* ChangeHooks
  const inFlight = yield* makeInFlightCalls
  const versions = yield* FileVersions
  const workspace = yield* Workspace
  const wait = makeWait(events, limits)

  /** Runs a call with a permit, within its limits. */
  const carryOut = (id: ToolCallId, prepared: PreparedCall, permit: Permit) => {
    const outcome = guardTool(prepared.info, registry.execute(permit), wait(id, prepared))
    return Effect.map(
      outcome,
      Result.flatMap((data) => withinOutput(limits, prepared, data))
    )
  }

  /** The present state of the files that are about to be written; what they hold is kept, so that it can be undone. */
  const fileStates = Effect.fnUntraced(function* (accesses: ReadonlyArray<CanonicalAccess>) {
    const isProposed = (yield* CurrentCopy) !== undefined
    const files = writesIn(accesses).filter(({ holds }) => holds?.is !== "folder")
    return yield* Effect.forEach(files, (write) =>
      Effect.gen(function* () {
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
    )
  })

  /**
   * Prepares a call. Why a change does not fit tells what its file holds, and so does the diff of a proposal, about which nothing is
   * asked: whether the file may be shown is decided before.
   */
  const prepare = Effect.fnUntraced(function* (scope: QuestionScope, call: ToolCall, isProposal: boolean) {
    const tool = { name: call.name, origin: registry.find(call.name)?.origin }
    const prepared = yield* guardTool(tool, registry.prepare(call))
    const accesses = Result.isSuccess(prepared) ? prepared.success.accesses : []
    const isMove = writesIn(accesses).some(({ from }) => from !== undefined)
    const told = isProposal || isMove || Result.isFailure(prepared) ? yield* toldFiles(call, accesses, workspace) : []
    for (const file of told) yield* gate.authorize(questionOfReading(scope, file, call.name))
    return prepared
  })

  const report = (id: ToolCallId, { name }: ToolCall, result: ToolResult) =>
    events.publish({ type: "tool.finished", id, name, result })

  const execute = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall, key: string) {
    const asked = yield* Clock.currentTimeMillis
    yield* inFlight.mayBegin(call.name)
    const doubt = yield* journal.doubt(key)
    const isKnown = doubt?.outcome !== undefined
    if (
      doubt !== undefined &&
      (isKnown || (yield* Effect.tapError(resolveUncertain(doubt, gate), inFlight.stop)) === "done")
    ) {
      const told = doubt.key === key ? happened(doubt, yield* CurrentCopy) : replaced(doubt)
      return yield* measured(Result.succeed(told), asked)
    }
    const scope = { task: id.task, place: key, answer: answerOf(id) }
    const prepared = yield* prepare(scope, call, false)
    if (Result.isFailure(prepared)) return yield* measured(Result.fail(prepared.failure), asked)
    const { accesses, info, risk } = prepared.success
    const permit = yield* gate.authorize(questionOfCall(scope, prepared.success))
    const writes = (yield* CurrentCopy) === undefined ? writesIn(accesses) : []
    const objection = writes.length === 0 ? undefined : yield* hooks.before(writes)
    if (objection !== undefined) {
      return yield* measured(Result.fail(new ToolFailure({ type: "validation_failed", message: objection })), asked)
    }
    if (!isRepeatable(prepared.success)) {
      const states = yield* Effect.result(fileStates(accesses))
      if (Result.isFailure(states)) return yield* measured(Result.fail(states.failure), asked)
      const files = states.success
      if (!fileTools.has(call.name)) versions.noteOther()
      const targets = accesses.map(accessTarget)
      yield* inFlight.mayBegin(call.name)
      yield* inFlight.begin(key)
      yield* journal.append({ type: "intent", key, call, task: id.task, effect: info.effect, targets, files })
    }
    const startedAt = yield* Clock.currentTimeMillis
    yield* events.publish({ type: "tool.started", id, call, risk, targets: accesses.map(accessTarget) })
    const outcome = yield* carryOut(id, prepared.success, permit)
    if (writes.length > 0 && Result.isSuccess(outcome)) yield* hooks.after(writes)
    // A denied access is asked about again when the run is resumed, except of a call that may have changed something.
    const isDenied = Result.isFailure(outcome) && outcome.failure.type === "permission_denied"
    const denied = isDenied && info.effect === "pure" ? permit.denied() : undefined
    return yield* denied ?? measured(outcome, startedAt)
  })

  /** Gives a call that is not run its result, and publishes `tool.finished`. */
  const reject = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall, failure: ToolFailure) {
    const result = yield* measured(Result.fail(failure), yield* Clock.currentTimeMillis)
    yield* report(id, call, result)
    return result
  })

  const deny = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall, denied: PermissionDenied) {
    const result = yield* reject(id, call, refusal(denied))
    return denied.endsTask ? yield* new TooManyDenials({ denied, result }) : result
  })

  /** Makes the changes of a call in the working copy of its task. */
  const propose = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall) {
    const startedAt = yield* Clock.currentTimeMillis
    const scope = { task: id.task, place: toolCallKey(id) }
    const made = Effect.gen(function* () {
      const prepared = yield* prepare(scope, call, true)
      if (Result.isFailure(prepared)) return { outcome: Result.fail(prepared.failure), denied: undefined }
      const permit = yield* gate.authorize({ ...questionOfCall(scope, prepared.success), isProposal: true })
      return { outcome: yield* carryOut(id, prepared.success, permit), denied: permit.denied() }
    })
    const { denied, outcome } = yield* Effect.catchTag(made, "PermissionDenied", (denied) =>
      Effect.succeed({ outcome: Result.fail(refusal(denied)), denied })
    )
    const result = yield* measured(outcome, startedAt)
    return denied === undefined ? result : { ...result, denials: [denied] }
  })

  /** The result of a call that only changes files, within a working copy; nothing for any other call. */
  const proposed = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall) {
    const copy = yield* CurrentCopy
    if (!fileTools.has(call.name) || copy === undefined) return undefined
    const before = copy.files()
    let isFresh = false
    const made = Effect.gen(function* (): Effect.fn.Return<typeof ProposingCall.Type> {
      isFresh = true
      const result = yield* propose(id, call)
      const changes = changesSince(copy, before)
      return changes.length === 0 ? result : { ...result, proposed: changes }
    })
    /* A resumed run makes the change again; only a replay takes it from the journal. */
    const result = yield* activities.record({ key: seenKey.proposal(id), success: ProposingCall }, made)
    if (!isFresh) proposeAgain(copy, result.proposed ?? [])
    return resultOf(result)
  })

  const runOutside = Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall) {
    const { input, key, name } = activityOf(id, call)
    const copy = yield* CurrentCopy
    const before = copy?.files() ?? []
    let isFresh = false
    const made = execute(id, call, name).pipe(
      Effect.map((result) => {
        isFresh = true
        return madeSince(result, copy, before)
      })
    )
    return yield* activities
      .run({
        key,
        input,
        success: MadeCall,
        error: SavedDenial,
        execute: made,
        publish: (result) => report(id, call, resultOf(result))
      })
      .pipe(
        Effect.map((result) => (isFresh ? resultOf(result) : restored(result, copy))),
        Effect.catchTag("PermissionDenied", (denied) => deny(id, call, denied)),
        Effect.ensuring(inFlight.end(name))
      )
  })

  /** Where the result of a call is from. A tool of high risk may run commands. */
  const sourceOf = Effect.fnUntraced(function* ({ arguments: { path }, name }: ToolCall): Effect.fn.Return<ReadSource> {
    if (name === "fetch_url") return "page"
    const info = registry.tools.find((tool) => tool.name === name)
    if (info === undefined || name === "run_command" || (info.origin !== builtInOrigin && info.risk === "high")) {
      return "command"
    }
    if (info.origin !== builtInOrigin) return "outside"
    const meant = typeof path === "string" ? Effect.flatMap(workspace.meant(path), workspace.canonical) : undefined
    const file = name === "read_file" && meant !== undefined ? yield* Effect.option(meant) : Option.none()
    return Option.match(file, { onNone: () => "project", onSome: ({ path }) => ({ file: path }) })
  })

  /** Notes what the model is shown of a call. */
  const noteRead = Effect.fnUntraced(function* (call: ToolCall, { data, error_message }: ToolResult) {
    yield* readTexts.noteRead([...stringsIn(data), error_message ?? ""].join("\n"), yield* sourceOf(call))
  })

  return {
    /**
     * Runs one call. Within a working copy, a call that only changes files makes its changes there, and nothing is asked. Any
     * other call is one activity, and publishes `tool.started` and, once its result is persisted, `tool.finished`.
     * Interruption reaches the tool. A denial is the failure of the activity, not its outcome: the person who resumes the run
     * may be asked again.
     */
    run: (id: ToolCallId, call: ToolCall) =>
      proposed(id, call).pipe(
        Effect.flatMap((result) => (result === undefined ? runOutside(id, call) : Effect.succeed(result))),
        Effect.tap((result) => noteRead(call, result))
      ),
    /** True for a call that an earlier session of the run made or began, so that it is not made anew. */
    wasBegun: Effect.fnUntraced(function* (id: ToolCallId, call: ToolCall) {
      const { name } = activityOf(id, call)
      return Option.isSome(yield* journal.saved("outcome", name)) || (yield* journal.doubt(name)) !== undefined
    }),
    reject,
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
