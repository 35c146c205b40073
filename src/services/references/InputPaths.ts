/**
 * Checks that the paths a refinement gives as inputs lead somewhere in the project. Called by services/pipeline/Refiner.
 */
import * as Effect from "effect/Effect"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import type { InputValue } from "../../domain/documents/InputFormat.ts"
import type { Issue } from "../../domain/findings/Issue.ts"
import { makeIssue } from "../../domain/findings/IssueCode.ts"
import type { SkillInput } from "../../domain/skills/SkillInput.ts"
import { nearestFiles } from "./FileReferences.ts"
import { perhaps } from "./ReferenceProblem.ts"
import { Workspace } from "../files/Workspace.ts"

/** True for a file, and for a folder with or without files in it. */
const exists = Effect.fnUntraced(function* (path: string, tree: ReadonlyArray<string>) {
  const workspace = yield* Workspace
  const found = yield* Effect.option(workspace.canonical(path))
  if (found._tag === "None") return false
  // What lies outside is for the gate to judge when a call wants it; looking for it here would tell what is there.
  if (!found.value.inside || found.value.path === workspace.root) return true
  if (yield* workspace.isFile(found.value.path)) return true
  const relative = found.value.path.slice(workspace.root.length + 1)
  if (tree.some((file) => file.startsWith(`${relative}/`))) return true
  const failure = yield* Effect.option(Effect.flip(workspace.readText(found.value.path, 0)))
  return failure._tag === "Some" && failure.value.type !== "not_found"
})

/** The issues of paths that are not there, each with the nearest files. */
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
