/**
 * Makes each change in the project itself, once it was allowed, where the settings say that each change is asked about first. Without
 * that setting the hook does nothing.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FileFact, fileFacts } from "../../../domain/checks/Facts.ts"
import { seenKey, type ToolCallId } from "../../../domain/runs/ActivityKey.ts"
import { writesIn, writtenText } from "../../../domain/tools/Access.ts"
import { fileTools, type ToolCall } from "../../../domain/tools/ToolCall.ts"
import { hashOf } from "../../files/Hash.ts"
import { Workspace } from "../../files/Workspace.ts"
import { Activities } from "../../journal/Activities.ts"
import { maxSearchedBytes } from "../../pipeline/SearchedTexts.ts"
import { makeTaskChanges } from "../../pipeline/TaskChanges.ts"
import { RunSettings } from "../../runs/RunSettings.ts"
import { makeTaskCalls } from "../../tools/TaskCalls.ts"
import { ToolRegistry } from "../../tools/ToolRegistry.ts"
import type { AgentHook } from "../AgentHook.ts"

export const makeAskFirst = Effect.gen(function* () {
  const activities = yield* Activities
  const changes = yield* makeTaskChanges
  const registry = yield* ToolRegistry
  const runCalls = yield* makeTaskCalls
  const workspace = yield* Workspace
  const { askFirst = false } = yield* RunSettings

  /** The lines that a call will change in the project; recorded, since they cannot be told afterwards. */
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
              Effect.orElseSucceed(workspace.readText(write.path, maxSearchedBytes), () => null),
              (base) => ({ path: changes.nameOf(write.path), base, text: writtenText(write) })
            )
          )
        ),
        Effect.map(fileFacts),
        Effect.orElseSucceed(() => [])
      )
    })

  const hook: AgentHook = {
    runTools: ({ assignment: { id, kind, task } }, calls) => {
      if (!askFirst || !calls.some(({ name }) => fileTools.has(name))) return undefined
      const makeOne = Effect.fnUntraced(function* (call: ToolCall) {
        const lines = fileTools.has(call.name) ? yield* linesOf({ round: id.round, task, uid: call.uid }, call) : []
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
