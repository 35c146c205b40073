/**
 * Resolves any reference to its content: headings of the request, results of tasks, files and pages.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import { findSection, sectionMarkdown } from "../../domain/markdown/Markdown.ts"
import type { ReferenceContent, ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import type { AnchorReference, ResultReference, UrlReference } from "../../domain/plan/Reference.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { resultAnchor } from "../../domain/plan/TaskName.ts"
import { nearest } from "../../domain/text/Nearest.ts"
import { forgivingSlug } from "../../domain/text/Slug.ts"
import type { Workspace } from "../files/Workspace.ts"
import { type FetchFailure, parseTarget, WebFetch } from "../tools/WebFetch.ts"
import { resolveFile } from "./FileReferences.ts"
import {
  ReferenceProblem,
  type ReferenceResolver,
  type ReferenceContext,
  checkAccess,
  perhaps
} from "./ReferenceContext.ts"
import type { RunSettings } from "../runs/RunSettings.ts"

/** The only task with a similar slug. */
const similarTask = (sought: string, tasks: ReadonlyArray<Task>): Task | undefined => {
  const similar = tasks.filter(({ slug }) => forgivingSlug(slug) === forgivingSlug(sought))
  return similar.length === 1 ? similar[0] : undefined
}

/** The tasks whose results may be used, each name once. */
const usableTasks = ({ expected, finished }: ReferenceContext): ReadonlyArray<Task> => [
  ...new Map([...finished.map(({ task }) => task), ...expected].map((task) => [task.name, task] as const)).values()
]

const asResult = (reference: AnchorReference | ResultReference, { name, slug }: Task): ResultReference => ({
  kind: "task_result",
  title: reference.title,
  href: `#${resultAnchor(name)}`,
  target: slug
})

const asAnchor = (reference: AnchorReference | ResultReference, anchor: string): AnchorReference => ({
  kind: "anchor",
  title: reference.title,
  href: `#${anchor}`,
  target: anchor
})

const lateProblem = (href: string, { name }: Task, usable: ReadonlyArray<Task>): ReferenceProblem =>
  new ReferenceProblem({
    code: "reference-order",
    what: `"${href}" is the result of "${name}", which is not in an earlier section.`,
    how:
      usable.length === 0
        ? "Move the task into a later section, or leave the reference out."
        : `Move the task into a later section, or refer to ${usable.map((one) => `#${resultAnchor(one.name)}`).join(", ")}.`
  })

const unknownProblem = (reference: AnchorReference | ResultReference, context: ReferenceContext): ReferenceProblem => {
  const sought = reference.href.replace(/^#/, "")
  const anchors = [
    ...context.document.sections.map(({ anchor }) => anchor),
    ...usableTasks(context).map(({ name }) => resultAnchor(name))
  ]
  return new ReferenceProblem({
    code: reference.kind === "anchor" ? "reference-heading-unknown" : "reference-task-unknown",
    what:
      reference.kind === "anchor"
        ? `There is no heading "${reference.href}" in the request and no task of that name.`
        : `There is no task whose result is "${reference.href}".`,
    how: perhaps(
      nearest(sought, anchors).map((anchor) => `#${anchor}`),
      "Leave the reference out."
    )
  })
}

const sectionOf = (reference: AnchorReference | ResultReference, anchor: string, context: ReferenceContext) =>
  Option.map(findSection(context.document, anchor), (section): ResolvedReference => {
    const text = Option.getOrElse(sectionMarkdown(context.document, section.anchor), () => "")
    const isSame = reference.kind === "anchor" && section.anchor === anchor
    return { reference: isSame ? reference : asAnchor(reference, section.anchor), content: { kind: "markdown", text } }
  })

/**
 * The result of a reference, if there is such a task. The reader of the list has already reported a result that comes too
 * late, except when it was written like a heading.
 */
const resultOf = Effect.fnUntraced(function* (reference: AnchorReference | ResultReference, context: ReferenceContext) {
  const { finished, tooLate } = context
  const { target } = reference
  const named = ({ slug }: Task): boolean => slug === target
  const usable = usableTasks(context)
  const task = usable.find(named) ?? similarTask(target, usable)
  if (task === undefined) {
    const late = tooLate.find(named) ?? similarTask(target, tooLate)
    if (late === undefined) return undefined
    if (reference.kind === "anchor") return yield* lateProblem(reference.href, late, usable)
    return { reference, content: { kind: "later" } } satisfies ResolvedReference
  }
  const isSame = reference.kind === "task_result" && task.slug === target
  const repaired = isSame ? reference : asResult(reference, task)
  const result = finished.find(({ name }) => name === task.name)
  const content: ReferenceContent =
    result === undefined ? { kind: "later" } : { kind: "markdown", text: result.result.document }
  return { reference: repaired, content } satisfies ResolvedReference
})

/** The content of an anchor: a heading of the request document, else the result of the task of this name. */
const resolveAnchor = Effect.fn("resolveAnchor")(function* (reference: AnchorReference, context: ReferenceContext) {
  const section = sectionOf(reference, reference.target, context)
  if (Option.isSome(section)) return section.value
  return (yield* resultOf(reference, context)) ?? (yield* unknownProblem(reference, context))
})

/** The content of a result: that of the task, else a heading that ends in `-results`. */
const resolveResult = Effect.fn("resolveResult")(function* (reference: ResultReference, context: ReferenceContext) {
  const result = yield* resultOf(reference, context)
  if (result !== undefined) return result
  const section = sectionOf(reference, `${reference.target}-results`, context)
  return Option.isSome(section) ? section.value : yield* unknownProblem(reference, context)
})

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
  return Effect.fn("resolvePage")(function* (reference: UrlReference, context: ReferenceContext) {
    const { href: url } = yield* Effect.mapError(parseTarget(reference.target), unfetchable)
    yield* checkAccess(context, { _tag: "FetchUrl", url })
    const { permit } = context
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
  const resolve: ReferenceResolver = (reference, context) => {
    switch (reference.kind) {
      case "anchor":
        return provide(resolveAnchor(reference, context))
      case "task_result":
        return provide(resolveResult(reference, context))
      case "file":
        return provide(resolveFile(reference, context))
      case "url":
        return resolvePage(reference, context)
      case "unknown":
        return Effect.fail(unknownKind(reference.href))
    }
  }
  return resolve
})
