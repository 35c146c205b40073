/** Resolves any reference to its content: headings of the request, results of tasks, files and pages. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { ruleOf } from "../../domain/findings/rules/Rules.ts"
import { findSection, sectionMarkdown } from "../../domain/markdown/Markdown.ts"
import type { ReferenceContent, ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import type { AnchorReference, Reference, ResultReference, UrlReference } from "../../domain/plan/Reference.ts"
import type { Task } from "../../domain/plan/Task.ts"
import { resultAnchor } from "../../domain/plan/TaskName.ts"
import { nearest } from "../../domain/text/Nearest.ts"
import { forgivingSlug } from "../../domain/text/Slug.ts"
import type { Workspace } from "../files/Workspace.ts"
import { type FetchFailure, parseTarget, WebFetch } from "../tools/WebFetch.ts"
import { resolveFile } from "./FileReferences.ts"
import {
  type ReferenceProblem,
  type ReferenceResolver,
  type ReferenceContext,
  checkAccess,
  perhaps,
  problem
} from "./ReferenceContext.ts"
import type { RunSettings } from "../runs/RunSettings.ts"

const similarTask = (wanted: string, tasks: ReadonlyArray<Task>): Task | undefined => {
  const similar = tasks.filter(({ slug }) => forgivingSlug(slug) === forgivingSlug(wanted))
  return similar.length === 1 ? similar[0] : undefined
}

/** The tasks whose results may be used. No task appears twice. */
const usableTasks = ({ expected, finished }: ReferenceContext): ReadonlyArray<Task> => [
  ...new Map([...finished.map(({ task }) => task), ...expected].map((task) => [task.name, task] as const)).values()
]

type NamedReference = AnchorReference | ResultReference

const lateProblem = (href: string, { name }: Task, usable: ReadonlyArray<Task>): ReferenceProblem => {
  const results = usable.map((one) => `#${resultAnchor(one.name)}`).join(", ")
  return problem(
    "reference-order",
    `"${href}" is the result of "${name}", which is not in an earlier section.`,
    `Move the task into a later section, or ${results === "" ? "leave the reference out" : `refer to ${results}`}.`
  )
}

const unknownProblem = ({ href, kind }: NamedReference, context: ReferenceContext): ReferenceProblem => {
  const anchors = [
    ...context.document.sections.map(({ anchor }) => anchor),
    ...usableTasks(context).map(({ name }) => resultAnchor(name))
  ]
  const near = nearest(href.replace(/^#/, ""), anchors).map((anchor) => `#${anchor}`)
  const how = perhaps(near, "Leave the reference out.")
  return kind === "anchor"
    ? problem(
        "reference-heading-unknown",
        `There is no heading "${href}" in the request and no task of that name.`,
        how
      )
    : problem("reference-task-unknown", `There is no task whose result is "${href}".`, how)
}

const sectionOf = (reference: NamedReference, wanted: string, context: ReferenceContext) =>
  Option.map(findSection(context.document, wanted), ({ anchor }): ResolvedReference => {
    const text = Option.getOrElse(sectionMarkdown(context.document, anchor), () => "")
    const isSame = reference.kind === "anchor" && anchor === wanted
    const repaired: Reference = { kind: "anchor", title: reference.title, href: `#${anchor}`, target: anchor }
    return { reference: isSame ? reference : repaired, content: { kind: "markdown", text } }
  })

/**
 * The result of the task that a reference means, if there is such a task. A reference to a result that comes too late
 * is reported here only if it looks like a heading. Other late references were already reported when the task list was
 * read.
 */
const resultOf = Effect.fnUntraced(function* (reference: NamedReference, context: ReferenceContext) {
  const { finished, tooLate } = context
  const { target, title } = reference
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
  const href = `#${resultAnchor(task.name)}`
  const repaired: Reference = isSame ? reference : { kind: "task_result", title, href, target: task.slug }
  const result = finished.find(({ name }) => name === task.name)
  const content: ReferenceContent =
    result === undefined ? { kind: "later" } : { kind: "markdown", text: result.result.document }
  return { reference: repaired, content } satisfies ResolvedReference
})

/**
 * The content of a heading of the request, or of a result. An anchor is looked up as a heading first. The name of a
 * result is looked up as a task first, and then as a heading whose anchor ends in `-results`.
 */
const resolveNamed = Effect.fn("resolveNamed")(function* (reference: NamedReference, context: ReferenceContext) {
  const isAnchor = reference.kind === "anchor"
  const section = sectionOf(reference, isAnchor ? reference.target : `${reference.target}-results`, context)
  if (isAnchor && Option.isSome(section)) return section.value
  const result = yield* resultOf(reference, context)
  if (result !== undefined) return result
  return Option.isSome(section) ? section.value : yield* unknownProblem(reference, context)
})

/** A fetched page. The lock ensures that only one fiber at a time fetches it. */
interface Entry {
  readonly lock: Semaphore.Semaphore
  text: string | undefined
}

const unfetchable = ({ message, type }: FetchFailure): ReferenceProblem =>
  problem(type === "validation_failed" ? "reference-url" : "reference-unreadable", message)

/** Resolves pages. The gate decides about a page for each task, but the page is fetched only once in a run. */
const makePageReferences = Effect.gen(function* () {
  const web = yield* WebFetch
  const entries = new Map<string, Entry>()

  const entryOf = (url: string): Entry => {
    const entry = entries.get(url) ?? { lock: Semaphore.makeUnsafe(1), text: undefined }
    entries.set(url, entry)
    return entry
  }

  /** Returns the content of a page. When a plan is checked, the URL is only parsed. */
  return Effect.fn("resolvePage")(function* (reference: UrlReference, context: ReferenceContext) {
    const { href: url } = yield* Effect.mapError(parseTarget(reference.target), unfetchable)
    yield* checkAccess(context, { _tag: "FetchUrl", url })
    const { permit } = context
    if (permit === undefined) return { reference, content: { kind: "later" } } satisfies ResolvedReference
    const authorize = (target: string) => permit({ _tag: "FetchUrl", url: target })
    yield* authorize(url)
    const entry = entryOf(url)
    const fetchOnce = Effect.gen(function* () {
      entry.text ??= (yield* Effect.catchTag(web.get(url, authorize), "FetchFailure", (failure) =>
        Effect.fail(unfetchable(failure))
      )).text
      return entry.text
    })
    const text = yield* entry.lock.withPermits(1)(fetchOnce)
    return { reference, content: { kind: "file", text, language: "text" } } satisfies ResolvedReference
  })
})

export const makeReferenceResolver = Effect.gen(function* () {
  const resolvePage = yield* makePageReferences
  const provide = Effect.provideContext(yield* Effect.context<RunSettings | Workspace>())
  const resolve: ReferenceResolver = (reference, context) => {
    switch (reference.kind) {
      case "anchor":
      case "task_result":
        return provide(resolveNamed(reference, context))
      case "file":
        return provide(resolveFile(reference, context))
      case "url":
        return resolvePage(reference, context)
      case "unknown":
        return Effect.fail(
          problem("reference-kind", `"${reference.href}" is not a valid reference.`, ruleOf("reference-kind").fix)
        )
    }
  }
  return resolve
})
