/**
 * Checks that the paths in the inputs of a refinement exist in the project.
 */
import * as Effect from "effect/Effect"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import type { InputValue } from "../../domain/documents/Refinement.ts"
import type { Issue } from "../../domain/findings/Issue.ts"
import { makeIssue } from "../../domain/findings/IssueCode.ts"
import type { SkillInput } from "../../domain/skills/Skill.ts"
import { nearestFiles } from "./FileReferences.ts"
import { perhaps } from "./ReferenceWorld.ts"
import { Workspace } from "../files/Workspace.ts"

/** True for a file, and for a folder with or without files in it. */
const exists = Effect.fnUntraced(function* (path: string, tree: ReadonlyArray<string>) {
  const workspace = yield* Workspace
  const found = yield* Effect.option(workspace.canonical(path))
  if (found._tag === "None") return false
  // Outside the project only the gate may reveal what exists, when a call accesses it.
  if (!found.value.inside || found.value.path === workspace.root) return true
  if (yield* workspace.isFile(found.value.path)) return true
  const relative = found.value.path.slice(workspace.root.length + 1)
  if (tree.some((file) => file.startsWith(`${relative}/`))) return true
  const failure = yield* Effect.option(Effect.flip(workspace.readText(found.value.path, 0)))
  return failure._tag === "Some" && failure.value.type !== "not_found"
})

/** The issues of paths that do not exist, each with the nearest files. */
export const checkInputPaths = Effect.fn("checkInputPaths")(function* (
  inputs: ReadonlyArray<SkillInput>,
  values: ReadonlyArray<InputValue>,
  task: string
) {
  const paths = values.filter(({ name }) => inputs.some((input) => input.name === name && input.type === "path"))
  if (paths.length === 0) return []
  const workspace = yield* Workspace
  const tree = yield* Effect.orElseSucceed(workspace.tree, (): ReadonlyArray<string> => [])
  const issues: Array<Issue> = []
  for (const { name, value } of paths) {
    const path = String(value)
    if (yield* exists(path, tree)) continue
    issues.push(
      makeIssue(
        "input-path-missing",
        { section: "Inputs", task, field: name },
        {
          what: `There is no file or folder "${path}" in the project.`,
          how: perhaps(nearestFiles(path, tree), ruleOf("input-path-missing").fix),
          quote: path
        }
      )
    )
  }
  return issues
})
