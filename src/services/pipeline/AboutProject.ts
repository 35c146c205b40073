/**
 * Finds reports that answer a request about the project although their model read nothing of the project. Reads project
 * files only if the words of the request do not show whether the request is about the project.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { questionOf } from "../../domain/documents/OtherForm.ts"
import { bringsMaterial, namesProject, restsOnProject, saysProject } from "../../domain/documents/ProjectQuestion.ts"
import { isSourceFile } from "../../domain/files/ChangedNames.ts"
import { fileTools } from "../../domain/tools/ToolCall.ts"
import type { AgentWork, Assignment } from "../agent/Session.ts"
import { makeSearchedTexts, mostSearched } from "../changes/SearchedTexts.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"

interface Grounds {
  readonly key: string
  readonly request: string
  /** The text about the project in the prompt. */
  readonly projectText: string
  /** True if the user or the plan gave the task material. Its report may then rest on the material alone. */
  readonly hasMaterial: boolean
}

export const makeAboutProject = Effect.gen(function* () {
  const activities = yield* Activities
  const registry = yield* ToolRegistry
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace

  const isAboutProject = Effect.fnUntraced(function* (request: string) {
    if (bringsMaterial(request)) return false
    if (saysProject(request)) return true
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    if (files.length > mostSearched) return false
    const texts = yield* searchedTexts(files.filter((path) => isSourceFile(path)))
    return namesProject(request, { files, texts })
  })

  const canLook = ({ tools }: Assignment): boolean =>
    tools.some((tool) => !fileTools.has(tool) && registry.find(tool)?.effect === "pure")

  return (
    assignment: Assignment,
    { hasMaterial, key, request, projectText }: Grounds
  ): AgentWork<unknown>["isUnfounded"] =>
    (report, { outcomes }) =>
      hasMaterial ||
      !canLook(assignment) ||
      outcomes.length + assignment.earlierOutcomes.length > 0 ||
      assignment.copy.files().length > 0 ||
      questionOf(report) !== undefined ||
      restsOnProject(report, projectText)
        ? Effect.succeed(false)
        : activities.record({ key, success: Schema.Boolean }, isAboutProject(request))
})
