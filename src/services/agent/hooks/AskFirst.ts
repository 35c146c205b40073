/**
 * Makes each change in the project itself, once it was allowed, where the settings say that each change is asked about first. Without
 * that setting the hook does nothing.
 */
import * as Effect from "effect/Effect"
import { fileTools, type ToolCall } from "../../../domain/tools/ToolCall.ts"
import { makeCopyWork } from "../../changes/CopyWork.ts"
import { RunSettings } from "../../runs/RunSettings.ts"
import { makeTaskCalls } from "../../tools/TaskCalls.ts"
import type { AgentHook } from "../AgentHook.ts"

export const makeAskFirst = Effect.gen(function* () {
  const { changedLines } = yield* makeCopyWork
  const runCalls = yield* makeTaskCalls
  const { askFirst = false } = yield* RunSettings

  const hook: AgentHook = {
    runTools: ({ assignment: { id, kind, task } }, calls) => {
      if (!askFirst || !calls.some(({ name }) => fileTools.has(name))) return undefined
      const makeOne = Effect.fnUntraced(function* (call: ToolCall) {
        const place = { round: id.round, task, uid: call.uid }
        const lines = fileTools.has(call.name) ? yield* changedLines(place, call) : []
        const { denied, outcomes } = yield* runCalls(task, id.round, [call], kind === "message")
        return { denied, outcomes, files: outcomes.every(({ result }) => result.success) ? lines : [] }
      })
      return Effect.map(Effect.forEach(calls, makeOne), (runs) => ({
        denied: runs.find(({ denied }) => denied !== undefined)?.denied,
        outcomes: runs.flatMap(({ outcomes }) => outcomes),
        files: runs.flatMap(({ files }) => files)
      }))
    }
  }
  return hook
})
