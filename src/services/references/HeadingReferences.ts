/**
 * Resolves references that start with `#`: headings of the request document and results of tasks. Case, underscores,
 * repeated hyphens and the name of a task instead of its result are accepted.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { findSection, sectionMarkdown } from "../../domain/markdown/Markdown.ts"
import { nearest } from "../../domain/text/Nearest.ts"
import { closeMarkdown } from "../../domain/markdown/MarkdownTree.ts"
import type { AnchorReference, ResultReference } from "../../domain/plan/Reference.ts"
import type { ReferenceContent, ResolvedReference } from "../../domain/models/ReferenceContent.ts"
import { resultAnchor, type TaskName } from "../../domain/plan/TaskName.ts"
import { forgivingSlug, slugOf } from "../../domain/text/Slug.ts"
import type { ResultDocument, TaskResult } from "../../domain/plan/TaskResult.ts"
import { perhaps, ReferenceProblem, type ReferenceWorld } from "./ReferenceWorld.ts"

/** The first name of each slug in a list of names, which is the same for all tasks of a section. */
const firstNames = new WeakMap<ReadonlyArray<TaskName>, ReadonlyMap<string, TaskName>>()

const exactName = (slug: string, names: ReadonlyArray<TaskName>): TaskName | undefined => {
  const known = firstNames.get(names) ?? new Map(names.map((name) => [slugOf(name), name] as const).toReversed())
  firstNames.set(names, known)
  return known.get(slug)
}

/** The only name with a similar slug. */
const similarName = (slug: string, names: ReadonlyArray<TaskName>): TaskName | undefined => {
  const similar = names.filter((name) => forgivingSlug(slugOf(name)) === forgivingSlug(slug))
  return similar.length === 1 ? similar[0] : undefined
}

/** Each task has a list of results of its own, so the results are searched, but their slugs are made once. */
const resultSlugs = new WeakMap<TaskResult, string>()

const slugOfResult = (result: TaskResult): string => {
  const known = resultSlugs.get(result)
  if (known !== undefined) return known
  const slug = slugOf(result.name)
  resultSlugs.set(result, slug)
  return slug
}

const usableNames = ({ expected, finished }: ReferenceWorld): ReadonlyArray<TaskName> => [
  ...new Set([...finished.map(({ name }) => name), ...expected])
]

const asResult = (reference: AnchorReference | ResultReference, name: TaskName): ResultReference => ({
  kind: "task_result",
  title: reference.title,
  href: `#${resultAnchor(name)}`,
  target: slugOf(name)
})

const asAnchor = (reference: AnchorReference | ResultReference, anchor: string): AnchorReference => ({
  kind: "anchor",
  title: reference.title,
  href: `#${anchor}`,
  target: anchor
})

/** The summary of a result, and a word about the rest. */
const summaryOf = ({ document, summary }: ResultDocument): string => {
  const text = closeMarkdown(summary.trim())
  const hasMore = document.replace(/^#+[^\n]*\n+/, "").trim() !== summary.trim()
  return hasMore ? `${text}\n\n(There is more: the whole result is given when the task is executed.)` : text
}

const resultContent = ({ result }: TaskResult, view: ReferenceWorld["view"]): ReferenceContent => ({
  kind: "markdown",
  text: view === "summary" ? summaryOf(result) : result.document
})

const lateProblem = (href: string, name: TaskName, usable: ReadonlyArray<TaskName>): ReferenceProblem =>
  new ReferenceProblem({
    code: "reference-order",
    what: `"${href}" is the result of "${name}", which is not in an earlier section.`,
    how:
      usable.length === 0
        ? "Move the task into a later section, or leave the reference out."
        : `Move the task into a later section, or refer to ${usable.map((one) => `#${resultAnchor(one)}`).join(", ")}.`
  })

const unknownProblem = (reference: AnchorReference | ResultReference, world: ReferenceWorld): ReferenceProblem => {
  const sought = reference.href.replace(/^#/, "")
  const anchors = [
    ...world.document.sections.map(({ anchor }) => anchor),
    ...usableNames(world).map((name) => resultAnchor(name))
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

const sectionOf = (reference: AnchorReference | ResultReference, anchor: string, world: ReferenceWorld) =>
  Option.map(findSection(world.document, anchor), (section): ResolvedReference => {
    const text = Option.getOrElse(sectionMarkdown(world.document, section.anchor), () => "")
    const isSame = reference.kind === "anchor" && section.anchor === anchor
    return { reference: isSame ? reference : asAnchor(reference, section.anchor), content: { kind: "markdown", text } }
  })

/**
 * The result of a reference, if there is such a task. The reader of the list has already reported a result that comes too
 * late, except when it was written like a heading.
 */
const resultOf = Effect.fnUntraced(function* (reference: AnchorReference | ResultReference, world: ReferenceWorld) {
  const { expected, finished, tooLate } = world
  const { target } = reference
  const exact = finished.find((one) => slugOfResult(one) === target)
  const name = exact?.name ?? exactName(target, expected) ?? similarName(target, usableNames(world))
  if (name === undefined) {
    const late = exactName(target, tooLate) ?? similarName(target, tooLate)
    if (late === undefined) return undefined
    if (reference.kind === "anchor") return yield* lateProblem(reference.href, late, usableNames(world))
    return { reference, content: { kind: "later" } } satisfies ResolvedReference
  }
  const isSame = reference.kind === "task_result" && slugOf(name) === reference.target
  const repaired = isSame ? reference : asResult(reference, name)
  const result = exact ?? finished.find((one) => one.name === name)
  const content: ReferenceContent = result === undefined ? { kind: "later" } : resultContent(result, world.view)
  return { reference: repaired, content } satisfies ResolvedReference
})

/** The content of an anchor: a heading of the request document, else the result of the task of this name. */
export const resolveAnchor = Effect.fn("resolveAnchor")(function* (reference: AnchorReference, world: ReferenceWorld) {
  const section = sectionOf(reference, reference.target, world)
  if (Option.isSome(section)) return section.value
  return (yield* resultOf(reference, world)) ?? (yield* unknownProblem(reference, world))
})

/** The content of a result: that of the task, else a heading that ends in `-results`. */
export const resolveResult = Effect.fn("resolveResult")(function* (reference: ResultReference, world: ReferenceWorld) {
  const result = yield* resultOf(reference, world)
  if (result !== undefined) return result
  const section = sectionOf(reference, `${reference.target}-results`, world)
  return Option.isSome(section) ? section.value : yield* unknownProblem(reference, world)
})
