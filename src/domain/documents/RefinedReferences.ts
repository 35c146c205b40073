/**
 * The references of a refined task. Those that the plan gives stay, unless the answer lists others in their place: a task
 * that loses one would work without the result it builds on. Whatever is left out is a repair that a person sees.
 */
import type { Where } from "../findings/Issue.ts"
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import type { DocumentReader } from "../grammar/DocumentReader.ts"
import { placeOf, type TaskPlace, textOf } from "../grammar/FieldValues.ts"
import { isAsGiven } from "../grammar/Placeholder.ts"
import type { RawTask } from "../grammar/RawTask.ts"
import { readLinkText, readReferences, type ResolveResult } from "../grammar/TaskReferences.ts"
import type { Reference } from "../plan/Reference.ts"
import { Task } from "../plan/Task.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"

const targetOf = (references: ReadonlyArray<Reference>, kind: Reference["kind"], sought: string) =>
  references.find((one) => one.kind === kind && forgivingSlug(one.target) === forgivingSlug(sought))?.target

/** By form: `#x-results` is the result of a task unless the plan used it as a heading. */
export const resolveByForm =
  (planned: ReadonlyArray<Reference>, findings: Findings): ResolveResult =>
  ({ certain, href, name, title }, where) => {
    const slug = slugOf(name)
    const heading = certain ? undefined : targetOf(planned, "anchor", `${slug}-results`)
    if (heading !== undefined) return { kind: "anchor", title, href, target: heading }
    const target = targetOf(planned, "task_result", slug) ?? slug
    const canonical = `#${target}-results`
    if (href !== canonical) addRepair(findings, "reference-target", where, `Read "${href}" as "${canonical}".`)
    return { kind: "task_result", title, href: canonical, target }
  }

/** References without the result of the task itself, which cannot exist yet. */
const withoutOwn = (references: ReadonlyArray<Reference>, own: string, where: Where, findings: Findings) =>
  references.filter(({ kind, target }) => {
    const isOwn = kind === "task_result" && target === own
    if (isOwn) addRepair(findings, "reference-own-dropped", where, "Left out the reference to the task's own result.")
    return !isOwn
  })

/** Without a plan nothing else tells what the task is to work on, so its own result is an issue. */
export const refuseOwn =
  (resolve: ResolveResult, task: string, findings: Findings): ResolveResult =>
  (form, where) => {
    const reference = resolve(form, where)
    if (reference?.kind !== "task_result" || reference.target !== slugOf(task)) return reference
    const what = `The task "${task}" refers to its own result.`
    addIssue(findings, "reference-self", where, { what, quote: `[${form.title}](${form.href})` })
    return undefined
  }

const isSameTarget = (one: Reference, other: Reference): boolean =>
  one.kind === other.kind && one.target === other.target

const quoted = (references: ReadonlyArray<Reference>): string => references.map(({ href }) => `"${href}"`).join(", ")

/** The references of the field, which count in place of the planned ones when there are any. */
export const listedReferences = (
  raw: RawTask,
  place: TaskPlace,
  planned: ReadonlyArray<Reference>,
  findings: Findings
): ReadonlyArray<Reference> => {
  if (!raw.fields.has("references") || isAsGiven(textOf(raw, "references"))) return planned
  const where = placeOf(raw, place, "references")
  const read = readReferences(raw, place, resolveByForm(planned, findings), findings)
  const listed = withoutOwn(read, slugOf(place.task), where, findings)
  const lost = planned.filter((one) => !listed.some((other) => isSameTarget(one, other)))
  if (lost.length === 0) return listed
  if (listed.length === 0) {
    addRepair(findings, "references-kept", where, `Kept the references that the plan gives: ${quoted(lost)}.`)
    return planned
  }
  const message = `Left out ${quoted(lost)}, which the plan gives: the answer lists ${quoted(listed)} in its place.`
  addRepair(findings, "reference-dropped", where, message)
  return listed
}

const isNarrowed = (reference: Reference): boolean =>
  reference.kind === "file" && (reference.heading !== undefined || reference.lines !== undefined)

/** A part of a file counts in place of the whole file. */
const isNarrower = (added: Reference, planned: Reference): boolean =>
  isSameTarget(added, planned) && isNarrowed(added) && !isNarrowed(planned)

/** The task with the links under `## Added references`. */
export const addReferences = (reader: DocumentReader, task: Task): Task => {
  const section = reader.section("references")
  if (section === undefined) return task
  const { findings } = reader
  const where = { section: section.heading, task: task.name, field: "References", line: section.line }
  const text = reader.sourceOf(section)
  if (text === "" || isAsGiven(text)) return task
  const read = readLinkText(text, where, resolveByForm(task.references, findings), findings)
  const links = withoutOwn(read, task.slug, where, findings)
  const replaced = task.references.filter((one) => links.some((link) => isNarrower(link, one)))
  if (replaced.length > 0) {
    const message = `Took parts in place of ${quoted(replaced)}, which the plan gives whole.`
    addRepair(findings, "reference-dropped", where, message)
  }
  const kept = task.references.filter((one) => !replaced.includes(one))
  const added = links.filter(({ href }) => !kept.some((one) => one.href === href))
  return new Task({ ...task, references: [...kept, ...added] })
}
