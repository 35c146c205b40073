/** Makes the calls of a task within its working copy, and notes which tool changed which file. */
import * as Effect from "effect/Effect"
import { fileTools, pathsOf, type ToolCall } from "../../domain/tools/ToolCall.ts"
import type { WorkingCopy } from "../files/WorkingCopy.ts"
import { Workspace } from "../files/Workspace.ts"
import { makeTaskCalls } from "../tools/TaskCalls.ts"
import { makeTaskChanges } from "./TaskChanges.ts"

/** Whose calls they are. Work that `goesOn` does so when a call was denied too often. */
interface CallPlace {
  readonly copy: WorkingCopy
  readonly task: string
  readonly round: number
  readonly goesOn: boolean
}

export const makeCopyCalls = Effect.gen(function* () {
  const changes = yield* makeTaskChanges
  const runCalls = yield* makeTaskCalls
  const workspace = yield* Workspace

  return Effect.fnUntraced(function* ({ copy, goesOn, round, task }: CallPlace, calls: ReadonlyArray<ToolCall>) {
    const { denied, outcomes } = yield* runCalls(task, round, calls, goesOn)
    for (const { call, result } of outcomes) {
      if (!result.success || !fileTools.has(call.name)) continue
      for (const path of pathsOf(call)) {
        const place = workspace.canonical(yield* workspace.meant(path))
        const file = yield* Effect.orElseSucceed(place, () => ({ path: changes.fileAt(path) }))
        copy.noteChange(file.path, call.name)
      }
    }
    return { denied, outcomes }
  })
})
