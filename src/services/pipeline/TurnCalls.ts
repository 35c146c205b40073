/**
 * The calls of one answer in turns (TurnLoop.ts): read from its text and from the interface, checked by the tools and by the limits
 * of the skill, made, and answered.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FileFact, fileFacts } from "../../domain/checks/Facts.ts"
import { callSign } from "../../domain/documents/Refinement.ts"
import { renderRefined } from "../../domain/documents/TaskRendering.ts"
import type { PlainReply } from "../../domain/documents/UnusableAnswer.ts"
import { type Answered, nothingAsked, readAskedCall } from "../../domain/documents/TurnFormat.ts"
import type { CallAnswer } from "../../domain/documents/TurnReply.ts"
import type { ProjectPaths } from "../../domain/files/ChangePath.ts"
import { type Issue, makeIssue, makeRepair, type Repair } from "../../domain/findings/Issue.ts"
import type { AssistantMessage } from "../../domain/models/ConversationMessage.ts"
import { toolCallsFor } from "../../domain/models/Generation.ts"
import type { AskedCall } from "../../domain/models/ModelAnswer.ts"
import { seenKey, type ToolCallId } from "../../domain/runs/ActivityKey.ts"
import { callsBeyondLimits, type Skill, skillFileAt } from "../../domain/skills/Skill.ts"
import {
  type CallOutcome,
  fileTools,
  notMeasured,
  pathsOf,
  type ToolCall,
  withMoves
} from "../../domain/tools/ToolCall.ts"
import { writesIn, writtenText } from "../../domain/tools/Access.ts"
import { turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { hashOf } from "../files/Hash.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { maxChangedBytes } from "../changes/SearchedTexts.ts"
import { inOneCall, makeTaskChanges, type RefusedChange } from "../changes/TaskChanges.ts"
import { type AnyOrder, assistant, type TurnOrder } from "./TurnOrder.ts"

/** One answer: what its text says, and the calls that it made through the interface. */
export interface Heard extends PlainReply {
  readonly thinking: string
  readonly asked: ReadonlyArray<AskedCall>
}

/** A call that was made through the interface, as it was read. */
export type NativeCall = ReturnType<typeof readAskedCall>

/** What an answer asks for, its calls of the interface that are answered one by one, and itself as a message. */
export interface ReadAnswer {
  readonly turn: Answered
  readonly native: ReadonlyArray<NativeCall>
  readonly message: AssistantMessage
}

/** One call of an answer, checked; `wanted` is how it was written. */
export interface CheckedCall {
  readonly wanted: ToolCall
  readonly call: ToolCall
  readonly issues: ReadonlyArray<Issue>
  readonly repairs: ReadonlyArray<Repair>
}

/** The messages that answer calls of the interface, one for each. */
export const nativeReplies = (
  native: ReadonlyArray<NativeCall>,
  checked: ReadonlyArray<CheckedCall>,
  outcomes: ReadonlyArray<CallOutcome>,
  turn: number,
  tooMany: ReadonlyArray<Issue>
): ReadonlyArray<CallAnswer> =>
  native.map(({ asked, call, issues }) => {
    const found = checked.find(({ wanted }) => callSign(wanted) === callSign(call))
    const uid = turnUid(turn, found?.call.uid ?? "")
    const outcome = issues.length > 0 ? undefined : outcomes.find((one) => one.call.uid === uid)
    return { asked, outcome, issues: issues.length > 0 ? issues : (found?.issues ?? tooMany) }
  })

/** A change that was not made, as a call that failed. */
export const refusedOutcome = ({ call, issue }: RefusedChange, turn: number): CallOutcome => ({
  call: { ...call, uid: turnUid(turn, call.uid) },
  result: {
    success: false,
    data: null,
    error_message: issue.what,
    error_type: "validation_failed",
    metadata: notMeasured
  }
})

const noPaths: ProjectPaths = new Map()

/** The changes of an answer that could not be read; a mark in a report may be quoted. */
const unreadChanges = ({ issues, report }: Answered): ReadonlyArray<RefusedChange> => {
  const unread = issues.filter(({ code }) => code.startsWith("change-"))
  const certain = unread.filter(({ code }) => code !== "change-marks")
  const counted = certain.length > 0 || report !== undefined ? certain : unread.slice(0, 1)
  return counted.map((issue, index) => ({
    call: { uid: `unread-${index + 1}`, name: "edit_file", arguments: {} },
    issue
  }))
}

export const makeTurnCalls = Effect.gen(function* () {
  const activities = yield* Activities
  const changes = yield* makeTaskChanges
  const registry = yield* ToolRegistry
  const runCalls = yield* makeTaskCalls
  const settings = yield* RunSettings
  const workspace = yield* Workspace
  const { askFirst: asksFirst = false, limits } = settings

  /** True when the model is offered its tools through the interface. */
  const isNative = ({ idOf, skill }: AnyOrder): boolean =>
    toolCallsFor(settings, idOf(1).stage, skill?.model) === "native"

  /** What an answer asks for, by its text and through the interface. Words beside calls of the interface are no report. */
  const readHeard = Effect.fnUntraced(function* (
    order: AnyOrder,
    { answer, asked, issues, shown, thinking }: Heard
  ): Effect.fn.Return<ReadAnswer> {
    if (issues.length > 0) return { turn: { ...nothingAsked, issues }, native: [], message: assistant(shown) }
    const mayChange = order.tools.some((name) => fileTools.has(name))
    const paths = mayChange ? yield* changes.pathsIn(answer, order.task) : noPaths
    const written = asked.length > 0 && answer.trim() === "" ? nothingAsked : yield* order.read(answer, paths)
    if (asked.length === 0) return { turn: written, native: [], message: assistant(shown) }
    const native = asked.map((call, index) => readAskedCall(call, `call-${written.calls.length + index + 1}`))
    const { report: _, ...rest } = written
    const isActing = written.calls.length + written.changes.length > 0
    const calls = native.flatMap((one) => (one.issues.length === 0 ? [one.call] : []))
    const unread = isNative(order) ? [] : native.flatMap((one) => one.issues)
    return {
      turn: {
        ...rest,
        calls: [...written.calls, ...calls],
        issues: [...(isActing ? written.issues : []), ...unread],
        repairs: [...written.repairs, ...native.flatMap((one) => one.repairs)]
      },
      native: isNative(order) ? native : [],
      message: isNative(order)
        ? assistant(shown, { calls: asked, thinking })
        : assistant([shown.trim(), renderRefined({ calls })].filter((part) => part !== "").join("\n\n"))
    }
  })

  /** A read of a file beside the skill by the path that its text names; a file of the project at this path comes first. */
  const skillFileRead = Effect.fnUntraced(function* (call: ToolCall, skill: Skill) {
    const path = call.name === "read_file" ? call.arguments["path"] : undefined
    const file = typeof path === "string" ? skillFileAt(path, skill) : undefined
    if (file === undefined || file === path) return call
    const isThere = Effect.flatMap(workspace.canonical(String(path)), (found) => workspace.isFile(found.path))
    if (yield* Effect.orElseSucceed(isThere, () => false)) return call
    return { ...call, arguments: { ...call.arguments, path: file } }
  })

  /** The calls of an answer that can be made, with what is wrong with the others. */
  const checkCalls = Effect.fnUntraced(function* ({ request = "", skill, task, tools }: AnyOrder, turn: Answered) {
    const allowed = withMoves(tools)
    const limit = limits.toolCallsPerIteration
    const literal = yield* changes.callsOf(turn.changes, task)
    const changed = literal.map(({ calls }) => calls)
    // A replacement counts as one, however many files it changes.
    const asked = [
      ...turn.calls.map((call) => [call]),
      ...(asksFirst ? inOneCall(changed.flat()).map((call) => [call]) : changed)
    ]
    const written = asked.flat()
    const isFirst = (call: ToolCall): boolean => written.find((other) => callSign(other) === callSign(call)) === call
    const parts = asked.map((calls) => calls.filter(isFirst)).filter((calls) => calls.length > 0)
    const doubled = written.every(isFirst)
      ? []
      : [
          makeRepair(
            "tool-call-known",
            { section: "Tool Calls", task },
            "Made a call once that was written several times."
          )
        ]
    const lost: Array<RefusedChange> = []
    const possible = yield* Effect.forEach(
      parts.slice(0, limit).flat(),
      Effect.fnUntraced(function* (wanted): Effect.fn.Return<CheckedCall | undefined> {
        const { issues, repairs, ...read } = registry.check(wanted, allowed, task)
        const found = { ...read, call: skill === undefined ? read.call : yield* skillFileRead(read.call, skill) }
        const beyond = skill === undefined ? [] : callsBeyondLimits(skill, [found.call], task)
        const asking = { task, request, saysSo: turn.saysRemoval === true }
        const { call, lost: loss, ...tidied } = yield* changes.tidied(found.call, asking)
        if (loss !== undefined && issues.length === 0) {
          lost.push({ call, issue: loss })
          return undefined
        }
        return {
          wanted,
          call,
          repairs: [...repairs, ...tidied.repairs],
          issues: [...issues, ...beyond, ...tidied.issues]
        }
      })
    )
    const tooMany =
      parts.length <= limit
        ? []
        : [
            makeIssue(
              "tool-calls-many",
              { section: "Tool Calls", task },
              { what: `There are ${parts.length} calls and changes, and only the first ${limit} are done in one turn.` }
            )
          ]
    const checked = possible.filter((one) => one !== undefined)
    /* A task that cannot change files leaves no change open. */
    const canChange = tools.some((tool) => fileTools.has(tool))
    const dropped: ReadonlyArray<RefusedChange> = [
      ...checked.flatMap(({ call, issues: [issue] }) => (issue === undefined ? [] : [{ call, issue }])),
      ...parts.slice(limit).flatMap((calls) => calls.flatMap((call) => tooMany.map((issue) => ({ call, issue })))),
      ...unreadChanges(turn)
    ].filter(({ call }) => canChange && fileTools.has(call.name))
    const wrong = [...literal.flatMap((one) => one.refused ?? []), ...lost]
    const refused = [...wrong, ...literal.flatMap((one) => one.leftOut ?? [])]
    const issues = [...literal.flatMap((one) => one.issues), ...wrong.map(({ issue }) => issue)]
    const replaced = literal.flatMap((one) => one.replaced ?? [])
    return { checked, dropped, issues, refused, tooMany, replaced, repairs: doubled }
  })

  /** The lines that a call will change in the project; kept, since they cannot be told afterwards. */
  const linesOf = (id: ToolCallId, call: ToolCall) =>
    activities.run({
      key: seenKey.lines(id),
      input: hashOf([call.name, call.arguments]),
      success: Schema.Array(FileFact),
      error: Schema.Never,
      execute: registry.prepare(call).pipe(
        Effect.flatMap(({ accesses }) =>
          Effect.forEach(writesIn(accesses), (write) =>
            Effect.map(
              Effect.orElseSucceed(workspace.readText(write.path, maxChangedBytes), () => null),
              (base) => ({ path: changes.nameOf(write.path), base, text: writtenText(write) })
            )
          )
        ),
        Effect.map(fileFacts),
        Effect.orElseSucceed(() => [])
      )
    })

  /** Makes each change in the project when it is allowed, and says what it changed. */
  const makeInProject = Effect.fnUntraced(function* (
    { endsItself, round, task }: Pick<AnyOrder, "endsItself" | "round" | "task">,
    calls: ReadonlyArray<ToolCall>
  ) {
    const made = yield* Effect.forEach(
      calls,
      Effect.fnUntraced(function* (call) {
        const lines = fileTools.has(call.name) ? yield* linesOf({ round, task, uid: call.uid }, call) : []
        const { denied, outcomes } = yield* runCalls(task, round, [call], endsItself === true)
        return { denied, outcomes, files: outcomes.every(({ result }) => result.success) ? lines : [] }
      })
    )
    return {
      denied: made.find(({ denied }) => denied !== undefined)?.denied,
      outcomes: made.flatMap(({ outcomes }) => outcomes),
      files: made.flatMap(({ files }) => files)
    }
  })

  /** Makes the calls of an answer, in their order where one of them may change something. */
  const act = Effect.fnUntraced(function* <E>(
    order: Pick<TurnOrder<unknown, E>, "approve" | "copy" | "endsItself" | "round" | "task">,
    turn: number,
    asked: ReadonlyArray<ToolCall>
  ) {
    const calls = asked.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))
    yield* order.approve(calls)
    if (asksFirst && calls.some(({ name }) => fileTools.has(name))) return yield* makeInProject(order, calls)
    const { denied, outcomes } = yield* runCalls(order.task, order.round, calls, order.endsItself === true)
    for (const { call, result } of outcomes) {
      if (!result.success || !fileTools.has(call.name)) continue
      for (const given of pathsOf(call)) {
        const { path: file } = yield* Effect.orElseSucceed(workspace.canonical(yield* workspace.meant(given)), () => ({
          path: changes.fileAt(given)
        }))
        order.copy.noteChange(file, call.name)
      }
    }
    return { denied, outcomes, files: [] }
  })

  return { act, checkCalls, isNative, readHeard }
})
