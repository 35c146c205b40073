import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readMarkdown } from "../../../src/domain/markdown/Markdown.ts"
import type { Reference } from "../../../src/domain/plan/Reference.ts"
import { makeReferencePrefetch } from "../../../src/services/references/ReferenceCheck.ts"
import {
  ReferenceProblem,
  type ReferenceResolver,
  type ReferenceWorld
} from "../../../src/services/references/ReferenceWorld.ts"
import { untilQuiet } from "../../support/untilQuiet.ts"

const world: ReferenceWorld = {
  document: readMarkdown(""),
  finished: [],
  view: "document",
  expected: [],
  tooLate: [],
  tree: Effect.succeed([])
}

const file = (target: string, title = target): Reference => ({ kind: "file", title, href: target, target })
const heading: Reference = { kind: "anchor", title: "Shop", href: "#shop", target: "shop" }

/** Resolves everything but `missing.ts`, and notes what it was asked for. */
const makeResolver = () => {
  const asked: Array<string> = []
  const resolve: ReferenceResolver = (reference) =>
    Effect.suspend(() => {
      asked.push(reference.href)
      return reference.href === "missing.ts"
        ? Effect.fail(new ReferenceProblem({ code: "reference-missing", what: "No.", how: "" }))
        : Effect.succeed({ reference, content: { kind: "markdown", text: "text" } })
    })
  return { asked, resolve }
}

it.effect("resolves a file once, before it is needed, and gives it to every reference with its own title", () =>
  Effect.gen(function* () {
    const { asked, resolve } = makeResolver()
    const ahead = yield* makeReferencePrefetch(resolve, world)
    for (const reference of [file("a.ts"), file("a.ts", "again"), heading, file("b.ts")]) ahead.see(reference)
    yield* untilQuiet
    expect(asked).toEqual(["a.ts", "b.ts"])
    const resolved = yield* ahead.resolve(file("a.ts", "again"), world)
    expect(resolved).toEqual({ reference: file("a.ts", "again"), content: { kind: "markdown", text: "text" } })
    expect(asked).toEqual(["a.ts", "b.ts"])
  })
)

it.effect("leaves to the check what it could not resolve, has not seen, or is no file", () =>
  Effect.gen(function* () {
    const { asked, resolve } = makeResolver()
    const ahead = yield* makeReferencePrefetch(resolve, world)
    ahead.see(file("missing.ts"))
    yield* untilQuiet
    expect((yield* Effect.flip(ahead.resolve(file("missing.ts"), world))).code).toBe("reference-missing")
    yield* ahead.resolve(heading, world)
    yield* ahead.resolve(file("new.ts"), world)
    expect(asked).toEqual(["missing.ts", "missing.ts", "#shop", "new.ts"])
  })
)
