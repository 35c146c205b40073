/**
 * Resolves any reference to its content.
 */
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { UrlReference } from "../../domain/plan/Reference.ts"
import type { ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import { resolveFile } from "./FileReferences.ts"
import { resolveAnchor, resolveResult } from "./HeadingReferences.ts"
import { checkAccess, ReferenceProblem, type ReferenceWorld, type ReferenceResolver } from "./ReferenceWorld.ts"
import type { RunSettings } from "../runs/RunSettings.ts"
import type { Workspace } from "../files/Workspace.ts"
import { type FetchFailure, parseTarget, WebFetch } from "../tools/WebFetch.ts"

/** A page; one fiber at a time fetches it until it is there. */
interface Entry {
  readonly lock: Semaphore.Semaphore
  text: string | undefined
}

const unfetchable = (failure: FetchFailure): ReferenceProblem =>
  new ReferenceProblem({
    code: failure.type === "validation_failed" ? "reference-url" : "reference-unreadable",
    what: failure.message,
    how: ""
  })

/** The resolution of pages: each is authorized for the task, fetched once per run and cached. */
const makePageReferences = Effect.gen(function* () {
  const web = yield* WebFetch
  const entries = new Map<string, Entry>()

  const entryOf = (url: string): Entry => {
    const entry = entries.get(url) ?? { lock: Semaphore.makeUnsafe(1), text: undefined }
    entries.set(url, entry)
    return entry
  }

  /** The content of a page; the check reads only its URL. */
  return Effect.fn("resolvePage")(function* (reference: UrlReference, world: ReferenceWorld) {
    const { href: url } = yield* Effect.mapError(parseTarget(reference.target), unfetchable)
    yield* checkAccess(world, { _tag: "FetchUrl", url })
    const { permit } = world
    if (permit === undefined) return { reference, content: { kind: "later" } } satisfies ResolvedReference
    const authorize = (target: string) => permit({ _tag: "FetchUrl", url: target })
    yield* authorize(url)
    const entry = entryOf(url)
    const fetchOnce = Effect.gen(function* () {
      if (entry.text !== undefined) return entry.text
      const page = yield* Effect.catchTag(web.get(url, authorize), "FetchFailure", (failure) =>
        Effect.fail(unfetchable(failure))
      )
      entry.text = page.text
      return page.text
    })
    const text = yield* entry.lock.withPermits(1)(fetchOnce)
    return { reference, content: { kind: "file", text, language: "text" } } satisfies ResolvedReference
  })
})

const unknownKind = (href: string): ReferenceProblem =>
  new ReferenceProblem({
    code: "reference-kind",
    what: `"${href}" is not a valid reference.`,
    how: ruleOf("reference-kind").fix
  })

/** The resolver of one run, with its cache of pages. */
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
