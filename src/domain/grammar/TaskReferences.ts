/**
 * Reads the field References of a task: the links in it, their forms, and for results of tasks whether the task exists
 * and comes early enough. Models write links in many broken ways; what can mean only one thing is repaired.
 */
import { addIssue, addRepair, type Findings } from "../findings/IssueCode.ts"
import type { Where } from "../findings/Issue.ts"
import type { LinkReader } from "./LinkCache.ts"
import { nearest } from "../text/Nearest.ts"
import type { Reference } from "../plan/Reference.ts"
import { readReference, type ResultForm } from "./ReferenceForm.ts"
import type { RawTask } from "./RawTask.ts"
import { readLinks } from "./ReferenceLinks.ts"
import { fieldLabels } from "./TaskFields.ts"
import { forgivingSlug, slugOf } from "../text/Slug.ts"
import { type TaskPlace, textOf } from "./FieldValues.ts"

/** Decides what the result of a task is; nothing when an issue was recorded. */
export type ResolveResult = (form: ResultForm, where: Where) => Reference | undefined

/** The references of a task, with every finding about them. */
export const readReferences = (
  raw: RawTask,
  place: TaskPlace,
  resolve: ResolveResult,
  findings: Findings,
  findLinks?: LinkReader
): ReadonlyArray<Reference> => {
  const where = { ...place, field: fieldLabels.references, line: raw.fields.get("references")?.line ?? raw.line }
  return readLinks(textOf(raw, "references"), where, findings, findLinks).flatMap(
    (candidate): ReadonlyArray<Reference> => {
      const title = candidate.title === "" ? candidate.href : candidate.title
      if (title !== candidate.title)
        addRepair(findings, "reference-form", where, `Labelled the link to "${title}" with its target.`)
      const form = readReference(title, candidate.href, candidate.bracketed)
      if (form._tag === "Wrong") {
        addIssue(findings, form.code, where, { what: form.what, how: form.how, quote: `[${title}](${candidate.href})` })
        return [form.reference]
      }
      if (form._tag === "Plain") {
        if (form.repair !== undefined) addRepair(findings, "reference-target", where, form.repair)
        return [form.reference]
      }
      const reference = resolve(form, where)
      return reference === undefined ? [{ kind: "unknown", title, href: form.href, target: form.name }] : [reference]
    }
  )
}

/** A task whose result can be referred to; `step` is absent for a finished one. */
export interface Producer {
  readonly name: string
  readonly slug: string
  readonly step?: number
  readonly section?: string
}

/** Finds producers by exact slug, and by forgiving slug. */
export interface ProducerIndex {
  readonly exact: ReadonlyMap<string, Producer>
  readonly forgiving: ReadonlyMap<string, ReadonlyArray<Producer>>
  readonly names: ReadonlyArray<string>
}

/** Indexes the tasks of a list and the finished ones. */
export const indexProducers = (producers: ReadonlyArray<Producer>): ProducerIndex => {
  const exact = new Map(producers.map((producer) => [producer.slug, producer] as const))
  const forgiving = new Map<string, Array<Producer>>()
  for (const producer of exact.values()) {
    const key = forgivingSlug(producer.slug)
    forgiving.set(key, [...(forgiving.get(key) ?? []), producer])
  }
  return { exact, forgiving, names: producers.map((producer) => producer.name) }
}

const findProducer = (index: ProducerIndex, name: string): Producer | undefined => {
  const slug = slugOf(name)
  const similar = index.forgiving.get(forgivingSlug(slug)) ?? []
  return index.exact.get(slug) ?? (similar.length === 1 ? similar[0] : undefined)
}

/**
 * Resolves results for one task of a list: from a finished task, or from a task of a strictly earlier section.
 * `headings` are the anchors of the request document, when they are known: an anchor that is neither a result nor one of
 * them is an issue; when they are not known it is left to whoever knows the document.
 */
export const resolveInList =
  (
    self: Producer & { readonly step: number },
    index: ProducerIndex,
    headings: ReadonlyArray<string> | undefined,
    findings: Findings
  ): ResolveResult =>
  (form, where) => {
    const { certain, href, name, title } = form
    const producer = findProducer(index, name)
    if (producer === undefined) {
      const anchor = slugOf(`${name}-results`)
      const isHeading = headings?.some((heading) => forgivingSlug(heading) === forgivingSlug(anchor)) ?? true
      if (!certain && isHeading) return { kind: "anchor", title, href, target: slugOf(href.slice(1)) }
      const near = nearest(name, index.names).map((other) => `#${slugOf(other)}-results`)
      addIssue(findings, "reference-task-unknown", where, {
        what: `The reference "${href}" names the result of a task that is not in the list.`,
        how: near.length === 0 ? undefined : `Use one of: ${near.join(", ")}.`,
        quote: `[${title}](${href})`
      })
      return undefined
    }
    const canonical = `#${producer.slug}-results`
    if (producer.slug === self.slug) {
      addIssue(findings, "reference-self", where, {
        what: `The task "${self.name}" refers to its own result.`,
        quote: `[${title}](${href})`
      })
    } else if (producer.step !== undefined && producer.step >= self.step) {
      addIssue(findings, "reference-order", where, {
        what: `The task "${self.name}" needs the result of "${producer.name}", which stands in ${producer.step === self.step ? "the same" : "a later"} section ("${producer.section ?? ""}").`,
        how: `Move "${self.name}" into a section after the one of "${producer.name}".`,
        quote: `[${title}](${href})`
      })
    }
    if (href !== canonical) addRepair(findings, "reference-target", where, `Read "${href}" as "${canonical}".`)
    return { kind: "task_result", title, href: canonical, target: producer.slug }
  }
