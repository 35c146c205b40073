/**
 * Turns one reference into its content. The check of a plan and the blocks of a task use this one resolution.
 */
import * as Effect from "effect/Effect"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import type { Reference } from "../../domain/plan/Reference.ts"
import type { ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import { resolveFile } from "./FileReferences.ts"
import { resolveAnchor, resolveResult } from "./HeadingReferences.ts"
import { makePageReferences } from "./PageReferences.ts"
import { ReferenceProblem } from "./ReferenceProblem.ts"
import type { ReferenceWorld } from "./ReferenceWorld.ts"
import type { RunSettings } from "../runs/RunSettings.ts"
import type { Workspace } from "../files/Workspace.ts"

export type ReferenceResolver = (
  reference: Reference,
  world: ReferenceWorld
) => Effect.Effect<ResolvedReference, ReferenceProblem>

const unknownKind = (href: string): ReferenceProblem =>
  new ReferenceProblem({
    code: "reference-kind",
    what: `"${href}" is no kind of reference.`,
    how: ruleOf("reference-kind").fix
  })

/** Makes the resolution of one run; fetched pages are kept in it. */
export const makeReferenceResolver = Effect.gen(function* () {
  const resolvePage = yield* makePageReferences
  const provide = Effect.provideContext(yield* Effect.context<RunSettings | Workspace>())
  const resolve: ReferenceResolver = (reference, world) => {
    switch (reference.kind) {
      case "anchor":
        return provide(resolveAnchor(reference, world))
      case "task_result":
        return provide(resolveResult(reference, world))
      case "file":
        return provide(resolveFile(reference, world))
      case "url":
        return resolvePage(reference, world)
      case "unknown":
        return Effect.fail(unknownKind(reference.href))
    }
  }
  return resolve
})
