/** Finds files beside a skill by the paths that the text of the skill uses. */
import * as Effect from "effect/Effect"
import { type Skill, skillFileAt } from "../../domain/skills/Skill.ts"
import type { ToolCall } from "../../domain/tools/ToolCall.ts"
import { isFileAt, Workspace } from "../files/Workspace.ts"

export const makeSkillFileRead = Effect.gen(function* () {
  const workspace = yield* Workspace

  /** Redirects a read to a file beside the skill, unless the project has a file at the same path. */
  return Effect.fnUntraced(function* (call: ToolCall, skill: Skill) {
    const path = call.name === "read_file" ? call.arguments["path"] : undefined
    const file = typeof path === "string" ? skillFileAt(path, skill) : undefined
    if (file === undefined || file === path) return call
    if (yield* isFileAt(workspace, String(path))) return call
    return { ...call, arguments: { ...call.arguments, path: file } }
  })
})
