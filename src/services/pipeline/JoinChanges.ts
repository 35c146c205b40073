/**
 * Merges the changes of a task with changes that other tasks, items or processes made to the same files meanwhile. If
 * two changes are in the same lines, or a check of the merged files fails, the task gets further turns.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type FileClash, clashText } from "../../domain/documents/ClashText.ts"
import { TaskOutcome } from "../../domain/documents/TaskOutcome.ts"
import type { ProposedFile } from "../../domain/files/ProposedFile.ts"
import { mergeTexts } from "../../domain/files/TextMerge.ts"
import { TaskFailure } from "../../domain/plan/TaskResult.ts"
import { activityName, seenKey, stageKey } from "../../domain/runs/ActivityKey.ts"
import { redacted } from "../../domain/text/Redaction.ts"
import { type CallOutcome, notMeasured, pathOf, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { CurrentCopy, makeWorkingCopy } from "../files/WorkingCopy.ts"
import { hashOf } from "../files/Hash.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { RunEvents } from "../runs/RunEvents.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import { changesPath, isOfSeveral, proposedBy } from "../changes/FinalCalls.ts"
import { makeTaskChanges } from "../changes/TaskChanges.ts"
import { TaskAgent } from "./TaskAgent.ts"
import type { CallsDeclined, TaskOrder } from "./TaskStage.ts"

/** How often a task gets further turns because its changes clash. */
const mostClashes = 2

/** Larger files are not merged. */
const maxBytes = 16 * 1024 * 1024

/**
 * The current texts of two kinds of files: those that changed after the task saw them, and those that the program had
 * begun to change before an interruption.
 */
const TextsNow = Schema.Array(
  Schema.Struct({
    path: Schema.String,
    /**
     * Null if the file does not exist. Absent for a file that the program had begun to change before an interruption.
     */
    text: Schema.optionalKey(Schema.NullOr(Schema.String))
  })
)

interface Joining {
  /** Changes that other tasks or items proposed. The changes of the task are merged on top of them. */
  readonly others?: ReadonlyArray<ProposedFile>
  /** False if the checks run later, on all changes together. */
  readonly checks?: boolean
}

/** The outcome of a call whose change somebody else has already made. */
const isThere = (call: ToolCall): CallOutcome => ({
  call,
  result: {
    success: true,
    data: { note: "The file has this change already: it was made meanwhile." },
    error_message: null,
    error_type: "none",
    metadata: notMeasured
  }
})

const keyOf = ({ round, task }: TaskOrder, { calls, joined = { times: 0, clashes: 0 } }: TaskOutcome): string =>
  activityName({ key: stageKey.joined(round, task.name), input: hashOf([calls, { ...joined }]) })

/** Finds the files of a task that changed after the task saw them. */
const makeLook = Effect.gen(function* () {
  const changes = yield* makeTaskChanges
  const runner = yield* ToolRunner
  const workspace = yield* Workspace

  /** The text at a path without symbolic links. Null if there is no file, undefined if the text is unknown. */
  const textAt = (path: string) =>
    Effect.catchIf(
      workspace.readText(changes.fileAt(path), maxBytes),
      ({ type }) => type === "not_found",
      () => Effect.succeed(null)
    ).pipe(Effect.orElseSucceed(() => undefined))

  return Effect.fnUntraced(function* ({ round, task }: TaskOrder, { bases = [], calls }: TaskOutcome) {
    const textsNow: Array<(typeof TextsNow.Type)[number]> = []
    for (const { path, text: base } of bases) {
      const call = calls.find((other) => changesPath(other, path))
      const text = yield* textAt(path)
      if (call === undefined || text === undefined || text === base || base?.includes(redacted) === true) continue
      const isBegun = yield* runner.wasBegun({ round, task: task.name, uid: call.uid }, call)
      textsNow.push(isBegun ? { path } : { path, text })
    }
    return textsNow
  })
})

/** Merges each proposed file of a task with its current text, and collects the clashes. */
const mergeFiles = (
  proposals: ReadonlyArray<{ readonly file: ProposedFile; readonly path: string }>,
  textsNow: typeof TextsNow.Type
) => {
  const mergedFiles: Array<ProposedFile> = []
  const clashes: Array<FileClash> = []
  for (const { file, path } of proposals) {
    const now = textsNow.find((other) => other.path === file.path)?.text
    if (now === undefined) mergedFiles.push({ ...file, path })
    else if (now === file.text) mergedFiles.push({ ...file, path, base: now })
    else if (now === null || file.text === null || file.from !== undefined)
      clashes.push({ path: file.path, isChanged: now !== null })
    else {
      const merged = mergeTexts(file.base ?? "", file.text, now)
      mergedFiles.push({ ...file, path, base: now, text: merged.text })
      if (merged.clashes.length > 0) clashes.push({ path: file.path, merged })
    }
  }
  return { own: mergedFiles, clashes }
}

/**
 * Tells which proposed files and which calls of an outcome stay as they are, because the program had begun to change
 * their files before an interruption.
 */
const keptOf = (
  calls: ReadonlyArray<ToolCall>,
  proposed: ReadonlyArray<ProposedFile>,
  textsNow: typeof TextsNow.Type
) => {
  const begun = new Set(textsNow.flatMap(({ path, text }) => (text === undefined ? [path] : [])))
  const names = proposed.map(({ path }) => path)
  const open = new Set(names.filter((path) => !begun.has(path)))
  /* A call that moves or removes several files is repeated as a whole. */
  const hasWhole = calls.some((call) => isOfSeveral(call, names))
  return {
    isKept: ({ path }: { readonly path: string }): boolean => !open.has(path),
    isKeptCall: (call: ToolCall): boolean => (hasWhole ? begun.has(pathOf(call)) : !open.has(pathOf(call)))
  }
}

/** Marks finished items as failed if their change clashed and was not made again. */
const withLost = (
  items: NonNullable<TaskOutcome["items"]>,
  lost: ReadonlySet<string>
): NonNullable<TaskOutcome["items"]> =>
  items.map((item) =>
    item.state === "done" && item.files?.some((path) => lost.has(path)) === true
      ? { ...item, state: "failed", note: "Others changed the same lines, and its change was not made again." }
      : item
  )

export const makeJoinChanges = Effect.gen(function* () {
  const activities = yield* Activities
  const changes = yield* makeTaskChanges
  const events = yield* RunEvents
  const look = yield* makeLook
  const taskAgent = yield* TaskAgent

  const merge = Effect.fnUntraced(function* (
    order: TaskOrder,
    outcome: TaskOutcome,
    textsNow: typeof TextsNow.Type,
    { checks = true, others = [] }: Joining
  ) {
    const { task } = order
    const { bases = [], calls, files = [], items, joined = { times: 0, clashes: 0 } } = outcome
    const proposed = proposedBy(outcome)
    const { isKept, isKeptCall } = keptOf(calls, proposed, textsNow)
    const { clashes, own: mergedFiles } = mergeFiles(
      proposed.filter((file) => !isKept(file)).map((file) => ({ file, path: changes.fileAt(file.path) })),
      textsNow
    )
    const clashing = clashes.map(({ path }) => path).join(", ")
    const failed = (why: string, { cause, ran }: Pick<TaskFailure, "cause" | "ran"> = {}) =>
      new TaskFailure({
        task: task.name,
        phase: "execution",
        reason: `its change of ${clashing} clashes with another change of the same lines: ${why}`,
        skipped: false,
        ...(cause && { cause }),
        ...(ran && { ran })
      })
    if (clashes.length > 0) {
      if (joined.clashes >= mostClashes) return yield* failed(`they changed again after ${mostClashes} attempts.`)
      const text = `"${task.name}": ${clashing} was changed meanwhile at the same lines; the task makes its change again.`
      yield* events.publish({ type: "message", level: "info", text })
    }
    const again = yield* taskAgent
      .work({ ...order, joined: { outcome, others, own: mergedFiles, clash: clashText(clashes), checks } })
      .pipe(Effect.catchTag("TaskFailure", (failure) => (clashing === "" ? failure : failed(failure.reason, failure))))
    const changedAgain = new Set((again.files ?? []).map(({ path }) => path))
    const lost = new Set(clashes.flatMap(({ path }) => (changedAgain.has(path) ? [] : [path])))
    const there = new Set(mergedFiles.flatMap(({ base, path, text }) => (base === text ? [path] : [])))
    const priorCalls = [
      ...(again.priorCalls ?? []),
      ...calls.flatMap((call) => (there.has(changes.fileAt(pathOf(call))) ? [isThere(call)] : []))
    ]
    return {
      ...again,
      ...(Arr.isReadonlyArrayNonEmpty(priorCalls) ? { priorCalls } : {}),
      calls: [...calls.filter(isKeptCall), ...again.calls],
      bases: [...bases.filter(isKept), ...(again.bases ?? [])],
      files: [...files.filter(isKept), ...(again.files ?? [])],
      ...(items === undefined ? {} : { items: withLost(items, lost) }),
      joined: { times: joined.times + 1, clashes: joined.clashes + (clashes.length > 0 ? 1 : 0) }
    } satisfies TaskOutcome
  })

  /**
   * Returns the outcome with merged changes, or unchanged if nobody else changed its files. If the task cannot redo its
   * change, fails with a `TaskFailure` that names the files.
   */
  const join = Effect.fnUntraced(function* (
    order: TaskOrder,
    outcome: TaskOutcome,
    joining: Joining = {}
  ): Effect.fn.Return<TaskOutcome, TaskFailure | CallsDeclined> {
    if (outcome.bases === undefined) return outcome
    const { round, task } = order
    const key = keyOf(order, outcome)
    const before = yield* activities.stageResult({ key, success: TaskOutcome })
    if (Option.isSome(before)) return yield* join(order, before.value, joining)
    const textsNow = yield* activities.record(
      { key: seenKey.joined(round, task.name), success: TextsNow },
      Effect.provideService(look(order, outcome), CurrentCopy, makeWorkingCopy(joining.others))
    )
    if (textsNow.every(({ text }) => text === undefined)) return outcome
    return yield* activities.runStage({ key, success: TaskOutcome }, merge(order, outcome, textsNow, joining))
  })

  return join
})
