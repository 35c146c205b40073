/**
 * Finds out whether a request is about the project; its files are read only when its words do not say so.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { bringsMaterial, namesProject, saysProject } from "../../domain/documents/ProjectQuestion.ts"
import { isSourceFile } from "../../domain/files/ChangedNames.ts"
import { Workspace } from "../files/Workspace.ts"
import { Activities } from "../journal/Activities.ts"
import { makeSearchedTexts, mostSearched } from "../changes/SearchedTexts.ts"

export const makeAboutProject = Effect.gen(function* () {
  const activities = yield* Activities
  const searchedTexts = yield* makeSearchedTexts
  const workspace = yield* Workspace

  const look = Effect.fnUntraced(function* (request: string) {
    if (bringsMaterial(request)) return false
    if (saysProject(request)) return true
    const files = yield* Effect.orElseSucceed(workspace.tree, () => [])
    if (files.length > mostSearched) return false
    const texts = yield* searchedTexts(files.filter((path) => isSourceFile(path)))
    return namesProject(request, { files, texts })
  })

  /** `key` is that of what is found out. */
  return (key: string, request: string) => activities.record({ key, success: Schema.Boolean }, look(request))
})
