/**
 * Makes the calls of a turn in the working copy, or in another way that a hook has, and runs the checks of the project on what they
 * changed.
 */
import * as Effect from "effect/Effect"
import type { FileFact } from "../../domain/checks/Facts.ts"
import type { CheckOutcome } from "../../domain/checks/CheckOutcome.ts"
import { changedSince } from "../../domain/documents/ChangedFiles.ts"
import { fileTools, type ToolCall } from "../../domain/tools/ToolCall.ts"
import { turnUid } from "../../domain/tools/ToolCallFormat.ts"
import { Checks } from "../checks/Checks.ts"
import { Commands } from "../commands/Commands.ts"
import { Workspace } from "../files/Workspace.ts"
import { makeTaskChanges } from "../pipeline/TaskChanges.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import type { TooManyDenials } from "../tools/ToolRunner.ts"
import type { AgentHook } from "./AgentHook.ts"
import type { AgentTurn, CallRun, TurnResults } from "./Turn.ts"
import type { AgentWork, Assignment } from "./Session.ts"

/** Whose changes are checked. */
export type CheckedCopy = Pick<Assignment, "copy" | "request" | "task"> & { readonly round: number }

export const makeCallRunner = Effect.fnUntraced(function* (hooks: ReadonlyArray<AgentHook>) {
  const changes = yield* makeTaskChanges
  const checks = yield* Checks
  const commands = yield* Commands
  const runCalls = yield* makeTaskCalls
  const workspace = yield* Workspace

  /** Runs the checks on what a working copy changes, where commands can see it, and on files that were changed in the project. */
  const check = Effect.fnUntraced(function* (
    { copy, request, round, task }: CheckedCopy,
    turn: number,
    inProject: ReadonlyArray<FileFact> = []
  ): Effect.fn.Return<ReadonlyArray<CheckOutcome>> {
    const paths = [...new Set([...inProject, ...changes.named(copy)].map(({ path }) => path))]
    if (paths.length === 0 || (inProject.length === 0 && (yield* commands.copies).mechanism === "none")) return []
    return yield* checks.run({ task, round, turn, request }, paths)
  })

  const inCopy = Effect.fnUntraced(function* (
    { copy, id: { round }, kind, task }: Assignment,
    calls: ReadonlyArray<ToolCall>
  ) {
    const { denied, outcomes } = yield* runCalls(task, round, calls, kind === "message")
    for (const { call, result } of outcomes) {
      const path = call.arguments["path"]
      if (!result.success || !fileTools.has(call.name) || typeof path !== "string") continue
      const { path: file } = yield* Effect.orElseSucceed(workspace.canonical(path), () => ({
        path: changes.fileAt(path)
      }))
      copy.noteChange(file, call.name)
    }
    return { denied, outcomes, files: [] }
  })

  /** Makes calls, in their order where one of them may change something. */
  const make = Effect.fnUntraced(function* <E>(
    work: Pick<AgentWork<unknown, E>, "approve" | "assignment" | "keep" | "prompt">,
    turn: number,
    asked: ReadonlyArray<ToolCall>
  ) {
    const calls = asked.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))
    yield* work.approve(calls)
    for (const { runTools } of hooks) {
      const run = runTools?.(work, calls)
      if (run !== undefined) return yield* run
    }
    return yield* inCopy(work.assignment, calls)
  })

  /** Makes the calls of a turn, and checks what they change. */
  const run = Effect.fnUntraced(function* <E>(
    work: Pick<AgentWork<unknown, E>, "announce" | "approve" | "assignment" | "keep" | "prompt">,
    at: AgentTurn,
    calls: ReadonlyArray<ToolCall>
  ): Effect.fn.Return<TurnResults, TooManyDenials | E> {
    const { parsed, session, turn } = at
    const nothing: CallRun = { outcomes: [], files: [], denied: undefined }
    const unchanged = { hasChanged: false, changedFiles: [], checks: session.checks, remaining: [] }
    if (calls.length === 0) return { ...nothing, ...unchanged }
    const { assignment } = work
    const { copy, id, request, task } = assignment
    const before = { files: changes.named(copy), version: copy.version() }
    const paths = parsed.turn.changes.flatMap((change) => ("path" in change ? [change.path] : []))
    const uids = calls.map((call) => ({ ...call, uid: turnUid(turn, call.uid) }))
    yield* work.announce(turn, uids, [...new Set(paths)])
    const made = yield* make(work, turn, calls)
    if (copy.version() === before.version && made.files.length === 0) return { ...made, ...unchanged }
    const changedFiles = changedSince(changes.named(copy), before.files)
    const remaining = yield* Effect.forEach(
      hooks,
      ({ afterChanges }) => afterChanges?.(at, changedFiles) ?? Effect.succeed([])
    )
    return {
      ...made,
      hasChanged: true,
      changedFiles,
      remaining: remaining.flat(),
      checks: yield* check({ copy, request, round: id.round, task }, turn, [...session.files, ...made.files])
    }
  })

  return { check, make, run }
})
