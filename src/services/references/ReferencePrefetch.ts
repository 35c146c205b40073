/**
 * Resolves the files that a plan refers to while the plan is being written, so that its check does not wait for the disk.
 * When a task runs, its references are resolved again.
 */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { FileReference, Reference } from "../../domain/plan/Reference.ts"
import type { ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import type { ReferenceWorld, ReferenceResolver } from "./ReferenceWorld.ts"

export interface ReferencePrefetch {
  /** Resolves a reference in the background. */
  see(reference: Reference): void
  /** Gives the prefetched content, or resolves now. */
  readonly resolve: ReferenceResolver
}

/** Prefetches until the scope closes. The check resolves again what could not be resolved, and explains it. */
export const makeReferencePrefetch = Effect.fnUntraced(function* (
  resolve: ReferenceResolver,
  world: ReferenceWorld
): Effect.fn.Return<ReferencePrefetch, never, Scope.Scope> {
  const found = new Map<string, ResolvedReference>()
  const seen = new Set<string>()
  const queue = yield* Queue.unbounded<FileReference>()
  yield* Queue.take(queue).pipe(
    Effect.flatMap((reference) =>
      Effect.result(resolve(reference, world)).pipe(
        Effect.map((outcome) => {
          if (Result.isSuccess(outcome)) found.set(reference.href, outcome.success)
        })
      )
    ),
    Effect.forever,
    Effect.forkScoped
  )
  return {
    see: (reference) => {
      if (reference.kind !== "file" || seen.has(reference.href)) return
      seen.add(reference.href)
      Queue.offerUnsafe(queue, reference)
    },
    resolve: (reference, current) => {
      const known = reference.kind === "file" ? found.get(reference.href) : undefined
      return known === undefined
        ? resolve(reference, current)
        : Effect.succeed({ ...known, reference: { ...known.reference, title: reference.title } })
    }
  }
})
