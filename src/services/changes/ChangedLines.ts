/** The lines that a call will change in the project; recorded, since they cannot be told afterwards. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { FileFact, fileFacts } from "../../domain/checks/Facts.ts"
import { seenKey, type ToolCallId } from "../../domain/runs/ActivityKey.ts"
import { writesIn, writtenText } from "../../domain/tools/Access.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { hashOf } from "../files/Hash.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { maxChangedBytes } from "./SearchedTexts.ts"
import { makeTaskChanges } from "./TaskChanges.ts"

export const makeChangedLines = Effect.gen(function* () {
  const activities = yield* Activities
  const changes = yield* makeTaskChanges
  const registry = yield* ToolRegistry
  const workspace = yield* Workspace

  const changedBy = Effect.fnUntraced(function* (call: ToolCall) {
    const { accesses } = yield* registry.prepare(call)
    const files = yield* Effect.forEach(writesIn(accesses), (write) =>
      Effect.map(
        Effect.orElseSucceed(workspace.readText(write.path, maxChangedBytes), () => null),
        (base) => ({ path: changes.nameOf(write.path), base, text: writtenText(write) })
      )
    )
    return fileFacts(files)
  })

  return (id: ToolCallId, call: ToolCall) =>
    activities.run({
      key: seenKey.lines(id),
      input: hashOf([call.name, call.arguments]),
      success: Schema.Array(FileFact),
      error: Schema.Never,
      execute: Effect.orElseSucceed(changedBy(call), () => [])
    })
})
