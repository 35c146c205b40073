/**
 * Resolves references to pages: each one is authorized for the task, fetched once per run and kept.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { UrlReference } from "../../domain/plan/Reference.ts"
import type { ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import { type FetchFailure, parseTarget } from "../web/FetchTarget.ts"
import { ReferenceProblem } from "./ReferenceProblem.ts"
import type { ReferenceWorld } from "./ReferenceWorld.ts"
import { WebFetch } from "../web/WebFetch.ts"

/** A page that is fetched by one fiber at a time until one has it. */
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

/** Makes the resolution of pages with its cache. */
export const makePageReferences = Effect.gen(function* () {
  const web = yield* WebFetch
  const entries = new Map<string, Entry>()

  const entryOf = (url: string): Entry => {
    const entry = entries.get(url) ?? { lock: Semaphore.makeUnsafe(1), text: undefined }
    entries.set(url, entry)
    return entry
  }

  /** The content of a page. In the check only its URL counts. */
  return Effect.fn("resolvePage")(function* (reference: UrlReference, world: ReferenceWorld) {
    const { href: url } = yield* Effect.mapError(parseTarget(reference.target), unfetchable)
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
